/**
 * Caches the quote of a source that publishes once a day, so that the refresh of every minute does
 * not overload it.
 */
import type { RateQuote, RateSource } from '../../ports/rates/rate-source.ts';

const KEPT_MS = 3_600_000;

/**
 * Asks `source` again once its last quote is an hour old. A failure is not cached.
 * @param nowMs a clock that never goes back; only differences count
 */
export function askedHourly(source: RateSource, nowMs: () => number = () => performance.now()): RateSource {
  let last: { readonly quote: RateQuote; readonly atMs: number } | null = null;
  return {
    name: source.name,
    windowSeconds: source.windowSeconds,
    async fetch() {
      if (last !== null && nowMs() - last.atMs < KEPT_MS) return last.quote;
      const quote = await source.fetch();
      last = { quote, atMs: nowMs() };
      return quote;
    },
  };
}
