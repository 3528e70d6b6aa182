/**
 * Transactions of an Electrum server in consensus bytes, and where they are: in a block only with a
 * Merkle proof that leads to its header. Bytes and proofs are kept for the next questions, up to a
 * bound.
 */
import { type BoundedMap, boundedMap } from '../../../../domain/bounded-map.ts';
import type { TransactionStatus } from '../../../../ports/chains/chain-scanner.ts';
import { NodeError, NodeLagging } from '../../shared/nodes/node-errors.ts';
import { decoded, type ProvenTransaction } from '../backend.ts';
import { isInBlock, isTooEasy } from '../codec/header-proof.ts';
import { decodeTransaction, type RawTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import type { ElectrumClient, HistoryEntry } from './client.ts';
import { scriptHashOf } from './client.ts';
import type { ElectrumHeaders } from './headers.ts';
import type { ElectrumHistories } from './histories.ts';

export interface ElectrumTransactions {
  raw(txids: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
  read(txid: string): Promise<RawTransaction | null>;
  place(txid: string): Promise<TransactionStatus>;
  /**
   * The transactions of these entries, which are in blocks, each with its proof; NodeError where
   * the server gives none.
   */
  proven(entries: readonly HistoryEntry[]): Promise<readonly ProvenTransaction[]>;
}

/** 8 MB of usual ones. */
const KEPT = 20_000;
const KEPT_BYTES_EACH = 10_000;
/** How many scripts of a transaction are tried, where none of them is followed. */
const SCRIPTS_ASKED = 4;
const OP_RETURN = 0x6a;

interface Context {
  readonly network: UtxoNetwork;
  readonly client: ElectrumClient;
  readonly headers: ElectrumHeaders;
  readonly histories: ElectrumHistories;
  /** By txid. */
  readonly bytes: BoundedMap<string, Uint8Array>;
  /** The proven positions, by txid and block hash. */
  readonly positions: BoundedMap<string, number>;
}

export function electrumTransactions(
  network: UtxoNetwork,
  client: ElectrumClient,
  { headers, histories }: { headers: ElectrumHeaders; histories: ElectrumHistories },
): ElectrumTransactions {
  const context: Context = {
    ...{ network, client, headers, histories },
    ...{ bytes: boundedMap(KEPT), positions: boundedMap(KEPT) },
  };
  return {
    raw: (txids) => rawTransactions(context, txids),
    read: (txid) => readTransaction(context, txid),
    proven: (entries) => provenTransactions(context, entries),
    place: async (txid) => {
      const entry = (await histories.find(txid)) ?? (await entryOf(context, txid));
      if (entry === null) return { state: 'unknown' };
      if (entry.height <= 0) return { state: 'pending' };
      const [{ header }] = (await provenTransactions(context, [entry])) as [ProvenTransaction];
      return { state: 'mined', height: header.height, blockHash: header.hash };
    },
  };
}

async function rawTransactions(
  { client, bytes: kept }: Context,
  txids: readonly string[],
): Promise<readonly (Uint8Array | null)[]> {
  const found = new Map(txids.map((txid) => [txid, kept.get(txid) ?? null] as const));
  const missing = [...found].flatMap(([txid, bytes]) => (bytes === null ? [txid] : []));
  const fetched = await client.transactions(missing);
  for (const [at, bytes] of fetched.entries()) {
    if (bytes === null) continue;
    const txid = missing[at]!;
    found.set(txid, bytes);
    if (bytes.length <= KEPT_BYTES_EACH) kept.set(txid, bytes);
  }
  return txids.map((txid) => found.get(txid) ?? null);
}

async function readTransaction(context: Context, txid: string): Promise<RawTransaction | null> {
  const { network, client } = context;
  const [bytes] = await rawTransactions(context, [txid]);
  if (bytes == null) return null;
  const transaction = decoded(client.label, () => decodeTransaction(network, bytes));
  if (transaction.txid() !== txid)
    throw new NodeError(`${client.label}: answered another transaction than asked`);
  return transaction;
}

type Placed = Omit<ProvenTransaction, 'position'> & { readonly entry: HistoryEntry };

async function provenTransactions(
  context: Context,
  entries: readonly HistoryEntry[],
): Promise<readonly ProvenTransaction[]> {
  await rawTransactions(
    context,
    entries.map(({ txid }) => txid),
  );
  const placed: Placed[] = [];
  for (const entry of entries) placed.push(await withHeader(context, entry));
  const positions = await positionsOf(context, placed);
  return placed.map(({ transaction, header }, at) => ({ transaction, header, position: positions[at]! }));
}

/** The transaction of an entry, with the header of the block in which the server says it is. */
async function withHeader(context: Context, entry: HistoryEntry): Promise<Placed> {
  const { network, client, headers } = context;
  if (isTooEasy(network, entry.height))
    throw new NodeError(`${client.label}: tells of a transaction of ours in a block from before 2023`);
  const header = await headers.at(entry.height);
  if (header === null) throw new NodeLagging(`has no block ${entry.height}`);
  const transaction = await readTransaction(context, entry.txid);
  if (transaction === null)
    throw new NodeError(`${client.label}: does not show a transaction of its histories`);
  return { entry, transaction, header };
}

const proofKey = ({ entry, header }: Placed): string => `${entry.txid} ${header.hash}`;

/** The position of each in its block: a kept one, or one that is proven now. */
async function positionsOf(context: Context, placed: readonly Placed[]): Promise<readonly number[]> {
  const kept = placed.map((each) => context.positions.get(proofKey(each)));
  const unproven = placed.filter((_, at) => kept[at] === undefined);
  const proven = (await prove(context, unproven)).values();
  return kept.map((position) => position ?? proven.next().value!);
}

/**
 * The position of each in its block, which is kept, too. Throws NodeError at the first whose Merkle
 * branch does not lead to the header.
 */
async function prove(context: Context, placed: readonly Placed[]): Promise<readonly number[]> {
  const { network, client, histories, positions } = context;
  const branches = await client.branches(placed.map(({ entry }) => entry));
  return placed.map((each, at) => {
    const branch = branches[at]!;
    const { entry, transaction, header } = each;
    const { merkleRoot } = header;
    if (!('hashes' in branch) || !isInBlock(network, { hash: transaction.hash(), branch, merkleRoot })) {
      histories.doubt(entry.txid);
      throw new NodeError(`${client.label}: does not prove that a transaction is in block ${entry.height}`);
    }
    positions.set(proofKey(each), branch.position);
    return branch.position;
  });
}

/**
 * Looks in the histories of the transaction's outputs, since servers do not tell where a
 * transaction is. The last outputs come first: change is among them, while an earlier one may pay a
 * script with more history than a server tells.
 */
async function entryOf(context: Context, txid: string): Promise<HistoryEntry | null> {
  const transaction = await readTransaction(context, txid);
  if (transaction === null) return null;
  const scripts = transaction.outputs.flatMap(({ script }) => (script[0] === OP_RETURN ? [] : [script]));
  const hashes = [...new Set(scripts.map(scriptHashOf))].reverse().slice(0, SCRIPTS_ASKED);
  let problem: unknown = new NodeLagging('has no history of such a transaction');
  for (const hash of hashes)
    try {
      return (await context.histories.of(hash)).find((entry) => entry.txid === txid) ?? null;
    } catch (error) {
      problem = error;
    }
  throw problem;
}
