/** What merchants' payouts of 24 hours come to while a set of them is decided on. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { dayTotals } from '../../../src/app/payouts/day-total.ts';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import { aPayout } from '../../support/builders.ts';

const NOW = new Date('2026-01-02T00:00:00Z');
const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000);

const state = fc.record({
  dispatchedAt: fc.constantFrom(null, hoursAgo(0), hoursAgo(23), hoursAgo(25)),
  held: fc.constantFrom(null, heldFor('limit')),
});
const stored = fc.record({ merchantId: fc.constantFrom('a', 'b'), amountMicroUsd: fc.bigInt(1n, 9n), state });

/** What the database would answer now. */
function sums(payouts: readonly Payout[], since: Date): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const { merchantId, amountMicroUsd, dispatchedAt, held } of payouts)
    if (dispatchedAt !== null && dispatchedAt > since && held === null)
      totals.set(merchantId, (totals.get(merchantId) ?? 0n) + amountMicroUsd);
  return totals;
}

describe('the total of a day', () => {
  test('is what the database would answer after each save, with the payout that is to go', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stored, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(), state), { maxLength: 8 }),
        async (rows, saves) => {
          const all = rows.map(({ state: given, ...row }) => aPayout({ ...row, ...given }));
          const payouts = { dispatchedMicroUsd: async (_: unknown, since: Date) => sums(all, since) };
          // The last row is of no set: the sums alone have it.
          const set = () => all.slice(0, Math.max(1, all.length - 1));
          const totals = await dayTotals({ payouts: payouts as never }, set(), NOW);
          for (const [nth, change] of saves) {
            const at = nth % set().length;
            all[at] = { ...all[at]!, ...change };
            totals.note(all[at]);
            for (const payout of set()) {
              const others = all.filter(({ id }) => id !== payout.id);
              const expected =
                (sums(others, hoursAgo(24)).get(payout.merchantId) ?? 0n) + payout.amountMicroUsd;
              expect(totals.with(payout, [])).toBe(expected);
            }
          }
        },
      ),
    );
  });

  test('has each of those that go alongside once', async () => {
    const [first, second, other] = [
      aPayout({ merchantId: 'a', amountMicroUsd: 3n, dispatchedAt: hoursAgo(1) }),
      aPayout({ merchantId: 'a', amountMicroUsd: 5n, dispatchedAt: null }),
      aPayout({ merchantId: 'b', amountMicroUsd: 7n, dispatchedAt: null }),
    ];
    const payouts = { dispatchedMicroUsd: async () => new Map([['a', 3n]]) };
    const totals = await dayTotals({ payouts: payouts as never }, [first, second, other], NOW);
    expect(totals.with(second, [first, other])).toBe(8n);
    expect(totals.with(first, [second])).toBe(8n);
  });
});
