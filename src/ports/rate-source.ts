/** A public price service. Several are asked and combined (domain/rate-median): no single one sets a price. */
export interface RateSource {
  /** Short name for logs, for example `kraken`. */
  readonly name: string;
  /**
   * Asks once, within the source's own time limit. Prices that are missing or unusable are absent from the quote. Rejects
   * when the service cannot be reached or gives no usable price at all: expected, so callers catch it.
   */
  fetch(): Promise<RateQuote>;
}

/** Prices as exact plain decimals (no sign, no exponent), each above zero. */
export interface RateQuote {
  /** USD per whole coin, by ticker, for example `BTC`. */
  readonly usdPerAsset: ReadonlyMap<string, string>;
  /** Units of the currency per USD, by ISO 4217 code. */
  readonly fiatPerUsd: ReadonlyMap<string, string>;
}
