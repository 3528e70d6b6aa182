import type { TimesOver } from '../kept-times.ts';

/**
 * Removes what the log of webhooks was kept for long enough. Numbers of events and attempts stay
 * dense: the oldest go, up to the first that is still needed, and a list begins after them. Inside
 * UnitOfWork.run only. Each returns how many rows it removed, at most `limit`.
 */
export interface WebhookRetention {
  /** Attempts that were sent then. */
  removeAttempts(over: TimesOver, limit: number): Promise<number>;
  /**
   * Events of then, with their deliveries and what was given up of them. One that is still to be
   * delivered, was given up later, or has an attempt is kept, and so are all after it.
   */
  removeEvents(over: TimesOver, limit: number): Promise<number>;
  /** Deliveries of then that are no event: replays. Which of them are kept is the same. */
  removeReplays(over: TimesOver, limit: number): Promise<number>;
}
