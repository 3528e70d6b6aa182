/**
 * The price services, each answering from a server on loopback what a test wants, by default what
 * stands in tests/adapters/rates/answers.
 */
import { bitfinexRates } from '../../../src/adapters/rates/bitfinex.ts';
import { coinbaseRates } from '../../../src/adapters/rates/coinbase.ts';
import { coingeckoRates } from '../../../src/adapters/rates/coingecko.ts';
import { frankfurterRates } from '../../../src/adapters/rates/frankfurter.ts';
import type { RateSourceOptions } from '../../../src/adapters/rates/json-rate-source.ts';
import { krakenRates } from '../../../src/adapters/rates/kraken.ts';
import { okxRates } from '../../../src/adapters/rates/okx.ts';
import { openExchangeRateApi } from '../../../src/adapters/rates/open-exchange-rate-api.ts';
import type { QuotedPrice } from '../../../src/domain/rates/quote-age.ts';
import type { RateQuote, RateSource } from '../../../src/ports/rates/rate-source.ts';
import { type ReplayServer, startReplayServer } from '../runtime/replay-server.ts';

const SOURCES: Readonly<Record<string, (options?: RateSourceOptions) => RateSource>> = {
  coinbase: coinbaseRates,
  kraken: krakenRates,
  coingecko: coingeckoRates,
  okx: okxRates,
  bitfinex: bitfinexRates,
  'open-er-api': openExchangeRateApi,
  frankfurter: frankfurterRates,
};
export const SOURCE_NAMES = Object.keys(SOURCES);

const recorded = (name: string) =>
  Bun.file(new URL(`../../adapters/rates/answers/${name}.json`, import.meta.url)).text();
const pricesOf = (table: ReadonlyMap<string, QuotedPrice>) =>
  new Map([...table].map(([name, { price }]) => [name, price]));

/** One server at a time: a new one ends the one before. */
export function rateServices() {
  let server: ReplayServer | null = null;
  async function stop(): Promise<void> {
    await server?.stop();
    server = null;
  }

  async function answering(
    name: string,
    answer: string | (() => Response | Promise<Response>),
    timeoutMs = 2_000,
  ): Promise<RateSource> {
    await stop();
    server = startReplayServer(typeof answer === 'string' ? () => new Response(answer) : answer);
    return SOURCES[name]!({ origin: server.origin, timeoutMs });
  }
  const quotedBy = async (name: string, answer?: string): Promise<RateQuote> =>
    (await answering(name, answer ?? (await recorded(name)))).fetch();

  return {
    stop,
    answering,
    quotedBy,
    /** The prices alone. */
    async pricesBy(name: string, answer?: string) {
      const { usdPerAsset, fiatPerUsd } = await quotedBy(name, answer);
      return { usdPerAsset: pricesOf(usdPerAsset), fiatPerUsd: pricesOf(fiatPerUsd) };
    },
    /** Path and query of what was asked of the last one. */
    asked: (): readonly string[] => server?.asked ?? [],
  };
}
