/** The prices in memory: filled by refresh-rates or from a static table, and too old after ten minutes (decisions.md, "Errors", 503). */
import type { Rates } from '../domain/rate.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateBook } from '../ports/rate-book.ts';

const FRESH_SECONDS = 600;

export interface WritableRateBook extends RateBook {
  put(rates: Rates): void;
}

/** `fixed` is a table that is always fresh (offline use); without it the prices are those of `put`. The sandbox has its own to fall back to. */
export function rateBook(options: {
  clock: Clock;
  sandboxTable: Rates;
  fixed: Rates | null;
}): WritableRateBook {
  const { clock, sandboxTable, fixed } = options;
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
      if (fixed) return { rates: fixed, ageSeconds: 0 };
      return current === null
        ? { rates: { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() }, ageSeconds: null }
        : { rates: current.rates, ageSeconds: age() };
    },
    usable({ sandbox }) {
      if (sandbox) return fresh() ?? sandboxTable;
      return fixed ?? fresh();
    },
  };
}
