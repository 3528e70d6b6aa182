/**
 * Asks every price source in parallel and puts the agreed prices into the rate book. One missing
 * source does not matter.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import {
  freshness,
  type QuotedPrice,
  standingOf,
  type UnchangedPrice,
} from '../../domain/rates/quote-age.ts';
import { assetPrices, type Rates } from '../../domain/rates/rate.ts';
import { combineDoubtful, type QuotedPrices } from '../../domain/rates/rate-median.ts';
import type { RateQuote, RateSource } from '../../ports/rates/rate-source.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';

/** Fiat rates do not move over weekends and holidays, and some sources publish them once a day. */
const FIAT_WINDOW_SECONDS = 6 * 86_400;

/**
 * Returns whether the prices were renewed: false if no asset has an agreed price; then the old ones
 * age.
 */
export function refreshRates(deps: {
  sources: readonly RateSource[];
  assets: readonly Pick<Asset, 'key' | 'rate' | 'enabled'>[];
  clock: Clock;
  logger: Logger;
  put(rates: Rates): void;
}): () => Promise<boolean> {
  /** Assets that had a price, or whose lack of one was logged. */
  const settled = new Set<string>();
  const watched = deps.sources.map((source) => ({ source, fresh: freshOf(source, deps.clock) }));
  return async () => {
    const answers = await Promise.all(
      watched.map(async ({ source, fresh }) => {
        const quote = await quoteOf(source, deps.logger);
        return quote === null ? null : fresh(quote);
      }),
    );
    const told = answers.filter((answer) => answer !== null);
    const { usdPerAsset, fiatPerUsd } = combineDoubtful(
      told.map(({ proven }) => proven),
      told.map(({ all }) => all),
    );
    // Pegged prices wait with the others: without a quote of any coin something is wrong here.
    if (usdPerAsset.size === 0) {
      deps.logger.warn('rates.not_renewed');
      return false;
    }
    const prices = assetPrices(deps.assets, usdPerAsset, fiatPerUsd);
    deps.put({ usdPerAssetE18: prices, fiatPerUsdE18: fiatPerUsd });
    for (const { key, enabled } of deps.assets) {
      if (enabled && !settled.has(key) && !prices.has(key))
        deps.logger.warn('rates.asset_unpriced', { asset: key });
      settled.add(key);
    }
    return true;
  };
}

/**
 * Leaves out old prices, and separates proven ones. Remembers since when each price of the source
 * is unchanged.
 */
function freshOf({ windowSeconds }: RateSource, clock: Clock) {
  const coins = watch(clock, windowSeconds);
  const currencies = watch(clock, FIAT_WINDOW_SECONDS);
  return ({ usdPerAsset, fiatPerUsd }: RateQuote): { proven: QuotedPrices; all: QuotedPrices } => {
    const [ofCoins, ofCurrencies] = [coins(usdPerAsset), currencies(fiatPerUsd)];
    return {
      proven: { usdPerAsset: ofCoins.proven, fiatPerUsd: ofCurrencies.proven },
      all: { usdPerAsset: ofCoins.all, fiatPerUsd: ofCurrencies.all },
    };
  };
}

function watch(clock: Clock, windowSeconds: number) {
  const standings = new Map<string, UnchangedPrice>();
  return (prices: ReadonlyMap<string, QuotedPrice>) => {
    const nowMs = clock.now().getTime();
    const [proven, all] = [new Map<string, string>(), new Map<string, string>()];
    for (const [name, quoted] of prices) {
      const standing = standingOf(standings.get(name), quoted, nowMs);
      standings.set(name, standing);
      const how = freshness(quoted, standing, nowMs, windowSeconds);
      if (how !== null) all.set(name, quoted.price);
      if (how === 'proven') proven.set(name, quoted.price);
    }
    return { proven, all };
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
