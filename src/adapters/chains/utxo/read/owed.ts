/**
 * Finds transactions by what they pay, whatever they spend: an older database does not know all of
 * our UTXOs (safety.md K4).
 */
import type { OwedPayment } from '../../../../ports/chains/watch-list.ts';
import { inChunks } from '../../shared/chunks.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { inHaste } from '../../shared/nodes/urgency.ts';
import type { Mempool, SpendingBackend, UtxoBackend } from '../backend.ts';
import { addressOf } from '../codec/address.ts';
import type { RawTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import { readable } from './waiting-payments.ts';

const FETCHED_AT_ONCE = 500;

/** The indexes of those that it pays, each by one output of exactly those units. */
export function paidBy(
  { outputs }: RawTransaction,
  network: UtxoNetwork,
  owed: readonly OwedPayment[],
): readonly number[] {
  if (owed.length === 0) return [];
  const units = new Set(owed.map((payment) => payment.units));
  // The units of most outputs differ.
  const paid = outputs.flatMap((output) =>
    units.has(output.units) ? [{ units: output.units, to: addressOf(network, output.script) }] : [],
  );
  return [...owed.keys()].filter((place) =>
    paid.some((each) => each.units === owed[place]!.units && each.to === owed[place]!.to),
  );
}

/**
 * For each of `owed` the ids of waiting transactions that pay it, at a source that lists
 * transactions by recipient.
 */
export async function waitingPaying(
  network: UtxoNetwork,
  source: { mempool: MempoolOf<'ofAddress'>; rawTransactions: UtxoBackend['rawTransactions'] },
  owed: readonly OwedPayment[],
): Promise<readonly (readonly string[])[]> {
  const waiting = new Set<string>();
  for (const to of new Set(owed.map((payment) => payment.to)))
    for (const txid of await source.mempool.ofAddress(to)) waiting.add(txid);
  const paying = await readPaying(network, source, [...waiting], owed);
  return idsFor(owed, network, paying);
}

/** A node with a plan has not read the whole mempool. The next call continues. */
export class StillReading extends NodeLagging {}

/**
 * What the nodes of a chain have read of the mempool together: a transaction that one has shown is
 * not read from another.
 */
export interface SharedReading {
  begun: Reading | null;
}

interface Reading {
  readonly owed: readonly OwedPayment[];
  readonly shown: Set<string>;
  readonly paying: RawTransaction[];
  /** Nodes that have not finished it. */
  readonly readers: Set<object>;
}

/** One node's part in a reading. */
interface Part {
  readonly reading: Reading;
  /**
   * What waited at its beginning. On a slow plan more may come than is read, and what was signed
   * before is among these.
   */
  readonly wanted: ReadonlySet<string>;
  readonly asked: Set<string>;
}

/** The same at a source that lists its whole mempool. Rejects with StillReading. */
export function waitingPayingAmongAll(
  network: UtxoNetwork,
  source: { mempool: MempoolOf<'list'>; rawTransactions: UtxoBackend['rawTransactions'] },
  shared: SharedReading = { begun: null },
): SpendingBackend['waitingPaying'] {
  const { mempool } = source;
  let part: Part | null = null;

  async function read({ reading, asked }: Part, txids: readonly string[]): Promise<void> {
    for (const some of inChunks(txids, FETCHED_AT_ONCE)) {
      for (const [place, raw] of (await source.rawTransactions(some)).entries()) {
        const txid = some[place]!;
        asked.add(txid);
        const transaction = raw && readable(network, raw);
        // Other readers use its result.
        if (transaction?.txid() !== txid) continue;
        reading.shown.add(txid);
        if (paidBy(transaction, network, reading.owed).length > 0) reading.paying.push(transaction);
      }
    }
  }

  return async (owed) => {
    if (owed.length === 0) return [];
    const listed = await mempool.list();
    const before = shared.begun;
    const goesOn = before !== null && owed.every((each) => isAmong(each, before.owed));
    const reading = goesOn
      ? before
      : { owed, shown: new Set<string>(), paying: [], readers: new Set<object>() };
    shared.begun = reading;
    reading.readers.add(source);
    if (part?.reading !== reading) part = { reading, wanted: new Set(listed), asked: new Set() };
    const { wanted, asked } = part;
    const unread = listed.filter((txid) => !asked.has(txid) && !reading.shown.has(txid));
    const later = unread.filter((txid) => !wanted.has(txid));
    const first = unread.filter((txid) => wanted.has(txid));
    const most = mempool.isMetered?.() === true ? FETCHED_AT_ONCE : unread.length;
    const some = [...first, ...later].slice(0, most);
    const ours = part;
    await inHaste({ urgency: 'audit' }, () => read(ours, some));
    if (some.length < first.length)
      throw new StillReading(`has ${first.length - some.length} more transactions that wait, to be read`);
    part = null;
    reading.readers.delete(source);
    if (reading.readers.size === 0) shared.begun = null;
    const waiting = new Set(listed);
    return idsFor(
      owed,
      network,
      reading.paying.filter((transaction) => waiting.has(transaction.txid())),
    );
  };
}

type MempoolOf<Kind extends string> = Extract<Mempool, Readonly<Record<Kind, unknown>>>;

const isAmong = (payment: OwedPayment, owed: readonly OwedPayment[]): boolean =>
  owed.some(({ to, units }) => to === payment.to && units === payment.units);

/** Those of the transactions that pay any of `owed`. */
async function readPaying(
  network: UtxoNetwork,
  { rawTransactions }: Pick<UtxoBackend, 'rawTransactions'>,
  txids: readonly string[],
  owed: readonly OwedPayment[],
): Promise<readonly RawTransaction[]> {
  const raws = await rawTransactions(txids);
  return raws.flatMap((raw) => {
    const transaction = raw && readable(network, raw);
    return transaction !== null && paidBy(transaction, network, owed).length > 0 ? [transaction] : [];
  });
}

function idsFor(
  owed: readonly OwedPayment[],
  network: UtxoNetwork,
  paying: readonly RawTransaction[],
): readonly (readonly string[])[] {
  const found = owed.map((): string[] => []);
  for (const transaction of paying)
    for (const place of paidBy(transaction, network, owed)) found[place]!.push(transaction.txid());
  return found;
}
