/**
 * What an answer means for a webhook delivery, and when the next attempt is due (specification,
 * "Delivery" 3).
 */

export type WebhookVerdict = 'delivered' | 'rejected' | 'retry';

/** Answers of the 4xx class that ask to come back later. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/** Seconds to wait after attempt 1, 2, ... 9. */
const DELAYS_SECONDS = [30, 60, 120, 300, 600, 1200, 2400, 4800, 9600] as const;

export const WEBHOOK_ATTEMPTS_MAX = DELAYS_SECONDS.length + 1;

/**
 * `delivered` and `rejected` end the delivery; a redirect is not followed and is retried like any
 * other answer.
 */
export function verdictOf(status: number): WebhookVerdict {
  if (status >= 200 && status < 300) return 'delivered';
  if (status >= 400 && status < 500 && !LATER.has(status)) return 'rejected';
  return 'retry';
}

/**
 * Seconds until the attempt after number `attempt` (from 1), or null when that was the last one.
 */
export function retryDelaySeconds(attempt: number): number | null {
  if (!Number.isInteger(attempt) || attempt < 1)
    throw new RangeError(`attempts count from 1, got ${attempt}`);
  return DELAYS_SECONDS[attempt - 1] ?? null;
}
