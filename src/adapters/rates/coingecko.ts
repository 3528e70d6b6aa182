/** CoinGecko: USD prices averaged over many markets (api.coingecko.com, "simple/price"), asked for by its own coin ids. */
import { member } from '../../domain/numbers-as-text.ts';
import type { RateSource } from '../../ports/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText } from './price-text.ts';

const COIN_IDS = {
  BTC: 'bitcoin',
  LTC: 'litecoin',
  BCH: 'bitcoin-cash',
  ETH: 'ethereum',
  USDT: 'tether',
  USDC: 'usd-coin',
  BNB: 'binancecoin',
  POL: 'polygon-ecosystem-token',
  AVAX: 'avalanche-2',
  TRX: 'tron',
  SOL: 'solana',
  XRP: 'ripple',
  TON: 'the-open-network',
  XMR: 'monero',
} as const;

export function coingeckoRates(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'coingecko',
      origin: 'https://api.coingecko.com',
      path: `/api/v3/simple/price?vs_currencies=usd&precision=full&ids=${Object.values(COIN_IDS).join(',')}`,
      read: (answer) => ({
        usdPerAsset: priceTable(
          Object.entries(COIN_IDS).map(([symbol, id]) => [symbol, priceText(member(answer, id, 'usd'))]),
        ),
      }),
    },
    options,
  );
}
