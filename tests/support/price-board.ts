/** Two price services that say the same, as a test wants it, or are away. */
import type { RateSource } from '../../src/ports/rate-source.ts';

export interface PriceBoard {
  readonly sources: readonly RateSource[];
  /** USD per whole coin, by ticker. */
  set(prices: Readonly<Record<string, string>>): void;
  away(isAway: boolean): void;
}

export function priceBoard(initial: Readonly<Record<string, string>>): PriceBoard {
  let prices = initial;
  let isAway = false;
  const source = (name: string): RateSource => ({
    name,
    async fetch() {
      if (isAway) throw new Error('away');
      return { usdPerAsset: new Map(Object.entries(prices)), fiatPerUsd: new Map([['EUR', '0.9']]) };
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
