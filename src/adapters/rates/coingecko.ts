/**
 * CoinGecko: USD prices averaged over many markets, with their times (api.coingecko.com,
 * "simple/price"). Requests use its coin ids, which stay the same under a new ticker.
 */
import type { CoinSymbol } from '../../domain/catalog/coins.ts';
import { member } from '../../domain/money/lossless-json.ts';
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText, quoted, timeText } from './price-text.ts';

const COIN_IDS: Readonly<Record<CoinSymbol, string>> = {
  BTC: 'bitcoin',
  LTC: 'litecoin',
  BCH: 'bitcoin-cash',
  ETH: 'ethereum',
  USDT: 'tether',
  USDC: 'usd-coin',
  EURC: 'euro-coin',
  DAI: 'dai',
  PYUSD: 'paypal-usd',
  BNB: 'binancecoin',
  POL: 'polygon-ecosystem-token',
  AVAX: 'avalanche-2',
  TRX: 'tron',
  SOL: 'solana',
  XRP: 'ripple',
  TON: 'the-open-network',
  XMR: 'monero',
};

export function coingeckoRates(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'coingecko',
      origin: 'https://api.coingecko.com',
      path: `/api/v3/simple/price?vs_currencies=usd&precision=full&include_last_updated_at=true&ids=${Object.values(COIN_IDS).join(',')}`,
      read: (answer) => ({
        usdPerAsset: priceTable(
          Object.entries(COIN_IDS).map(([symbol, id]) => [
            symbol,
            quoted(priceText(member(answer, id, 'usd')), {
              at: timeText(member(answer, id, 'last_updated_at'), 1000),
            }),
          ]),
        ),
      }),
    },
    options,
  );
}
