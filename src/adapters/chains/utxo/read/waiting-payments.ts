/**
 * Payments that wait in a mempool. Every poll reads a bounded number of transactions, new ones
 * first, and remembers a few bytes of the id of each. Payments to us are kept until they no longer
 * wait.
 */
import type { Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { UtxoBackend } from '../backend.ts';
import { MalformedBytes } from '../codec/byte-reader.ts';
import { decodeTransaction, type RawTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import { type Placed, paymentsIn } from './payments.ts';

/** Transactions fetched in one poll: some megabytes. */
const FETCHED_AT_ONCE = 2_000;
/** Ids that are remembered. A mempool holds some 300,000 at most. */
const LISTED_MAX = 500_000;
/** Addresses asked about in one poll, where a server does not list its whole mempool. */
const ADDRESSES_AT_ONCE = 20;
/** Known payments of which such a poll checks whether they still wait. */
const LOOKED_UP_AT_ONCE = 50;

export interface WaitingPayments {
  /**
   * Null at a node whose plan would be charged for each transaction of the whole network: its calls
   * are for blocks.
   */
  read(backend: UtxoBackend, watch: WatchList): Promise<readonly Transfer[] | null>;
}

export function waitingPayments(options: { network: UtxoNetwork; asset: string }): WaitingPayments {
  const { network } = options;
  /** By id: those that paid one of our addresses when they were first seen. */
  const paying = new Map<string, RawTransaction>();
  /**
   * What the last list held, and whether it was fetched. Of each id 52 bits are kept: of two ids
   * that share these, the second is found when it is mined.
   */
  let listed = new Map<number, boolean>();
  /** The last address of the previous round. */
  let turn = '';

  async function fetched(backend: UtxoBackend, txids: readonly string[]): Promise<readonly RawTransaction[]> {
    const raws = await backend.rawTransactions(txids);
    return raws.flatMap((raw) => (raw === null ? [] : (readable(network, raw) ?? [])));
  }

  async function keepPaying(transactions: readonly RawTransaction[], watch: WatchList): Promise<void> {
    const payments = await paymentsIn(transactions.map(asWaiting), { ...options, watch });
    for (const [position, transaction] of transactions.entries())
      if (payments[position]!.length > 0) paying.set(transaction.txid(), transaction);
  }

  async function readList(backend: UtxoBackend, txids: readonly string[], watch: WatchList): Promise<void> {
    const now = new Map<number, boolean>();
    const fresh: string[] = [];
    const leftOver: string[] = [];
    for (const txid of txids.slice(0, LISTED_MAX)) {
      const beginning = beginningOf(txid);
      const fetchedBefore = listed.get(beginning);
      if (fetchedBefore !== true) (fetchedBefore === undefined ? fresh : leftOver).push(txid);
      now.set(beginning, fetchedBefore === true);
    }
    const wanted = [...fresh, ...leftOver].slice(0, FETCHED_AT_ONCE);
    await keepPaying(await fetched(backend, wanted), watch);
    for (const txid of wanted) now.set(beginningOf(txid), true);
    listed = now;
    const present = new Set(paying.size === 0 ? [] : txids);
    for (const txid of paying.keys()) if (!present.has(txid)) paying.delete(txid);
  }

  async function readAddresses(
    backend: UtxoBackend,
    ofAddress: (address: string) => Promise<readonly string[]>,
    watch: WatchList,
  ): Promise<void> {
    const expecting = (await watch.expectingNative()).toSorted();
    const after = expecting.filter((address) => address > turn);
    const round = [...after, ...expecting.slice(0, expecting.length - after.length)].slice(
      0,
      ADDRESSES_AT_ONCE,
    );
    turn = round.at(-1) ?? '';
    const found = new Set<string>();
    for (const address of round) for (const txid of await ofAddress(address)) found.add(txid);
    await keepPaying(
      await fetched(
        backend,
        [...found].filter((txid) => !paying.has(txid)),
      ),
      watch,
    );
    const unlisted = [...paying].filter(([txid]) => !found.has(txid)).slice(0, LOOKED_UP_AT_ONCE);
    for (const [txid, transaction] of unlisted) {
      const { state } = await backend.place(txid);
      paying.delete(txid);
      // Moves to the end: the others come first in the next poll.
      if (state === 'pending') paying.set(txid, transaction);
    }
  }

  return {
    read: async (backend, watch) => {
      const { mempool } = backend;
      if ('list' in mempool) {
        if (mempool.isMetered?.() === true) return null;
        await readList(backend, await mempool.list(), watch);
      } else await readAddresses(backend, mempool.ofAddress, watch);
      const payments = await paymentsIn([...paying.values()].map(asWaiting), { ...options, watch });
      return payments.flat();
    },
  };
}

/**
 * Null for a transaction of an unknown kind: one can be put there on purpose, and must not hide the
 * others.
 */
export function readable(network: UtxoNetwork, raw: Uint8Array): RawTransaction | null {
  try {
    return decodeTransaction(network, raw);
  } catch (error) {
    if (error instanceof MalformedBytes) return null;
    throw error;
  }
}

function asWaiting(transaction: RawTransaction): Placed {
  return { transaction, block: null };
}

function beginningOf(txid: string): number {
  return Number.parseInt(txid.slice(0, 13), 16);
}
