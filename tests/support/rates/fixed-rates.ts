/** Rate books that say one thing: given prices, or none. */
import type { Rates } from '../../../src/domain/rates/rate.ts';
import type { RateBook } from '../../../src/ports/rates/rate-book.ts';

/** These prices, 5 seconds old, for everybody. */
export const fixedBook = (rates: Rates): RateBook => ({
  latest: () => ({ rates, ageSeconds: 5 }),
  usable: () => rates,
  crediting: () => rates,
});

const NONE: Rates = { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() };
/** No price was ever known, and the sandbox has no table. */
export const NO_RATES: RateBook = {
  latest: () => ({ rates: NONE, ageSeconds: null }),
  usable: () => null,
  crediting: () => NONE,
};
