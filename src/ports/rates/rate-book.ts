/** Prices in memory, refreshed in the background. No request waits for the network. */
import type { Rates } from '../../domain/rates/rate.ts';

export interface RateBook {
  /**
   * The last known prices, however old. `ageSeconds`: since the last renewal; null before the
   * first.
   */
  latest(): RatesAt;
  /**
   * Prices for a request: live needs them younger than 10 minutes, else null; sandbox has a
   * fallback.
   */
  usable(environment: { sandbox: boolean }): Rates | null;
  /** Prices to credit a deposit at; an asset with too old a price has none (safety.md P1). */
  crediting(environment: { sandbox: boolean }): Rates;
}

export interface RatesAt {
  readonly rates: Rates;
  readonly ageSeconds: number | null;
}
