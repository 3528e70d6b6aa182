/** What the use of a node's plan comes to in a month. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { callsAMonth, costMicroUsd } from '../../../src/domain/chains/node-plan.ts';
import { parseDecimal } from '../../../src/domain/money/decimal.ts';

const price = (text: string) => parseDecimal(text) ?? { digits: 0n, scale: 0 };

test('a month is thirty days at the same pace, and nothing is said from less than ten minutes', () => {
  expect([callsAMonth(1_000, 3_600), callsAMonth(10, 600), callsAMonth(0, 600)]).toEqual([
    720_000, 43_200, 0,
  ]);
  expect(callsAMonth(1_000, 599)).toBeNull();
});

test('a cost is exact and rounded up to the next micro-dollar', () => {
  expect(costMicroUsd(720_000, price('5'))).toBe(3_600_000n);
  expect(costMicroUsd(1, price('0.45'))).toBe(1n);
  expect(costMicroUsd(0, price('0.45'))).toBe(0n);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000_000 }),
      fc.integer({ min: 1, max: 9_999 }),
      (calls, cents) => {
        const cost = costMicroUsd(calls, { digits: BigInt(cents), scale: 2 });
        const exact = BigInt(calls) * BigInt(cents);
        expect(cost * 100n >= exact && cost * 100n < exact + 100n).toBe(true);
      },
    ),
  );
});
