/**
 * A chain's data from an Electrum server (protocol 1.4 of ElectrumX, Fulcrum and electrs), for merchants without a node of their own. It
 * shows no whole blocks: payments are found by the histories of scripts, which it says have changed. Transactions come in consensus
 * bytes; that one is in a block is proven by the block's header.
 */

import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import type { BudgetTime } from '../../shared/nodes/call-log.ts';
import type { NodeEndpoint } from '../../shared/nodes/node-endpoint.ts';
import { NodeError } from '../../shared/nodes/node-errors.ts';
import { decoded, type HistoryBackend, type Mempool } from '../backend.ts';
import { scriptOf } from '../codec/address.ts';
import { refOf } from '../codec/header-proof.ts';
import { decodeTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import { waitingPaying } from '../read/owed.ts';
import { isTxid } from '../rpc/answers.ts';
import { feeRateOfCoins, unitsOfCoins } from '../rpc/fees.ts';
import { electrumClient, type HistoryEntry, scriptHashOf } from './client.ts';
import { type ElectrumTiming, electrumConnection } from './connection.ts';
import { electrumHeaders } from './headers.ts';
import { electrumHistories } from './histories.ts';
import { electrumTransactions } from './transactions.ts';

const TLS_SCHEME = 'ssl:';
const ALREADY_THERE = /already (in|known)|txn-already/i;

export function electrumBackend(options: {
  chain: string;
  network: UtxoNetwork;
  endpoint: NodeEndpoint;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
  logger: Logger;
  timing?: ElectrumTiming;
  time?: BudgetTime;
  /** Whom `ssl://` trusts besides the system's authorities (PEM). */
  authorities?: readonly string[];
}): HistoryBackend {
  const { network, endpoint } = options;
  const { protocol, hostname, port } = new URL(endpoint.url);
  const { certificateSha256 } = endpoint;
  const connection = electrumConnection({
    ...options,
    address: {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port),
      tls: protocol === TLS_SCHEME,
      certificateSha256,
      ...(options.authorities === undefined ? {} : { authorities: options.authorities }),
    },
    notified: (method, params, on) => {
      if (method === 'blockchain.headers.subscribe') headers.notified(params, on);
      if (method === 'blockchain.scripthash.subscribe') histories.notified(params, on);
    },
  });
  const client = electrumClient(connection);
  const { label } = client;
  const headers = electrumHeaders(network, client);
  const histories = electrumHistories({ ...options, client });
  const transactions = electrumTransactions(network, client, { headers, histories });

  /** Script hashes of what is followed: the same thousands of addresses are named in every poll. */
  let hashes: ReadonlyMap<string, string | null> = new Map();

  function hashOf(address: string): string | null {
    const known = hashes.get(address);
    if (known !== undefined) return known;
    const script = scriptOf(network, address);
    return script && scriptHashOf(script);
  }

  const place: HistoryBackend['place'] = async (txid) =>
    isTxid(txid) ? transactions.place(txid) : { state: 'unknown' };

  /** Of what spends the output, the one in a block, or else one that waits; `null` where nothing does. */
  async function spending({ txid, vout }: Outpoint): Promise<HistoryEntry | null> {
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

  /** Whether they are followed or not. */
  const atAnyAddress: Mempool = {
    ofAddress: async (address) => {
      const script = scriptOf(network, address);
      const entries = script === null ? [] : await histories.of(scriptHashOf(script));
      return entries.flatMap(({ txid, height }) => (height <= 0 ? [txid] : []));
    },
  };

  /** Its node may have it some seconds before its histories do. */
  async function isKept(txid: string, refusal: { refused: string } | null): Promise<boolean> {
    if ((await place(txid)).state !== 'unknown') return true;
    const [bytes] = await client.transactions([txid]);
    return bytes != null && (refusal === null || ALREADY_THERE.test(refusal.refused));
  }

  return {
    label,
    place,
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
    mempool: {
      list: async () =>
        (await histories.entries()).flatMap(({ txid, height }) => (height <= 0 ? [txid] : [])),
    },
    follow: async (addresses) => {
      const next = new Map(addresses.map((address) => [address, hashOf(address)] as const));
      hashes = next;
      await histories.follow(
        new Map([...next].flatMap(([address, hash]) => (hash === null ? [] : [[hash, address] as const]))),
      );
    },
    minedWithin: async ({ from, to }) => {
      const entries = await histories.entries();
      return transactions.proven(
        entries.filter(({ height }) => height > 0 && height >= from && height <= to),
      );
    },
    unspent: async (outpoint) => {
      const at = await place(outpoint.txid);
      if (at.state !== 'mined') return null;
      const spender = await spending(outpoint);
      const output = (await transactions.read(outpoint.txid))?.outputs[outpoint.vout];
      if (output === undefined || (spender !== null && spender.height > 0)) return null;
      return { height: at.height, units: output.units };
    },
    waitingPaying: (owed) =>
      waitingPaying(network, { mempool: atAnyAddress, rawTransactions: transactions.raw }, owed),
    spentByWaiting: async (outpoint) => {
      const spender = await spending(outpoint);
      return spender !== null && spender.height <= 0;
    },
    spender: async (outpoints) => {
      for (const outpoint of outpoints) {
        const entry = await spending(outpoint);
        if (entry === null || entry.height <= 0) continue;
        const [found] = await transactions.proven([entry]);
        if (found === undefined) throw new NodeError(`${label}: does not prove who spent a coin`);
        const { height, hash } = found.header;
        return { txid: entry.txid, block: { height, hash } };
      }
      return null;
    },
    feeRate: async (blocks) => feeRateOfCoins(await client.estimateFee(blocks)),
    minimumFeeRate: async () => unitsOfCoins(await client.relayFee()),
    broadcast: async (raw) => {
      const transaction = decoded(label, () => decodeTransaction(network, Buffer.from(raw, 'hex')));
      const refusal = await client.broadcast(raw);
      if (await isKept(transaction.txid(), refusal)) return { kind: 'accepted' };
      for (const outpoint of transaction.inputs()) {
        const spender = await spending(outpoint);
        const gone = (await place(outpoint.txid)).state === 'unknown';
        if (gone || (spender !== null && spender.height > 0)) return { kind: 'sequence_used' };
      }
      return { kind: 'refused', reason: refusal?.refused ?? 'the server did not keep it' };
    },
  };
}
