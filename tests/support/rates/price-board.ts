/** Two price services that say the same, as a test wants it, or are away. */

import type { RateSource } from '../../../src/ports/rates/rate-source.ts';
import type { Clock } from '../../../src/ports/runtime/clock.ts';

export interface PriceBoard {
  readonly sources: readonly RateSource[];
  /** USD per whole coin, by ticker. */
  set(prices: Readonly<Record<string, string>>): void;
  away(isAway: boolean): void;
}

/** Each answer is of a trade of the moment. */
export function priceBoard(clock: Clock, initial: Readonly<Record<string, string>>): PriceBoard {
  let prices = initial;
  let isAway = false;
  const source = (name: string): RateSource => ({
    name,
    windowSeconds: 900,
    async fetch() {
      if (isAway) throw new Error('away');
      const now = clock.now();
      const quoted = Object.entries(prices).map(
        ([ticker, price]) => [ticker, { price, at: now, mark: `${price} ${now.getTime()}` }] as const,
      );
      return { usdPerAsset: new Map(quoted), fiatPerUsd: new Map() };
    },
  });
  return {
    sources: [source('one'), source('other')],
    set(next) {
      prices = next;
    },
    away(away) {
      isAway = away;
    },
  };
}
