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
  undecidedCoins: units,
  maxFeeUnits: fc.bigInt({ min: 1n, max: 10n ** 20n }),
  reserveUnits: fc.constant(0n),
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

  test('leaves undecided coins whole where what is covered is there besides them', () => {
    fc.assert(
      fc.property(facts, units, (of, moreUnits) => {
        const coins = of.undecidedCoins + moreUnits;
        const given = of.native
          ? { ...of, coveredUnits: moreUnits, balanceUnits: coins, gasUnits: coins }
          : { ...of, gasUnits: coins };
        const next = nextSweepStep(given);
        if (next.kind !== 'sweep') return;
        const leaves = of.native ? next.units + feeRoom(of.maxFeeUnits) : of.maxFeeUnits;
        expect(coins - leaves).toBeGreaterThanOrEqual(of.undecidedCoins);
      }),
    );
  });

  test('moves nothing of a coin that does not pay its fee now, and says so', () => {
    const given = {
      native: true,
      coveredUnits: 10n,
      balanceUnits: 10n,
      gasUnits: 10n,
      undecidedCoins: 0n,
      maxFeeUnits: 8n,
      reserveUnits: 0n,
    };
    expect(nextSweepStep(given)).toEqual({ kind: 'too_dear' });
    expect(nextSweepStep({ ...given, coveredUnits: 0n })).toEqual({ kind: 'nothing' });
    expect(nextSweepStep({ ...given, maxFeeUnits: 4n })).toEqual({ kind: 'sweep', units: 5n });
  });

  test('of a coin leaves an address nothing, or what it must keep', () => {
    fc.assert(
      fc.property(facts, fc.bigInt({ min: 1n, max: 10n ** 24n }), (of, reserveUnits) => {
        const given = { ...of, native: true, maxFeeUnits: 0n, reserveUnits };
        const next = nextSweepStep(given);
        if (next.kind !== 'sweep') return;
        expect(next.units).toBeLessThanOrEqual(given.coveredUnits);
        const left = given.balanceUnits - next.units;
        expect(left === 0n || left >= reserveUnits).toBe(true);
      }),
    );
    const few = { coveredUnits: 1_000n, balanceUnits: 1_001n, gasUnits: 1_001n, undecidedCoins: 1n };
    const given = { ...few, native: true, maxFeeUnits: 0n, reserveUnits: 100n };
    expect(nextSweepStep(given)).toEqual({ kind: 'sweep', units: 901n });
    expect(nextSweepStep({ ...given, balanceUnits: 1_000n })).toEqual({ kind: 'sweep', units: 1_000n });
    expect(nextSweepStep({ ...given, reserveUnits: 1_001n })).toEqual({ kind: 'too_dear' });
  });

  test('is topped up for tokens only, and so that the next step is the sweep', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const next = nextSweepStep(given);
        if (next.kind !== 'top_up') return;
        expect(given.native).toBe(false);
        // Undecided coins that our records have and the chain lacks: more gas than that comes in a second job.
        const { undecidedCoins } = given;
        if (given.gasUnits < undecidedCoins) return;
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
