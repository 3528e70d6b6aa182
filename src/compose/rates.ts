/**
 * Prices: the static table, or several public sources, refreshed in the background, with the table
 * for the sandbox.
 */
import { publicRateSources } from '../adapters/rates/public-sources.ts';
import { rateBook } from '../app/rates/rate-book.ts';
import { refreshRates } from '../app/rates/refresh-rates.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import type { Config } from '../config/types.ts';
import type { AssetCatalog } from '../domain/catalog/asset.ts';
import { fixedRates, sandboxRates } from '../domain/rates/static-rates.ts';
import type { RateBook } from '../ports/rates/rate-book.ts';
import type { RateSource } from '../ports/rates/rate-source.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { Logger } from '../ports/runtime/logger.ts';

const REFRESH_MS = 60_000;

export interface ComposedRates {
  readonly book: RateBook;
  /** Every role has its own prices: the refresh runs in each process. */
  readonly jobs: readonly WorkerJob[];
}

export function composeRates(
  config: Config,
  parts: { catalog: AssetCatalog; clock: Clock; logger: Logger; sources?: readonly RateSource[] },
): ComposedRates {
  const { catalog, clock, logger } = parts;
  const isStatic = config.rates.source === 'static';
  const book = rateBook({
    clock,
    sandboxTable: sandboxRates(catalog.all, config.rates),
    fixed: isStatic ? fixedRates(catalog.all, config.rates) : null,
    creditSeconds: config.rates.creditMaxAgeSeconds,
  });
  // Without a chain there are no real payments: the sandbox uses its table, and no source is asked.
  const takesLivePayments = config.fakeChains || Object.keys(config.chains).length > 0;
  if (isStatic || !takesLivePayments) return { book, jobs: [] };
  const refresh = refreshRates({
    sources: parts.sources ?? publicRateSources({ tickers: tickersOf(catalog) }),
    assets: catalog.all,
    clock,
    logger,
    put: (rates) => book.put(rates),
  });
  const job = { name: 'refresh-rates', everyMs: REFRESH_MS, run: async () => void (await refresh()) };
  return { book, jobs: [job] };
}

function tickersOf({ all }: AssetCatalog): readonly string[] {
  return [...new Set(all.flatMap(({ rate }) => ('ticker' in rate ? [rate.ticker] : [])))];
}
