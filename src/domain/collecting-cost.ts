/**
 * What it costs to bring a deposit to where payouts are made from, at usual fees (safety.md G10): the least that an invoice of a live
 * key may be follows from it. docs/operations/treasury.md shows the table.
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

/** Of a chain's own coin, and of a token where tokens are taken. */
type CostsOfChain = { readonly native: CollectingCost; readonly token?: CollectingCost };

/** Of chains with accounts and gas: what the coin costs, and what a token does, its gas included. */
function gas(coin: string, at: string, native: string, token: string, data = ''): Required<CostsOfChain> {
  return {
    native: { coin, amount: native, how: `21,000 gas at ${at}${data && `, and its data ${data}`}` },
    token: {
      coin,
      amount: token,
      how: data
        ? `86,000 gas at ${at}, and the data of both transactions`
        : `86,000 gas: 21,000 to send the gas, 65,000 for the token, at ${at}`,
    },
  };
}

const COLLECTING_COSTS = {
  bitcoin: {
    native: { coin: 'BTC', amount: '0.0000136', how: 'An input of 68 virtual bytes at 20 satoshi' },
  },
  litecoin: {
    native: { coin: 'LTC', amount: '0.0000068', how: 'An input of 68 virtual bytes at 10 satoshi' },
  },
  bitcoincash: { native: { coin: 'BCH', amount: '0.00000296', how: 'An input of 148 bytes at 2 satoshi' } },
  ethereum: gas('ETH', '10 gwei', '0.00021', '0.00086'),
  bsc: gas('BNB', '1 gwei', '0.000021', '0.000086'),
  polygon: gas('POL', '100 gwei', '0.0021', '0.0086'),
  arbitrum: gas('ETH', '0.1 gwei', '0.0000021', '0.0000086'),
  base: gas('ETH', '0.1 gwei', '0.00001', '0.00002', 'on ethereum'),
  optimism: gas('ETH', '0.1 gwei', '0.00001', '0.00002', 'on ethereum'),
  avalanche: gas('AVAX', '25 gwei', '0.000525', '0.00215'),
  tron: {
    native: { coin: 'TRX', amount: '0.27', how: 'Bandwidth of 270 bytes' },
    token: {
      coin: 'TRX',
      amount: '7.95',
      how: 'Activation 1.1, 65,000 energy at 100 sun, bandwidth of 350 bytes',
    },
  },
  solana: {
    native: { coin: 'SOL', amount: '0.00001', how: 'Two signatures' },
    token: {
      coin: 'SOL',
      amount: '0.00001',
      how: 'Two signatures; the rent of the token account comes back',
    },
  },
  xrp: {
    native: { coin: 'XRP', amount: '0', how: 'Nothing: deposits lie in the account that pays' },
  },
  ton: {
    native: {
      coin: 'TON',
      amount: '0.01',
      how: 'The gas of a message, and of the wallet that is deployed with it',
    },
    token: { coin: 'TON', amount: '0.06', how: 'Gas that is sent, the transfer, and what stays behind' },
  },
  monero: {
    native: { coin: 'XMR', amount: '0.00005', how: 'An input of a transaction of your own wallet' },
  },
} as const satisfies Readonly<Record<string, CostsOfChain>>;

/** A chain without a row does not compile where assets are built in. */
export type ChainOfCosts = keyof typeof COLLECTING_COSTS;
/** The chains whose tokens can be taken. */
export type TokenChain = {
  [C in ChainOfCosts]: (typeof COLLECTING_COSTS)[C] extends { readonly token: CollectingCost } ? C : never;
}[ChainOfCosts];

export const TOKEN_CHAINS = Object.entries(COLLECTING_COSTS).flatMap(([chain, costs]) =>
  'token' in costs ? [chain as TokenChain] : [],
);

type Collected = Pick<Asset, 'chain' | 'type'>;

/** What collecting a deposit of the asset costs; throws for one whose kind its chain has not. */
export function collectingCost({ chain, type }: Collected): CollectingCost {
  const cost = costsOf(chain)?.[type];
  if (cost === undefined) throw new Error(`nobody knows what collecting a ${type} asset on ${chain} costs`);
  return cost;
}

function costsOf(chain: string): CostsOfChain | undefined {
  return Object.hasOwn(COLLECTING_COSTS, chain) ? COLLECTING_COSTS[chain as ChainOfCosts] : undefined;
}

/** An invoice of the sandbox, where nothing is collected, and the least of any live one. */
export const SMALLEST_INVOICE_MICRO_USD = 2_000_000n;

/** What collecting costs in micro-USD, rounded up, at the round prices of the sandbox. */
export function usualCostMicroUsd(asset: Collected): bigint {
  const { coin, amount } = collectingCost(asset);
  return mulDiv(unitsOf(amount, 18), unitsOf(USD_PER_COIN[coin] ?? '0', FIAT_DECIMALS), 10n ** 18n, 'ceil');
}

/** The least invoice of a live key unless configured: that cost and a quarter more, in whole dollars, and at least 2 USD. */
export function leastLiveMicroUsd(asset: Collected): bigint {
  const least = mulDiv(usualCostMicroUsd(asset), 5n, 4n * MICROS_PER_FIAT, 'ceil') * MICROS_PER_FIAT;
  return least > SMALLEST_INVOICE_MICRO_USD ? least : SMALLEST_INVOICE_MICRO_USD;
}

/** Base units of the asset that are worth what collecting them costs at usual fees and these prices; null without a price. */
export function collectingUnits(asset: Asset, native: Asset, rates: Rates): bigint | null {
  const cost = unitsOf(collectingCost(asset).amount, native.decimals);
  if (asset.key === native.key) return cost;
  const [price, nativePrice] = [priceE18(rates, asset, 'USD'), priceE18(rates, native, 'USD')];
  if (price === null || nativePrice === null || price <= 0n) return null;
  return unitsForFiat(fiatForUnits(cost, nativePrice, native, 'ceil'), price, asset, 'ceil');
}
