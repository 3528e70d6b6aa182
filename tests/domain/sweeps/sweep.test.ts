/** What a sweep may move, and when it pays. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  closedSweep,
  endedSweep,
  feeBudget,
  isWorthSweeping,
  nextSweepStep,
  type Sweep,
  usesDelegation,
} from '../../../src/domain/sweeps/sweep.ts';
import { sweepReason } from '../../../src/domain/sweeps/sweep-reason.ts';

const units = fc.bigInt({ min: 0n, max: 10n ** 24n });
const facts = fc.record({
  native: fc.boolean(),
  coveredUnits: units,
  balanceUnits: units,
  gasUnits: units,
  undecidedUnits: units,
  undecidedNativeUnits: units,
  maxFeeUnits: fc.bigInt({ min: 1n, max: 10n ** 20n }),
  enough: fc.boolean(),
  reserveUnits: fc.constant(0n),
  energy: fc.constant(null),
});

/** Amounts of the size of fees, where what is there and what it takes are close. */
const few = fc.bigInt({ min: 0n, max: 300n });
const close = fc.record({
  ...{ coveredUnits: few, balanceUnits: few, gasUnits: few, undecidedUnits: few, undecidedNativeUnits: few },
  ...{ native: fc.boolean(), maxFeeUnits: few, enough: fc.boolean(), reserveUnits: fc.constant(0n) },
  energy: fc.constant(null),
});

describe('a sweep', () => {
  test('never moves more than is covered, nor more than is there with its fee', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const next = nextSweepStep(given);
        if (next.kind !== 'sweep') return;
        expect(next.units).toBeGreaterThan(0n);
        expect(next.units).toBeLessThanOrEqual(given.coveredUnits);
        const fee = given.native ? feeBudget(given.maxFeeUnits, given) : 0n;
        expect(next.units + fee).toBeLessThanOrEqual(given.balanceUnits);
        if (!given.native) expect(given.gasUnits).toBeGreaterThanOrEqual(given.maxFeeUnits);
      }),
    );
  });

  test('leaves what is undecided whole, also where some of what is covered is missing', () => {
    fc.assert(
      fc.property(fc.oneof(facts, close), fc.oneof(units, few), few, (of, coins, stays) => {
        const given = of.native
          ? {
              ...of,
              balanceUnits: coins,
              gasUnits: coins,
              undecidedUnits: stays,
              undecidedNativeUnits: stays,
            }
          : { ...of, gasUnits: coins, undecidedNativeUnits: stays };
        const next = nextSweepStep(given);
        if (next.kind !== 'sweep') return;
        const leaves = of.native ? next.units + feeBudget(of.maxFeeUnits, of) : of.maxFeeUnits;
        if (leaves > 0n) expect(coins - leaves).toBeGreaterThanOrEqual(stays);
        if (!of.native) expect(of.balanceUnits - next.units).toBeGreaterThanOrEqual(of.undecidedUnits);
      }),
    );
  });

  test('waits, and is not over, where all that is there must stay, or where much of that is missing', () => {
    const coins = { native: true, coveredUnits: 9n, gasUnits: 7n, undecidedNativeUnits: 7n };
    const given = {
      ...{ ...coins, balanceUnits: 7n, undecidedUnits: 7n },
      ...{ maxFeeUnits: 8n, enough: true, reserveUnits: 0n, energy: null },
    };
    for (const undecidedUnits of [7n, 70n])
      for (const native of [true, false])
        expect(nextSweepStep({ ...given, native, undecidedUnits })).toEqual({ kind: 'undecided' });
    expect(nextSweepStep({ ...given, coveredUnits: 0n })).toEqual({ kind: 'nothing' });
    expect(nextSweepStep({ ...given, balanceUnits: 0n })).toEqual({ kind: 'nothing' });
    const token = { ...given, native: false, undecidedUnits: 0n };
    expect(nextSweepStep({ ...token, undecidedNativeUnits: 15n })).toEqual({ kind: 'top_up', units: 16n });
    expect(nextSweepStep({ ...token, undecidedNativeUnits: 16n })).toEqual({ kind: 'undecided' });
    expect(nextSweepStep({ ...token, undecidedNativeUnits: 10n ** 20n, energy: 'delegated' })).toEqual({
      ...{ kind: 'sweep', units: 7n },
    });
  });

  test('of a token is sent the gas that it lacks, and no more', () => {
    const token = {
      ...{ native: false, coveredUnits: 5n, balanceUnits: 9n, undecidedUnits: 0n, undecidedNativeUnits: 0n },
      ...{ maxFeeUnits: 100n, enough: true, reserveUnits: 0n, energy: null },
    };
    expect(nextSweepStep({ ...token, gasUnits: 30n })).toEqual({ kind: 'top_up', units: 70n });
    expect(nextSweepStep({ ...token, gasUnits: 130n, undecidedNativeUnits: 60n })).toEqual({
      kind: 'top_up',
      units: 30n,
    });
    expect(nextSweepStep({ ...token, gasUnits: 100n })).toEqual({ kind: 'sweep', units: 5n });
    // Some of what stays is gone: what is sent makes up for it, at once.
    const missing = { ...token, gasUnits: 20n, undecidedNativeUnits: 60n };
    expect(nextSweepStep(missing)).toEqual({ kind: 'top_up', units: 140n });
    expect(nextSweepStep({ ...missing, maxFeeUnits: 0n })).toEqual({ kind: 'sweep', units: 5n });
  });

  test('moves nothing of a coin that does not pay its fee now, and says so', () => {
    const given = {
      native: true,
      coveredUnits: 10n,
      balanceUnits: 10n,
      gasUnits: 10n,
      undecidedUnits: 0n,
      undecidedNativeUnits: 0n,
      maxFeeUnits: 8n,
      enough: false,
      reserveUnits: 0n,
      energy: null,
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
    const dust = { coveredUnits: 1_000n, balanceUnits: 1_001n, gasUnits: 1_001n };
    const given = {
      ...{ ...dust, undecidedUnits: 1n, undecidedNativeUnits: 1n },
      ...{ native: true, maxFeeUnits: 0n, reserveUnits: 100n },
      ...{ enough: false, energy: null },
    };
    expect(nextSweepStep(given)).toEqual({ kind: 'sweep', units: 901n });
    const alone = { ...given, balanceUnits: 1_000n, undecidedUnits: 0n };
    expect(nextSweepStep(alone)).toEqual({ kind: 'sweep', units: 1_000n });
    expect(nextSweepStep({ ...given, reserveUnits: 1_001n })).toEqual({ kind: 'too_dear' });
  });

  test('is topped up for tokens only, and so that the next step is the sweep', () => {
    fc.assert(
      fc.property(fc.oneof(facts, close), (given) => {
        const next = nextSweepStep(given);
        if (next.kind !== 'top_up') return;
        expect(given.native).toBe(false);
        expect(next.units).toBeGreaterThan(0n);
        // Nobody gives back what makes up for coins that are missing.
        expect(next.units).toBeLessThanOrEqual(2n * feeBudget(given.maxFeeUnits, given));
        expect(nextSweepStep({ ...given, gasUnits: given.gasUnits + next.units }).kind).toBe('sweep');
      }),
    );
  });

  test('has room for two replacements of a tenth more each, where the estimate is not enough', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1_000n, max: 10n ** 24n }), (fee) => {
        const replaced = (of: bigint) => (of * 11n + 9n) / 10n;
        expect(feeBudget(fee, { enough: false })).toBeGreaterThanOrEqual(replaced(replaced(fee)));
        expect(feeBudget(fee, { enough: true })).toBe(fee);
      }),
    );
  });

  test('with energy instead of gas is activated, lent to and moved, whatever gas there is', () => {
    fc.assert(
      fc.property(facts, units, (of, stakeUnits) => {
        const given = { ...of, native: false };
        const { kind } = nextSweepStep({ ...given, energy: { stakeUnits, activates: true } });
        if (of.balanceUnits === 0n || of.coveredUnits === 0n) return expect(kind).toBe('nothing');
        if (of.balanceUnits <= of.undecidedUnits) return expect(kind).toBe('undecided');
        expect(nextSweepStep({ ...given, energy: { stakeUnits, activates: true } })).toEqual({
          ...{ kind: 'top_up', units: 1n },
        });
        expect(nextSweepStep({ ...given, energy: { stakeUnits, activates: false } })).toEqual({
          ...{ kind: 'lend', units: stakeUnits },
        });
        const moved = nextSweepStep({ ...given, energy: 'delegated' });
        expect(moved).toEqual({ kind: 'sweep', units: moved.kind === 'sweep' ? moved.units : 0n });
      }),
    );
  });

  test('has energy lent only where that is cheaper, and the stake has it besides what others are to be lent', () => {
    const offer = { burnUnits: 10n, lend: { costUnits: 9n, stakeUnits: 60n, idleUnits: 100n } };
    const takes = (change: Partial<typeof offer.lend>, committed: bigint) =>
      usesDelegation({ ...offer, lend: { ...offer.lend, ...change }, activates: false }, committed);
    expect([takes({}, 40n), takes({}, 41n)]).toEqual([true, false]);
    expect(takes({ costUnits: 10n }, 0n)).toBe(false);
    expect(usesDelegation({ burnUnits: 10n, lend: null, activates: true }, 0n)).toBe(false);
  });

  test('ends only when what it lent is back, and then as its money did', () => {
    const at = new Date(5_000);
    const sweep = sweepOf({ status: 'sweeping', transferId: 'transfer', units: 1n });
    expect(endedSweep(sweep, null, at)).toMatchObject({ status: 'done', endedAt: at });
    expect(endedSweep(sweep, sweepReason('transfer_failed'), at)).toMatchObject({
      status: 'failed',
      endedAt: at,
    });
    for (const failure of [null, sweepReason('transfer_failed')]) {
      const waits = endedSweep(
        { ...sweep, delegationId: 'loan', reason: sweepReason('withheld') },
        failure,
        at,
      );
      expect(waits).toMatchObject({ status: 'reclaiming', reason: failure, endedAt: null });
      const status = failure === null ? 'done' : 'failed';
      expect(closedSweep(waits, at)).toMatchObject({ status, reason: failure, endedAt: at });
    }
  });

  test('may cost its share of what it brings; when the asset is needed, anything less than that', () => {
    const worth = (costMicroUsd: bigint, needed = false) =>
      isWorthSweeping({ valueMicroUsd: 100_000n, costMicroUsd, sharePpm: 20_000n, needed });
    expect([worth(2_000n), worth(2_001n)]).toEqual([true, false]);
    expect([worth(99_999n, true), worth(100_000n, true)]).toEqual([true, false]);
  });
});

function sweepOf(change: Partial<Sweep>): Sweep {
  return {
    ...{
      id: 'sweep',
      chain: 'tron',
      address: 'address',
      asset: 'usdt_tron',
      status: 'planned',
      forced: false,
    },
    ...{
      units: null,
      topupId: null,
      delegationId: null,
      transferId: null,
      undelegationId: null,
      reason: null,
    },
    ...{ createdAt: new Date(0), endedAt: null },
    ...change,
  };
}
