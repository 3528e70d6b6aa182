/**
 * A chain's data from an Electrum server (protocol 1.4 of ElectrumX, Fulcrum and electrs), for
 * merchants without a node of their own. The server shows no whole blocks: payments are found in
 * the histories of scripts, whose changes it announces. Transactions come in consensus bytes, and a
 * Merkle proof against the header shows that one is in a block.
 */

import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import type { TransactionStatus } from '../../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import type { BudgetTime } from '../../shared/nodes/call-log.ts';
import type { NodeEndpoint } from '../../shared/nodes/node-endpoint.ts';
import { NodeError } from '../../shared/nodes/node-errors.ts';
import { decoded, type HistoryBackend, type Mempool, type Spender } from '../backend.ts';
import { scriptOf } from '../codec/address.ts';
import { refOf } from '../codec/header-proof.ts';
import { decodeTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import { waitingPaying } from '../read/owed.ts';
import { isTxid } from '../rpc/answers.ts';
import { feeRateOfCoins, unitsOfCoins } from '../rpc/fees.ts';
import { type ElectrumClient, electrumClient, type HistoryEntry, scriptHashOf } from './client.ts';
import { type ElectrumTiming, electrumConnection } from './connection.ts';
import { type ElectrumHeaders, electrumHeaders } from './headers.ts';
import { type ElectrumHistories, electrumHistories } from './histories.ts';
import { type ElectrumTransactions, electrumTransactions } from './transactions.ts';

const TLS_SCHEME = 'ssl:';
const ALREADY_THERE = /already (in|known)|txn-already/i;

interface Options {
  readonly chain: string;
  readonly network: UtxoNetwork;
  readonly endpoint: NodeEndpoint;
  /** Aborts whatever is under way. */
  readonly closed: AbortSignal;
  readonly logger: Logger;
  readonly timing?: ElectrumTiming;
  readonly time?: BudgetTime;
  /** Whom `ssl://` trusts besides the system's authorities (PEM). */
  readonly authorities?: readonly string[];
}

interface Context {
  readonly network: UtxoNetwork;
  readonly client: ElectrumClient;
  readonly headers: ElectrumHeaders;
  readonly histories: ElectrumHistories;
  readonly transactions: ElectrumTransactions;
}

export function electrumBackend(options: Options): HistoryBackend {
  const { network } = options;
  const context = connected(options);
  const { client, headers, histories, transactions } = context;
  const mempool = waitingAt(context);
  return {
    label: client.label,
    place: (txid) => placeOf(context, txid),
    tip: async () => refOf(await headers.tip()),
    headerAt: async (height) => {
      const found = await headers.at(height);
      return found && refOf(found);
    },
    hashesAt: async (heights) => {
      const hashes: (string | null)[] = [];
      for (const height of heights) hashes.push((await headers.at(height))?.hash ?? null);
      return hashes;
    },
    rawTransactions: transactions.raw,
    mempool: { list: async () => waitingAmong(await histories.entries()) },
    follow: following(context),
    minedWithin: async ({ from, to }) => {
      const entries = await histories.entries();
      return transactions.proven(
        entries.filter(({ height }) => height > 0 && height >= from && height <= to),
      );
    },
    unspent: (outpoint) => unspentOutput(context, outpoint),
    waitingPaying: (owed) => waitingPaying(network, { mempool, rawTransactions: transactions.raw }, owed),
    spentByWaiting: async (outpoint) => {
      const entry = await spending(context, outpoint);
      return entry !== null && entry.height <= 0;
    },
    spender: (outpoints) => spenderOf(context, outpoints),
    feeRate: async (blocks) => feeRateOfCoins(await client.estimateFee(blocks)),
    minimumFeeRate: async () => unitsOfCoins(await client.relayFee()),
    broadcast: (raw) => broadcast(context, raw),
  };
}

function connected(options: Options): Context {
  const { network, endpoint, authorities } = options;
  const { protocol, hostname, port } = new URL(endpoint.url);
  const connection = electrumConnection({
    ...options,
    address: {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port),
      tls: protocol === TLS_SCHEME,
      certificateSha256: endpoint.certificateSha256,
      ...(authorities === undefined ? {} : { authorities }),
    },
    notified: (method, params, on) => {
      if (method === 'blockchain.headers.subscribe') headers.notified(params, on);
      if (method === 'blockchain.scripthash.subscribe') histories.notified(params, on);
    },
  });
  const client = electrumClient(connection);
  const headers = electrumHeaders(network, client);
  const histories = electrumHistories({ ...options, client });
  const transactions = electrumTransactions(network, client, { headers, histories });
  return { network, client, headers, histories, transactions };
}

/** Keeps the script hashes of what is followed: each poll names the same thousands of addresses. */
function following({ network, histories }: Context): HistoryBackend['follow'] {
  let hashes: ReadonlyMap<string, string | null> = new Map();
  const hashOf = (address: string): string | null => {
    const known = hashes.get(address);
    if (known !== undefined) return known;
    const script = scriptOf(network, address);
    return script && scriptHashOf(script);
  };
  return async (addresses) => {
    hashes = new Map(addresses.map((address) => [address, hashOf(address)]));
    await histories.follow(
      new Map([...hashes].flatMap(([address, hash]) => (hash === null ? [] : [[hash, address]]))),
    );
  };
}

/** What waits at any address, followed or not. */
function waitingAt({ network, histories }: Context): Extract<Mempool, { ofAddress: unknown }> {
  return {
    ofAddress: async (address) => {
      const script = scriptOf(network, address);
      return script === null ? [] : waitingAmong(await histories.of(scriptHashOf(script)));
    },
  };
}

function waitingAmong(entries: readonly HistoryEntry[]): string[] {
  return entries.flatMap(({ txid, height }) => (height <= 0 ? [txid] : []));
}

async function placeOf({ transactions }: Context, txid: string): Promise<TransactionStatus> {
  return isTxid(txid) ? transactions.place(txid) : { state: 'unknown' };
}

async function unspentOutput(
  context: Context,
  outpoint: Outpoint,
): Promise<{ height: number; units: bigint } | null> {
  const { transactions } = context;
  const at = await placeOf(context, outpoint.txid);
  if (at.state !== 'mined') return null;
  const entry = await spending(context, outpoint);
  const output = (await transactions.read(outpoint.txid))?.outputs[outpoint.vout];
  if (output === undefined || (entry !== null && entry.height > 0)) return null;
  return { height: at.height, units: output.units };
}

/** What spends the output: a transaction of a block, else one that waits, else null. */
async function spending(
  { histories, transactions }: Context,
  { txid, vout }: Outpoint,
): Promise<HistoryEntry | null> {
  const output = (await transactions.read(txid))?.outputs[vout];
  if (output === undefined) return null;
  const others = (await histories.of(scriptHashOf(output.script))).filter((entry) => entry.txid !== txid);
  await transactions.raw(others.map((entry) => entry.txid));
  for (const entry of others.toSorted((a, b) => b.height - a.height)) {
    const inputs = (await transactions.read(entry.txid))?.inputs() ?? [];
    if (inputs.some((input) => input.txid === txid && input.vout === vout)) return entry;
  }
  return null;
}

async function spenderOf(context: Context, outpoints: readonly Outpoint[]): Promise<Spender | null> {
  const { client, transactions } = context;
  for (const outpoint of outpoints) {
    const entry = await spending(context, outpoint);
    if (entry === null || entry.height <= 0) continue;
    const [found] = await transactions.proven([entry]);
    if (found === undefined) throw new NodeError(`${client.label}: does not prove who spent a coin`);
    const { height, hash } = found.header;
    return { txid: entry.txid, block: { height, hash } };
  }
  return null;
}

async function broadcast(context: Context, raw: string): Promise<BroadcastOutcome> {
  const { network, client } = context;
  const transaction = decoded(client.label, () => decodeTransaction(network, Buffer.from(raw, 'hex')));
  const refusal = await client.broadcast(raw);
  if (await isKept(context, transaction.txid(), refusal)) return { kind: 'accepted' };
  for (const outpoint of transaction.inputs()) {
    const entry = await spending(context, outpoint);
    const gone = (await placeOf(context, outpoint.txid)).state === 'unknown';
    if (gone || (entry !== null && entry.height > 0)) return { kind: 'nonce_used' };
  }
  return { kind: 'refused', reason: refusal?.refused ?? 'the server did not keep it' };
}

/** The server's node may have a transaction some seconds before its histories do. */
async function isKept(
  context: Context,
  txid: string,
  refusal: { readonly refused: string } | null,
): Promise<boolean> {
  if ((await placeOf(context, txid)).state !== 'unknown') return true;
  const [bytes] = await context.client.transactions([txid]);
  return bytes != null && (refusal === null || ALREADY_THERE.test(refusal.refused));
}
