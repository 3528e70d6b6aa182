/** Asks every price source at once and puts what enough of them agree on into the rate book; one that is away does not matter. */
import type { Asset } from '../domain/asset.ts';
import type { Rates } from '../domain/rate.ts';
import { type CombinedPrices, combineQuotes } from '../domain/rate-median.ts';
import type { Logger } from '../ports/logger.ts';
import type { RateQuote, RateSource } from '../ports/rate-source.ts';

/** Answers whether the prices were renewed: not when no asset has an agreed price, and then the old ones age. */
export function refreshRates(deps: {
  sources: readonly RateSource[];
  assets: readonly Asset[];
  logger: Logger;
  put(rates: Rates): void;
}): () => Promise<boolean> {
  return async () => {
    const quotes = await Promise.all(deps.sources.map((source) => quoteOf(source, deps.logger)));
    const combined = combineQuotes(quotes.filter((quote) => quote !== null));
    const rates = ratesFrom(combined, deps.assets);
    if (rates.usdPerAssetE18.size === 0) {
      deps.logger.warn('rates.not_renewed');
      return false;
    }
    deps.put(rates);
    return true;
  };
}

async function quoteOf(source: RateSource, logger: Logger): Promise<RateQuote | null> {
  try {
    return await source.fetch();
  } catch (error) {
    logger.warn('rates.source_away', { source: source.name, reason: String(error) });
    return null;
  }
}

/** Assets of one ticker have one price, whatever their chain. */
function ratesFrom(combined: CombinedPrices, assets: readonly Asset[]): Rates {
  const usd = new Map<string, bigint>();
  for (const asset of assets) {
    const price = combined.usdPerAsset.get(asset.symbol);
    if (price !== undefined) usd.set(asset.key, price);
  }
  return { usdPerAssetE18: usd, fiatPerUsdE18: combined.fiatPerUsd };
}
