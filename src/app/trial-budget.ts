/** How many recipients a merchant may have a node try, so that nobody keeps a chain's nodes busy: a token bucket, in memory. */
import type { Clock } from '../ports/clock.ts';
import { boundedMap } from './bounded-map.ts';

/** Two whole batches at once. */
const AT_ONCE = 400;
const PER_SECOND = 50;
const MERCHANTS_MAX = 10_000;

export interface TrialBudget {
  /** How many of `wanted` may be tried now; they are counted. */
  take(merchantId: string, wanted: number): number;
}

export function trialBudget(clock: Clock): TrialBudget {
  const buckets = boundedMap<string, { readonly left: number; readonly at: number }>(MERCHANTS_MAX);
  return {
    take(merchantId, wanted) {
      const at = clock.now().getTime();
      const known = buckets.get(merchantId) ?? { left: AT_ONCE, at };
      const refilled = Math.min(AT_ONCE, known.left + (Math.max(0, at - known.at) * PER_SECOND) / 1_000);
      const taken = Math.min(wanted, Math.floor(refilled));
      buckets.set(merchantId, { left: refilled - taken, at });
      return taken;
    },
  };
}
