/**
 * The calls a second that a node takes, as its refusals teach (safety.md R7). A refusal lowers the
 * rate. Time without a refusal raises it again.
 */

/** No refusal lowers the rate further. */
export const RATE_MIN = 0.5;
/** A refusal lowers the rate to this share of what was asked, or of what was answered. */
const OF_ASKED = 0.75;
const OF_ANSWERED = 0.9;
const OF_ASKED_AT_LEAST = 0.25;
/** Without a refusal the rate rises by so much, once in so many milliseconds. */
const RAISED_BY = 0.1;
const RAISED_AT_LEAST_BY = 0.5;
const RAISE_EVERY_MS = 2_000;
/**
 * For a while the rate stays below the one that was refused. The while doubles each time.
 */
const BELOW_REFUSED = 0.95;
const REMEMBERED_MS = 300_000;
const REMEMBERED_MAX_MS = 3_600_000;

export interface LearntRate {
  /** Infinite until a refusal teaches one. */
  perSecond: number;
  /** When the rate changed last. All times are monotonic milliseconds. */
  changedAt: number;
  /** Whether a refusal has taught since the last answer. */
  isTaught: boolean;
  /** The rate that was refused last, and until when the learnt one stays below it. */
  refused: { readonly rate: number; readonly until: number; readonly forMs: number };
}

export function nothingLearnt(): LearntRate {
  return {
    perSecond: Number.POSITIVE_INFINITY,
    changedAt: 0,
    isTaught: false,
    refused: { rate: Number.POSITIVE_INFINITY, until: 0, forMs: 0 },
  };
}

/**
 * Lowers the rate. `asked`, `answered`: calls in the second before the refusal.
 */
export function lowerRate(
  learnt: LearntRate,
  { asked, answered }: { asked: number; answered: number },
  now: number,
): void {
  const served = Math.max(answered * OF_ANSWERED, asked * OF_ASKED_AT_LEAST);
  learnt.perSecond = Math.max(RATE_MIN, Math.min(asked * OF_ASKED, served));
  learnt.changedAt = now;
  // A second refusal without an answer between says that the node is closed, and nothing of a rate.
  if (learnt.isTaught) return;
  learnt.isTaught = true;
  const { forMs } = learnt.refused;
  const longer = Math.min(REMEMBERED_MAX_MS, Math.max(REMEMBERED_MS, 2 * forMs));
  learnt.refused = { rate: asked, until: now + longer, forMs: longer };
}

/** Raises the rate after an answer, where the last change is long enough ago. */
export function raiseRate(learnt: LearntRate, now: number): void {
  learnt.isTaught = false;
  const { perSecond, refused } = learnt;
  if (perSecond === Number.POSITIVE_INFINITY || now - learnt.changedAt < RAISE_EVERY_MS) return;
  learnt.changedAt = now;
  const raised = perSecond + Math.max(RAISED_AT_LEAST_BY, perSecond * RAISED_BY);
  const most = now < refused.until ? refused.rate * BELOW_REFUSED : Number.POSITIVE_INFINITY;
  learnt.perSecond = Math.max(perSecond, Math.min(raised, most));
}
