/**
 * The prices in memory, from refresh-rates or a static table. Each has its own age, because a
 * renewal may lack some: too old for a new fiat amount after ten minutes (decision 0005), for a
 * credit as configured (safety.md P1).
 */
import type { Rates } from '../../domain/rates/rate.ts';
import type { RateBook } from '../../ports/rates/rate-book.ts';
import type { Clock } from '../../ports/runtime/clock.ts';

const FRESH_SECONDS = 600;
const NONE: Rates = { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() };

export interface WritableRateBook extends RateBook {
  put(rates: Rates): void;
}

type KnownPrices = Map<string, { readonly price: bigint; readonly atMs: number }>;

/**
 * `fixed` is a table that is always fresh (offline use); without it `put` sets the prices. The
 * sandbox has its own fallback.
 */
export function rateBook(options: {
  clock: Clock;
  sandboxTable: Rates;
  fixed: Rates | null;
  /** The highest age of a price that deposits are credited at. */
  creditSeconds: number;
}): WritableRateBook {
  const { clock, sandboxTable, fixed, creditSeconds } = options;
  const usd: KnownPrices = new Map();
  const fiat: KnownPrices = new Map();
  let renewedMs: number | null = null;

  function keep(known: KnownPrices, prices: ReadonlyMap<string, bigint>, atMs: number): void {
    for (const [name, price] of prices) known.set(name, { price, atMs });
  }

  /** Prices of at most this age; null if there is none of any coin. */
  function within(seconds: number): Rates | null {
    const oldestMs = clock.now().getTime() - (seconds + 1) * 1000;
    const young = (known: KnownPrices) =>
      new Map([...known].flatMap(([name, { price, atMs }]) => (atMs > oldestMs ? [[name, price]] : [])));
    const usdPerAssetE18 = young(usd);
    return usdPerAssetE18.size === 0 ? null : { usdPerAssetE18, fiatPerUsdE18: young(fiat) };
  }

  return {
    put(rates) {
      renewedMs = clock.now().getTime();
      keep(usd, rates.usdPerAssetE18, renewedMs);
      keep(fiat, rates.fiatPerUsdE18, renewedMs);
    },
    latest() {
      if (fixed) return { rates: fixed, ageSeconds: 0 };
      if (renewedMs === null) return { rates: NONE, ageSeconds: null };
      const ageSeconds = Math.max(0, Math.floor((clock.now().getTime() - renewedMs) / 1000));
      return { rates: within(Number.POSITIVE_INFINITY) ?? NONE, ageSeconds };
    },
    usable({ sandbox }) {
      if (sandbox) return within(FRESH_SECONDS) ?? sandboxTable;
      return fixed ?? within(FRESH_SECONDS);
    },
    crediting({ sandbox }) {
      if (sandbox) return within(creditSeconds) ?? sandboxTable;
      return fixed ?? within(creditSeconds) ?? NONE;
    },
  };
}
