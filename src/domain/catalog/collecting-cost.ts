/**
 * The cost of collecting a deposit to the hot wallet at usual fees (safety.md G10), from which the
 * least live invoice follows. docs/operations/treasury.md shows the table.
 */

import { mulDiv, unitsOf } from '../money/decimal.ts';
import { chainNamed } from './chain.ts';
import type { CollectingCost } from './chain-facts.ts';
import type { ChainName } from './chain-rows.ts';
import { COINS } from './coins.ts';
import { FIAT_DECIMALS, MICROS_PER_FIAT } from './fiat.ts';

interface CollectedAsset {
  readonly chain: ChainName;
  readonly type: 'native' | 'token';
}

/** The cost of collecting a deposit of the asset; throws for a token of a chain without tokens. */
export function collectingCost({ chain, type }: CollectedAsset): CollectingCost {
  const cost = chainNamed(chain).collecting[type];
  if (cost === null) throw new Error(`nobody knows what collecting a ${type} asset on ${chain} costs`);
  return cost;
}

/** The least sandbox invoice, where nothing is collected, and a lower bound of live ones. */
export const SMALLEST_INVOICE_MICRO_USD = 2_000_000n;

/** The cost in micro-USD, rounded up, at the sandbox's prices. */
export function usualCostMicroUsd(asset: CollectedAsset): bigint {
  const usd = COINS[chainNamed(asset.chain).coin].sandboxUsd;
  const { amount } = collectingCost(asset);
  return mulDiv(unitsOf(amount, 18), unitsOf(usd, FIAT_DECIMALS), 10n ** 18n, 'ceil');
}

/** The least live invoice by default: the cost plus a quarter, in whole dollars, at least 2 USD. */
export function leastLiveMicroUsd(asset: CollectedAsset): bigint {
  const least = mulDiv(usualCostMicroUsd(asset), 5n, 4n * MICROS_PER_FIAT, 'ceil') * MICROS_PER_FIAT;
  return least > SMALLEST_INVOICE_MICRO_USD ? least : SMALLEST_INVOICE_MICRO_USD;
}
