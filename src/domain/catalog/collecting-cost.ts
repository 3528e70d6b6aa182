/**
 * What it costs to bring a deposit to where payouts are made from, at usual fees (safety.md G10): the least that an invoice of a live
 * key may be follows from it. docs/operations/treasury.md shows the table.
 */

import { mulDiv, unitsOf } from '../money/decimal.ts';
import { chainNamed } from './chain.ts';
import type { CollectingCost } from './chain-facts.ts';
import type { ChainName } from './chain-rows.ts';
import { COINS } from './coins.ts';
import { FIAT_DECIMALS, MICROS_PER_FIAT } from './fiat.ts';

interface Collected {
  readonly chain: ChainName;
  readonly type: 'native' | 'token';
}

/** What collecting a deposit of the asset costs; throws for a token of a chain that has none. */
export function collectingCost({ chain, type }: Collected): CollectingCost {
  const cost = chainNamed(chain).collecting[type];
  if (cost === null) throw new Error(`nobody knows what collecting a ${type} asset on ${chain} costs`);
  return cost;
}

/** An invoice of the sandbox, where nothing is collected, and the least of any live one. */
export const SMALLEST_INVOICE_MICRO_USD = 2_000_000n;

/** What collecting costs in micro-USD, rounded up, at the round prices of the sandbox. */
export function usualCostMicroUsd(asset: Collected): bigint {
  const usd = COINS[chainNamed(asset.chain).coin].sandboxUsd;
  const { amount } = collectingCost(asset);
  return mulDiv(unitsOf(amount, 18), unitsOf(usd, FIAT_DECIMALS), 10n ** 18n, 'ceil');
}

/** The least invoice of a live key unless configured: that cost and a quarter more, in whole dollars, and at least 2 USD. */
export function leastLiveMicroUsd(asset: Collected): bigint {
  const least = mulDiv(usualCostMicroUsd(asset), 5n, 4n * MICROS_PER_FIAT, 'ceil') * MICROS_PER_FIAT;
  return least > SMALLEST_INVOICE_MICRO_USD ? least : SMALLEST_INVOICE_MICRO_USD;
}
