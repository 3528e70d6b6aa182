/**
 * The lines of a statement, from the merchant's numbered ledger: times never decrease along its
 * numbers, so a month is a range of them.
 */
import type { ledgerEntries } from '../../../../src/adapters/postgres/schema/ledger.ts';
import { startOfDay } from '../../../../src/domain/console/day-figure.ts';
import type { Account } from '../../../../src/domain/ledger.ts';
import type { StatementQueries } from '../../../../src/ports/console/statement-queries.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { merchantFigures } from './merchant-figures.ts';

type Entry = typeof ledgerEntries.$inferSelect;

export function statementQueries(store: MemoryStore): StatementQueries {
  const figures = merchantFigures(store);
  const linesOf = ({ merchantId, sandbox }: Scope) =>
    store.tables.ledgerEntries
      .by('merchantId', merchantId)
      .filter((entry) => entry.sandbox === sandbox && entry.feedSeq !== null)
      .map((entry) => ({ entry, seq: Number(entry.feedSeq) }));
  /** The number of the last line before the day began; 0 if there is none. */
  function lastBefore(scope: Scope, day: number): number {
    const began = startOfDay(day).getTime();
    let [last, latest] = [0, Number.NEGATIVE_INFINITY];
    for (const { entry, seq } of linesOf(scope)) {
      const at = entry.at.getTime();
      if (at < began && (at > latest || (at === latest && seq > last))) [last, latest] = [seq, at];
    }
    return last;
  }
  return {
    statementFrame: async (scope, { first, last }) => ({
      openingMicroUsd: await figures.balanceBefore(scope, first),
      closingMicroUsd: await figures.balanceBefore(scope, last + 1),
      after: lastBefore(scope, first),
      last: lastBefore(scope, last + 1),
    }),
    statementLines: async (scope, { after, last, limit }) =>
      linesOf(scope)
        .filter(({ seq }) => seq > after && seq <= last)
        .sort((a, b) => a.seq - b.seq)
        .slice(0, limit)
        .map(({ entry, seq }) => ({
          seq,
          at: entry.at,
          entry: entry.kind,
          referenceId: entry.feedReferenceId!,
          asset: entry.feedAsset!,
          units: entry.feedAmountUnits!,
          feeMicroUsd: feeOf(store, entry),
          netMicroUsd: sumOf(store, entry, 'merchant'),
        })),
  };
}

/** Of a payout the reserve holds its fee; entries that give it back give the fee back too. */
function feeOf(store: MemoryStore, entry: Entry): bigint {
  const reserved = store.tables.payouts.find(entry.referenceId)?.feeMicroUsd ?? 0n;
  switch (entry.kind) {
    case 'payout_reserved':
    case 'payout_retaken':
    case 'refund':
      return reserved;
    case 'payout_released':
    case 'refund_reversed':
      return -reserved;
    case 'payout_fee_charged':
    case 'refund_fee_charged':
    case 'payout_fee_returned':
    case 'refund_fee_returned':
      return -sumOf(store, entry, 'merchant');
    default:
      return sumOf(store, entry, 'fees');
  }
}

function sumOf({ tables }: MemoryStore, { id }: Entry, of: Account): bigint {
  let sum = 0n;
  for (const { account, currency, amount } of tables.ledgerPostings.by('entryId', id))
    if (account === of && currency === 'USD') sum -= amount;
  return sum;
}
