/** What a sweep may move, and when it pays. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { feeRoom, isWorthSweeping, nextSweepStep } from '../../src/domain/sweep.ts';

const units = fc.bigInt({ min: 0n, max: 10n ** 24n });
const facts = fc.record({
  native: fc.boolean(),
  coveredUnits: units,
  balanceUnits: units,
  gasUnits: units,
  maxFeeUnits: fc.bigInt({ min: 1n, max: 10n ** 20n }),
});

describe('a sweep', () => {
  test('never moves more than is covered, nor more than is there with its fee', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const next = nextSweepStep(given);
        if (next.kind !== 'sweep') return;
        expect(next.units).toBeGreaterThan(0n);
        expect(next.units).toBeLessThanOrEqual(given.coveredUnits);
        const fee = given.native ? feeRoom(given.maxFeeUnits) : 0n;
        expect(next.units + fee).toBeLessThanOrEqual(given.balanceUnits);
        if (!given.native) expect(given.gasUnits).toBeGreaterThanOrEqual(given.maxFeeUnits);
      }),
    );
  });

  test('is topped up for tokens only, and so that the next step is the sweep', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const next = nextSweepStep(given);
        if (next.kind !== 'top_up') return;
        expect(given.native).toBe(false);
        expect(nextSweepStep({ ...given, gasUnits: given.gasUnits + next.units }).kind).toBe('sweep');
      }),
    );
  });

  test('has room for two replacements of a tenth more each', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1_000n, max: 10n ** 24n }), (fee) => {
        const replaced = (of: bigint) => (of * 11n + 9n) / 10n;
        expect(feeRoom(fee)).toBeGreaterThanOrEqual(replaced(replaced(fee)));
      }),
    );
  });

  test('may cost its share of what it brings; when the asset is needed, anything less than that', () => {
    const worth = (costMicroUsd: bigint, needed = false) =>
      isWorthSweeping({ valueMicroUsd: 100_000n, costMicroUsd, sharePpm: 20_000n, needed });
    expect([worth(2_000n), worth(2_001n)]).toEqual([true, false]);
    expect([worth(99_999n, true), worth(100_000n, true)]).toEqual([true, false]);
  });
});
