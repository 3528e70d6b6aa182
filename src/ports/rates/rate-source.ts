/** A public price service. Several are asked and combined (domain/rate-median): no single one sets a price. */
import type { QuotedPrice } from '../../domain/rates/quote-age.ts';

export interface RateSource {
  /** Short name for logs, for example `kraken`. */
  readonly name: string;
  /** A price of a coin that is older, or did not move for so long, does not count (domain/rates/quote-age.ts). */
  readonly windowSeconds: number;
  /**
   * Asks once, within the source's own time limit. Prices that are missing or unusable, or that the service says nobody traded at
   * within a day, are absent from the quote. Rejects when the service cannot be reached or gives no usable price at all: expected,
   * so callers catch it.
   */
  fetch(): Promise<RateQuote>;
}

export interface RateQuote {
  /** USD per whole coin, by our ticker, for example `BTC`. */
  readonly usdPerAsset: ReadonlyMap<string, QuotedPrice>;
  /** Units of the currency per USD, by ISO 4217 code. */
  readonly fiatPerUsd: ReadonlyMap<string, QuotedPrice>;
}
