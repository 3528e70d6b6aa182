/** Kraken: the last trade of each USD pair (api.kraken.com, "Ticker"). All pairs are asked for: naming one that is gone fails the whole request. */
import { member } from '../../domain/numbers-as-text.ts';
import type { RateSource } from '../../ports/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText } from './price-text.ts';

/** Old listings have Kraken's four-letter asset codes, newer ones the plain ticker. */
const PAIRS = {
  BTC: 'XXBTZUSD',
  LTC: 'XLTCZUSD',
  BCH: 'BCHUSD',
  ETH: 'XETHZUSD',
  USDT: 'USDTZUSD',
  USDC: 'USDCUSD',
  BNB: 'BNBUSD',
  POL: 'POLUSD',
  AVAX: 'AVAXUSD',
  TRX: 'TRXUSD',
  SOL: 'SOLUSD',
  XRP: 'XXRPZUSD',
  TON: 'TONUSD',
  XMR: 'XXMRZUSD',
} as const;

export function krakenRates(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'kraken',
      origin: 'https://api.kraken.com',
      path: '/0/public/Ticker',
      read: (answer) => ({
        // "c" is [price, lot volume] of the last trade.
        usdPerAsset: priceTable(
          Object.entries(PAIRS).map(([symbol, pair]) => [
            symbol,
            priceText(member(answer, 'result', pair, 'c', '0')),
          ]),
        ),
      }),
    },
    options,
  );
}
