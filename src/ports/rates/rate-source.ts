/** A public price service. The median of several decides (domain/rates/rate-median.ts). */
import type { QuotedPrice } from '../../domain/rates/quote-age.ts';

export interface RateSource {
  /** Short name for logs, for example `kraken`. */
  readonly name: string;
  /** A price that is older, or did not move for so long, is ignored (domain/rates/quote-age.ts). */
  readonly windowSeconds: number;
  /**
   * Asks once, within the source's own time limit. The quote lacks prices that are missing,
   * unusable, or without a trade within a day. Rejects when the service is unreachable or has no
   * usable price: expected, so callers catch it.
   */
  fetch(): Promise<RateQuote>;
}

export interface RateQuote {
  /** USD per whole coin, by our ticker, for example `BTC`. */
  readonly usdPerAsset: ReadonlyMap<string, QuotedPrice>;
  /** Units of the currency per USD, by ISO 4217 code. */
  readonly fiatPerUsd: ReadonlyMap<string, QuotedPrice>;
}
