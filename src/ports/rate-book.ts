/** Prices as the application reads them: from memory, refreshed in the background, never over the network on a request. */
import type { Rates } from '../domain/rate.ts';

export interface RateBook {
  /** The latest prices, however old; `ageSeconds` null and no prices when there never were any. */
  latest(): RatesAt;
  /** The prices a request may be priced with: live needs them younger than 10 minutes, else null; sandbox falls back to the static table. */
  usable(environment: { sandbox: boolean }): Rates | null;
}

export interface RatesAt {
  readonly rates: Rates;
  readonly ageSeconds: number | null;
}
