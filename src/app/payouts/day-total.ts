/**
 * What merchants' payouts of 24 hours come to while a set of them is decided on: read once, and
 * kept up with what the set changes. Payouts count by when they were dispatched, not by when they
 * were made.
 */
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { Repositories } from '../../ports/repositories.ts';

const DAY_MS = 86_400_000;

export interface DayTotals {
  /** Micro-USD of the merchant of `payout` if it goes now, together with `alongside`. */
  with(payout: Payout, alongside: readonly Payout[]): bigint;
  /** A payout of the set is saved as it is now. */
  note(payout: Payout): void;
}

/** `locked`: the payouts of the set. Their merchants' balances are locked. */
export async function dayTotals(
  { payouts }: Pick<Repositories, 'payouts'>,
  locked: readonly Payout[],
  now: Date,
): Promise<DayTotals> {
  const since = new Date(now.getTime() - DAY_MS);
  const merchantIds = [...new Set(locked.map(({ merchantId }) => merchantId))];
  const sums = new Map(await payouts.dispatchedMicroUsd(merchantIds, since));
  const counts = ({ dispatchedAt, held, status }: Payout): boolean =>
    dispatchedAt !== null && dispatchedAt > since && held === null && !CAME_TO_NOTHING.includes(status);
  const counted = new Set(locked.filter(counts).map(({ id }) => id));
  const add = (merchantId: string, microUsd: bigint): void =>
    void sums.set(merchantId, (sums.get(merchantId) ?? 0n) + microUsd);
  return {
    with: ({ id, merchantId, amountMicroUsd }, alongside) =>
      alongside
        .filter((other) => other.merchantId === merchantId && other.id !== id && !counted.has(other.id))
        .reduce(
          (sum, other) => sum + other.amountMicroUsd,
          (sums.get(merchantId) ?? 0n) + (counted.has(id) ? 0n : amountMicroUsd),
        ),
    note(payout) {
      const { id, merchantId, amountMicroUsd } = payout;
      if (counts(payout) === counted.has(id)) return;
      if (counted.delete(id)) add(merchantId, -amountMicroUsd);
      else {
        counted.add(id);
        add(merchantId, amountMicroUsd);
      }
    },
  };
}

const CAME_TO_NOTHING: readonly Payout['status'][] = ['failed', 'cancelled'];
