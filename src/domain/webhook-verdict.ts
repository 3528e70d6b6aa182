/** What an answer means for a delivery, and when the next attempt is due (specification, "Delivery" 3). */

export function verdictOf(status: number): 'delivered' | 'rejected' | 'retry' {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status) ? 'rejected' : 'retry';
}

const DELAYS_SECONDS = [30, 60, 120, 300, 600, 1200, 2400, 4800, 9600] as const;

/** Seconds until the attempt after `attempt` (from 1), or null when that was the last of ten. */
export function retryDelaySeconds(attempt: number): number | null {
  return DELAYS_SECONDS[attempt - 1] ?? null;
}
