/**
 * Transactions of an Electrum server in consensus bytes, and where they are: those of a block by a proof that leads to its header.
 * Of both only so many are kept as the next questions are likely to be about.
 */
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
  /** Those that are in blocks, with proof; NodeError where there is none. */
  proven(entries: readonly HistoryEntry[]): Promise<readonly ProvenTransaction[]>;
}

/** 8 MB of usual ones. */
const KEPT = 20_000;
const KEPT_BYTES_EACH = 10_000;
/** Of a transaction whose scripts are not followed, so many are asked for. */
const SCRIPTS_ASKED = 4;
const OP_RETURN = 0x6a;

export function electrumTransactions(
  network: UtxoNetwork,
  client: ElectrumClient,
  { headers, histories }: { headers: ElectrumHeaders; histories: ElectrumHistories },
): ElectrumTransactions {
  const { label } = client;
  const kept = new Map<string, Uint8Array>();
  /** Positions of what was proven, by txid and block hash. */
  const positions = new Map<string, number>();

  const decode = (bytes: Uint8Array): RawTransaction =>
    decoded(label, () => decodeTransaction(network, bytes));

  function keep<T>(in_: Map<string, T>, key: string, value: T): void {
    in_.set(key, value);
    const oldest = in_.keys().next().value;
    if (in_.size > KEPT && oldest !== undefined) in_.delete(oldest);
  }

  async function raw(txids: readonly string[]): Promise<readonly (Uint8Array | null)[]> {
    const found = new Map(txids.map((txid) => [txid, kept.get(txid) ?? null] as const));
    const missing = [...found].flatMap(([txid, bytes]) => (bytes === null ? [txid] : []));
    const fetched = await client.transactions(missing);
    for (const [at, bytes] of fetched.entries()) {
      if (bytes === null) continue;
      const txid = missing[at]!;
      found.set(txid, bytes);
      if (bytes.length <= KEPT_BYTES_EACH) keep(kept, txid, bytes);
    }
    return txids.map((txid) => found.get(txid) ?? null);
  }

  async function read(txid: string): Promise<RawTransaction | null> {
    const [bytes] = await raw([txid]);
    if (bytes == null) return null;
    const transaction = decode(bytes);
    if (transaction.txid() !== txid) throw new NodeError(`${label}: answered another transaction than asked`);
    return transaction;
  }

  async function proven(entries: readonly HistoryEntry[]): Promise<readonly ProvenTransaction[]> {
    const placed: (Omit<ProvenTransaction, 'position'> & { entry: HistoryEntry })[] = [];
    await raw(entries.map(({ txid }) => txid));
    for (const entry of entries) {
      if (isTooEasy(network, entry.height))
        throw new NodeError(`${label}: tells of a transaction of ours in a block from before 2023`);
      const header = await headers.at(entry.height);
      if (header === null) throw new NodeLagging(`has no block ${entry.height}`);
      const transaction = await read(entry.txid);
      if (transaction === null) throw new NodeError(`${label}: does not show a transaction of its histories`);
      placed.push({ entry, transaction, header });
    }
    const unproven = placed.filter(({ entry, header }) => !positions.has(`${entry.txid} ${header.hash}`));
    const branches = await client.branches(unproven.map(({ entry }) => entry));
    for (const [at, { entry, transaction, header }] of unproven.entries()) {
      const branch = branches[at]!;
      const { merkleRoot } = header;
      const holds =
        'hashes' in branch && isInBlock(network, { hash: transaction.hash(), branch, merkleRoot });
      if (!holds) {
        histories.doubt(entry.txid);
        throw new NodeError(`${label}: does not prove that a transaction is in block ${entry.height}`);
      }
      keep(positions, `${entry.txid} ${header.hash}`, branch.position);
    }
    return placed.map(({ entry, transaction, header }) => ({
      ...{ transaction, header },
      position: positions.get(`${entry.txid} ${header.hash}`)!,
    }));
  }

  /**
   * By the history of one of its outputs; servers do not tell where a transaction is. Its last outputs first: change is there, while
   * the others may be to somebody with more history than a server tells.
   */
  async function entryOf(txid: string): Promise<HistoryEntry | null> {
    const transaction = await read(txid);
    if (transaction === null) return null;
    const scripts = transaction.outputs.flatMap(({ script }) => (script[0] === OP_RETURN ? [] : [script]));
    const hashes = [...new Set(scripts.map(scriptHashOf))].reverse().slice(0, SCRIPTS_ASKED);
    let problem: unknown = new NodeLagging('has no history of such a transaction');
    for (const hash of hashes)
      try {
        return (await histories.of(hash)).find((entry) => entry.txid === txid) ?? null;
      } catch (error) {
        problem = error;
      }
    throw problem;
  }

  return {
    raw,
    read,
    proven,
    place: async (txid) => {
      const entry = (await histories.find(txid)) ?? (await entryOf(txid));
      if (entry === null) return { state: 'unknown' };
      if (entry.height <= 0) return { state: 'pending' };
      const [{ header }] = (await proven([entry])) as [ProvenTransaction];
      return { state: 'mined', height: header.height, blockHash: header.hash };
    },
  };
}
