/** How many recipients a merchant may have a node try, so that nobody keeps a chain's nodes busy: a token bucket, in memory. */

import type { Clock } from '../../ports/runtime/clock.ts';
import type { RecipientPrice } from '../../ports/sending/recipient-pricing.ts';
import { boundedMap } from '../shared/bounded-map.ts';

/** Two whole batches at once. */
const AT_ONCE = 400;
const PER_SECOND = 50;
/** Less than nothing is left by at most so much: it is made good in under three minutes. */
const OWED_MAX = 8_000;
/** From so many ordinary payments' gas on a trial counts as so many; what is usually paid takes less. */
const DEAR_TIMES = 5n;
/** What a trial counts beside itself that a node did not end in time. */
const UNENDED = 9;
const MERCHANTS_MAX = 10_000;

export interface TrialBudget {
  /** How many of `wanted` may be tried now; they are counted. */
  take(merchantId: string, wanted: number): number;
  /** What came of those that were taken: those that keep a node busy count more. */
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
