/** The prices in memory: filled by refresh-rates or from a static table, and too old after ten minutes (decisions.md, "Errors", 503). */
import type { Rates } from '../domain/rate.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateBook } from '../ports/rate-book.ts';

const FRESH_SECONDS = 600;

export interface WritableRateBook extends RateBook {
  put(rates: Rates): void;
}

/** With `live: 'static'` the table is always fresh, for both environments (offline use). */
export function rateBook(options: {
  clock: Clock;
  staticTable: Rates;
  live: 'static' | 'refreshed';
}): WritableRateBook {
  const { clock, staticTable } = options;
  let current: { readonly rates: Rates; readonly at: number } | null = null;
  const age = () =>
    current === null ? null : Math.max(0, Math.floor((clock.now().getTime() - current.at) / 1000));
  const fresh = () => {
    const seconds = age();
    return current !== null && seconds !== null && seconds <= FRESH_SECONDS ? current.rates : null;
  };
  return {
    put(rates) {
      current = { rates, at: clock.now().getTime() };
    },
    latest() {
      if (options.live === 'static') return { rates: staticTable, ageSeconds: 0 };
      return current === null
        ? { rates: { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() }, ageSeconds: null }
        : { rates: current.rates, ageSeconds: age() };
    },
    usable({ sandbox }) {
      if (options.live === 'static') return staticTable;
      return fresh() ?? (sandbox ? staticTable : null);
    },
  };
}
