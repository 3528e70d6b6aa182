/**
 * What it costs to bring a deposit to where payouts are made from, at usual fees (safety.md G10): the least that an invoice of a live
 * key may be follows from it. docs/operations.md shows the table.
 */
import type { Asset } from './asset.ts';
import { mulDiv, unitsOf } from './decimal.ts';
import { FIAT_DECIMALS, MICROS_PER_FIAT } from './fiat.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from './rate.ts';
import { USD_PER_COIN } from './static-rates.ts';

interface CollectingCost {
  /** The chain's own coin, in which it is paid, and how many whole ones. */
  readonly coin: string;
  readonly amount: string;
  readonly how: string;
}

const TRANSFER_OF_AN_ACCOUNT = '21,000 gas';
const TOKEN_WITH_ITS_GAS = '86,000 gas: 21,000 to send the gas, 65,000 for the token';

/** By asset key. An asset of the catalog without a row does not compile. */
export const COLLECTING_COSTS = {
  btc_bitcoin: { coin: 'BTC', amount: '0.0000136', how: 'An input of 68 virtual bytes at 20 satoshi' },
  ltc_litecoin: { coin: 'LTC', amount: '0.0000068', how: 'An input of 68 virtual bytes at 10 satoshi' },
  bch_bitcoincash: { coin: 'BCH', amount: '0.00000296', how: 'An input of 148 bytes at 2 satoshi' },
  eth_ethereum: { coin: 'ETH', amount: '0.00021', how: `${TRANSFER_OF_AN_ACCOUNT} at 10 gwei` },
  usdt_ethereum: { coin: 'ETH', amount: '0.00086', how: `${TOKEN_WITH_ITS_GAS}, at 10 gwei` },
  usdc_ethereum: { coin: 'ETH', amount: '0.00086', how: `${TOKEN_WITH_ITS_GAS}, at 10 gwei` },
  bnb_bsc: { coin: 'BNB', amount: '0.000021', how: `${TRANSFER_OF_AN_ACCOUNT} at 1 gwei` },
  usdt_bsc: { coin: 'BNB', amount: '0.000086', how: `${TOKEN_WITH_ITS_GAS}, at 1 gwei` },
  pol_polygon: { coin: 'POL', amount: '0.0021', how: `${TRANSFER_OF_AN_ACCOUNT} at 100 gwei` },
  usdt_polygon: { coin: 'POL', amount: '0.0086', how: `${TOKEN_WITH_ITS_GAS}, at 100 gwei` },
  eth_arbitrum: { coin: 'ETH', amount: '0.0000021', how: `${TRANSFER_OF_AN_ACCOUNT} at 0.1 gwei` },
  eth_base: {
    coin: 'ETH',
    amount: '0.00001',
    how: `${TRANSFER_OF_AN_ACCOUNT} at 0.1 gwei, and its data on ethereum`,
  },
  usdc_base: {
    coin: 'ETH',
    amount: '0.00002',
    how: '86,000 gas at 0.1 gwei, and the data of both transactions',
  },
  eth_optimism: {
    coin: 'ETH',
    amount: '0.00001',
    how: `${TRANSFER_OF_AN_ACCOUNT} at 0.1 gwei, and its data on ethereum`,
  },
  avax_avalanche: { coin: 'AVAX', amount: '0.000525', how: `${TRANSFER_OF_AN_ACCOUNT} at 25 gwei` },
  trx_tron: { coin: 'TRX', amount: '0.27', how: 'Bandwidth of 270 bytes' },
  usdt_tron: {
    coin: 'TRX',
    amount: '7.95',
    how: 'Activation 1.1, 65,000 energy at 100 sun, bandwidth of 350 bytes',
  },
  sol_solana: { coin: 'SOL', amount: '0.00001', how: 'Two signatures' },
  usdc_solana: {
    coin: 'SOL',
    amount: '0.00001',
    how: 'Two signatures; the rent of the token account comes back',
  },
  usdt_solana: {
    coin: 'SOL',
    amount: '0.00001',
    how: 'Two signatures; the rent of the token account comes back',
  },
  xrp_xrp: { coin: 'XRP', amount: '0', how: 'Nothing: deposits lie in the account that pays' },
  ton_ton: {
    coin: 'TON',
    amount: '0.01',
    how: 'The gas of a message, and of the wallet that is deployed with it',
  },
  usdt_ton: { coin: 'TON', amount: '0.06', how: 'Gas that is sent, the transfer, and what stays behind' },
  xmr_monero: { coin: 'XMR', amount: '0.00005', how: 'An input of a transaction of your own wallet' },
} as const satisfies Readonly<Record<string, CollectingCost>>;

export type AssetKey = keyof typeof COLLECTING_COSTS;

/** An invoice of the sandbox, where nothing is collected, and the least of any live one. */
export const SMALLEST_INVOICE_MICRO_USD = 2_000_000n;

/** What collecting costs in micro-USD, rounded up, at the round prices of the sandbox. */
export function usualCostMicroUsd(key: AssetKey): bigint {
  const { coin, amount } = COLLECTING_COSTS[key];
  return mulDiv(unitsOf(amount, 18), unitsOf(USD_PER_COIN[coin] ?? '0', FIAT_DECIMALS), 10n ** 18n, 'ceil');
}

/** The least invoice of a live key unless configured: that cost and a quarter more, in whole dollars, and at least 2 USD. */
export function leastLiveMicroUsd(key: AssetKey): bigint {
  const least = mulDiv(usualCostMicroUsd(key), 5n, 4n * MICROS_PER_FIAT, 'ceil') * MICROS_PER_FIAT;
  return least > SMALLEST_INVOICE_MICRO_USD ? least : SMALLEST_INVOICE_MICRO_USD;
}

/** Base units of the asset that are worth what collecting them costs at usual fees and these prices; null without a price. */
export function collectingUnits(asset: Asset, native: Asset, rates: Rates): bigint | null {
  const cost = unitsOf(COLLECTING_COSTS[asset.key as AssetKey].amount, native.decimals);
  if (asset.key === native.key) return cost;
  const [price, nativePrice] = [priceE18(rates, asset, 'USD'), priceE18(rates, native, 'USD')];
  if (price === null || nativePrice === null || price <= 0n) return null;
  return unitsForFiat(fiatForUnits(cost, nativePrice, native, 'ceil'), price, asset, 'ceil');
}
