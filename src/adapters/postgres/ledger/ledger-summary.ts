/** The effect of entries on the merchant's summary: the balance that decides about payouts. */
import type { EntryKind } from '../../../domain/ledger.ts';
import type { NewEntry } from '../../../ports/ledger-repository.ts';

export type SummaryColumn = 'income' | 'payouts' | 'refunds';
/** The summary column for an entry's posting to the merchant's account. */
const SUMMARY_COLUMN: Record<EntryKind, SummaryColumn | null> = {
  deposit_arrived: null,
  deposit_departed: null,
  income: 'income',
  income_reversed: 'income',
  hold: null,
  hold_reversed: null,
  payout_reserved: 'payouts',
  payout_retaken: 'payouts',
  payout_settled: null,
  payout_unsettled: null,
  payout_released: 'payouts',
  payout_fee_charged: 'payouts',
  payout_fee_returned: 'payouts',
  refund: 'refunds',
  refund_settled: null,
  refund_unsettled: null,
  refund_reversed: 'refunds',
  refund_fee_charged: 'refunds',
  refund_fee_returned: 'refunds',
  network_fee: null,
  network_fee_reversed: null,
  capital: null,
  forward: null,
  forward_reversed: null,
};

/**
 * The change of the merchant's summary by an entry, in micro-USD: only from its postings to the
 * merchant's account.
 */
export function summaryChange(entry: NewEntry): { column: SummaryColumn | null; change: bigint } {
  const owed = entry.postings
    .filter((posting) => posting.account === 'merchant')
    .reduce((sum, posting) => sum - posting.amount, 0n);
  const column = SUMMARY_COLUMN[entry.kind];
  const change = column === 'income' ? owed : -owed;
  if (column === null && owed !== 0n)
    throw new Error(`a ${entry.kind} entry must not touch the merchant's account`);
  if (entry.feed !== null && entry.feed.microUsd !== change) {
    throw new Error(
      `entry ${entry.id}: the feed says ${entry.feed.microUsd} micro-USD, the postings ${change}`,
    );
  }
  return { column, change };
}
