/** Prices as the application reads them: from memory, refreshed in the background, never over the network on a request. */
import type { Rates } from '../../domain/rates/rate.ts';

export interface RateBook {
  /** The last price known of each asset, however old; `ageSeconds` is that of the last renewal; null, and no prices, when there never was one. */
  latest(): RatesAt;
  /** The prices a request may be priced with: live needs them younger than 10 minutes, else null; sandbox falls back to the static table. */
  usable(environment: { sandbox: boolean }): Rates | null;
  /** Prices that a deposit may be credited at; an asset whose price is too old for that has none (safety.md P1). */
  crediting(environment: { sandbox: boolean }): Rates;
}

export interface RatesAt {
  readonly rates: Rates;
  readonly ageSeconds: number | null;
}
