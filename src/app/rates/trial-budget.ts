/**
 * How many recipients of a merchant a node may try, so that no merchant overloads a chain's nodes:
 * a token bucket in memory.
 */

import { boundedMap } from '../../domain/bounded-map.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { RecipientPrice } from '../../ports/sending/recipient-pricing.ts';

/** Two whole batches at a time. */
const AT_ONCE = 400;
const PER_SECOND = 50;
/** The lowest balance, below zero: it recovers in under three minutes. */
const OWED_MAX = 8_000;
/** A trial that takes more ordinary payments' gas counts as this many; usual payments take less. */
const DEAR_TIMES = 5n;
/** The extra count of a trial that a node did not finish in time. */
const UNENDED = 9;
const MERCHANTS_MAX = 10_000;

export interface TrialBudget {
  /** How many of `wanted` may be tried now; they are counted. */
  take(merchantId: string, wanted: number): number;
  /** Charges the results of those that were taken: expensive ones count more. */
  tried(merchantId: string, prices: readonly (RecipientPrice | null)[]): void;
}

export function trialBudget(clock: Clock): TrialBudget {
  const buckets = boundedMap<string, { readonly left: number; readonly at: number }>(MERCHANTS_MAX);
  const leftOf = (merchantId: string, at: number): number => {
    const known = buckets.get(merchantId) ?? { left: AT_ONCE, at };
    return Math.min(AT_ONCE, known.left + (Math.max(0, at - known.at) * PER_SECOND) / 1_000);
  };
  return {
    take(merchantId, wanted) {
      const at = clock.now().getTime();
      const left = leftOf(merchantId, at);
      const taken = Math.max(0, Math.min(wanted, Math.floor(left)));
      buckets.set(merchantId, { left: left - taken, at });
      return taken;
    },
    tried(merchantId, prices) {
      const at = clock.now().getTime();
      const spent = prices.reduce((sum, price) => sum + weightOf(price), 0);
      buckets.set(merchantId, { left: Math.max(-OWED_MAX, leftOf(merchantId, at) - spent), at });
    },
  };
}

function weightOf(price: RecipientPrice | null): number {
  if (price === null) return UNENDED;
  const { extraUnits, ordinaryUnits } = price;
  const times = ordinaryUnits <= 0n ? 0n : extraUnits / ordinaryUnits;
  return times < DEAR_TIMES ? 0 : Number(times);
}
