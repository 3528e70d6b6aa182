/**
 * The operator's limits: over one of them a payout is held, exactly at it and after a release it is
 * not.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import {
  limitExceeded,
  type PayoutLimits,
  UNLIMITED_PAYOUTS,
} from '../../../src/domain/payouts/payout-limits.ts';
import { aPayout } from '../../support/builders.ts';

const ASSET = new AssetCatalog().require('usdt_ethereum');
const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });
const limit = fc.option(amount, { nil: null });

const drawn = fc
  .record({
    each: limit,
    day: limit,
    units: limit,
    amountMicroUsd: amount,
    amountUnits: amount,
    others: amount,
  })
  .map(({ each, day, units, others, ...sum }) => {
    const limits: PayoutLimits = {
      ...UNLIMITED_PAYOUTS,
      eachMicroUsd: each,
      dayMicroUsd: day,
      eachUnits: new Map(units === null ? [] : [[ASSET.key, units]]),
    };
    return { limits, payout: aPayout(sum), dayMicroUsd: sum.amountMicroUsd + others };
  });

describe('limits of payouts', () => {
  test('hold exactly what is over one of them', () => {
    fc.assert(
      fc.property(drawn, ({ limits, payout, dayMicroUsd }) => {
        const over =
          (limits.eachMicroUsd !== null && payout.amountMicroUsd > limits.eachMicroUsd) ||
          (limits.dayMicroUsd !== null && dayMicroUsd > limits.dayMicroUsd) ||
          payout.amountUnits > (limits.eachUnits.get(ASSET.key) ?? payout.amountUnits);
        expect(limitExceeded(payout, ASSET, limits, dayMicroUsd) !== null).toBe(over);
      }),
    );
  });

  test('never hold a released one, nor anything when none is set, nor one of another asset', () => {
    fc.assert(
      fc.property(drawn, ({ limits, payout, dayMicroUsd }) => {
        expect(limitExceeded({ ...payout, released: true }, ASSET, limits, dayMicroUsd)).toBeNull();
        expect(limitExceeded(payout, ASSET, UNLIMITED_PAYOUTS, dayMicroUsd)).toBeNull();
        const elsewhere = { ...UNLIMITED_PAYOUTS, eachUnits: new Map([['usdt_tron', 1n]]) };
        expect(limitExceeded(payout, ASSET, elsewhere, dayMicroUsd)).toBeNull();
      }),
    );
  });

  test('exactly at a limit nothing is held, a unit above it is, and the operator reads which one', () => {
    const payout = aPayout({ amountMicroUsd: 5_000_000n, amountUnits: 5_000_000n });
    const told = (limits: Partial<PayoutLimits>, day = 5_000_000n) =>
      limitExceeded(payout, ASSET, { ...UNLIMITED_PAYOUTS, ...limits }, day);
    expect(told({ eachMicroUsd: 5_000_000n })).toBeNull();
    expect(told({ eachMicroUsd: 4_999_999n })).toEqual({
      code: 'limit',
      text: 'limit: more than 4.999999 USD in one payout',
    });
    expect(told({ eachUnits: new Map([[ASSET.key, 5_000_000n]]) })).toBeNull();
    expect(told({ eachUnits: new Map([[ASSET.key, 4_999_999n]]) })?.text).toContain('4.999999 usdt_ethereum');
    expect(told({ dayMicroUsd: 9_000_000n }, 9_000_000n)).toBeNull();
    expect(told({ dayMicroUsd: 9_000_000n }, 9_000_001n)?.text).toContain(
      'of 24 hours come to more than 9 USD',
    );
  });
});
