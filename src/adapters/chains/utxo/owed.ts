/** Transactions that are known by what they pay, whatever they spend: an older database does not know all coins of ours (safety.md K4). */
import type { OwedPayment } from '../../../ports/chain-scanner.ts';
import { inChunks } from '../shared/chunks.ts';
import { NodeBehind } from '../shared/faults.ts';
import { inHaste } from '../shared/urgency.ts';
import { addressOf } from './address.ts';
import type { Mempool, SpendingBackend, UtxoBackend } from './backend.ts';
import type { UtxoNetwork } from './network.ts';
import type { RawTransaction } from './transaction.ts';
import { readable } from './waiting-payments.ts';

const FETCHED_AT_ONCE = 500;

/** The places of those that it pays, each by one output of just those units. */
export function paidBy(
  { outputs }: RawTransaction,
  network: UtxoNetwork,
  owed: readonly OwedPayment[],
): readonly number[] {
  if (owed.length === 0) return [];
  const units = new Set(owed.map((payment) => payment.units));
  // Most outputs differ by their units already.
  const paid = outputs.flatMap((output) =>
    units.has(output.units) ? [{ units: output.units, to: addressOf(network, output.script) }] : [],
  );
  return [...owed.keys()].filter((place) =>
    paid.some((each) => each.units === owed[place]!.units && each.to === owed[place]!.to),
  );
}

/** For each of `owed` the ids of waiting transactions that pay it, at a source that tells them by their recipients. */
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

/** What was found among the transactions that were read. */
interface Reading {
  readonly owed: readonly OwedPayment[];
  /** What waited when it was begun: on a slow plan more may come than is read, and what was signed before has come by then. */
  readonly wanted: ReadonlySet<string>;
  readonly read: Set<string>;
  readonly paying: RawTransaction[];
}

/** The same at a source that lists all that waits. What was read counts for the next call, too. */
export function waitingPayingAmongAll(
  network: UtxoNetwork,
  source: { mempool: MempoolOf<'list'>; rawTransactions: UtxoBackend['rawTransactions'] },
): SpendingBackend['waitingPaying'] {
  const { mempool } = source;
  let begun: Reading | null = null;

  async function readAll({ owed, read, paying }: Reading, txids: readonly string[]): Promise<void> {
    for (const some of inChunks(txids, FETCHED_AT_ONCE)) {
      paying.push(...(await readPaying(network, source, some, owed)));
      for (const txid of some) read.add(txid);
    }
  }

  return async (owed) => {
    if (owed.length === 0) return [];
    const listed = await mempool.list();
    const before = begun;
    const goesOn = before !== null && owed.every((each) => isAmong(each, before.owed));
    const reading: Reading = goesOn ? before : { owed, wanted: new Set(listed), read: new Set(), paying: [] };
    begun = reading;
    const { wanted, read, paying } = reading;
    const unread = listed.filter((txid) => !read.has(txid));
    const later = unread.filter((txid) => !wanted.has(txid));
    const first = unread.filter((txid) => wanted.has(txid));
    const most = mempool.isMetered?.() === true ? FETCHED_AT_ONCE : unread.length;
    const some = [...first, ...later].slice(0, most);
    await inHaste({ urgency: 'audit' }, () => readAll(reading, some));
    if (some.length < first.length)
      throw new NodeBehind(`has ${first.length - some.length} more transactions that wait, to be read`);
    const waiting = new Set(listed);
    begun = null;
    return idsFor(
      owed,
      network,
      paying.filter((transaction) => waiting.has(transaction.txid())),
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
