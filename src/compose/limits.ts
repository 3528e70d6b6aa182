/** The operator's limits, from decimals of the configuration to base units. */
import type { Config } from '../config/types.ts';
import type { AssetCatalog } from '../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../domain/catalog/fiat.ts';
import { unitsOf } from '../domain/money/decimal.ts';
import { PERCENT_DECIMALS } from '../domain/money/fee.ts';
import type { PayoutLimits } from '../domain/payouts/payout-limits.ts';

/**
 * Throws for a limit with more decimals than its asset has: rounding would change the operator's
 * limit.
 */
export function payoutLimits({ payouts }: Pick<Config, 'payouts'>, catalog: AssetCatalog): PayoutLimits {
  const usd = (path: string, text: string | null) =>
    text === null ? null : units(path, text, FIAT_DECIMALS);
  const byAsset = (path: string, texts: Readonly<Record<string, string>>) =>
    new Map(
      Object.entries(texts).map(([key, text]) => [
        key,
        units(`${path}.${key}`, text, catalog.require(key).decimals),
      ]),
    );
  return {
    eachMicroUsd: usd('payouts.max_usd', payouts.maxUsd),
    dayMicroUsd: usd('payouts.max_usd_per_day', payouts.maxUsdPerDay),
    eachUnits: byAsset('payouts.max', payouts.max),
    floorUnits: byAsset('payouts.floor', payouts.floor),
  };
}

/** The part of a sweep's value that it may cost, in millionths. */
export function sweepSharePpm({ payouts }: Pick<Config, 'payouts'>): bigint {
  return units('payouts.sweep_cost_percent', payouts.sweepCostPercent, PERCENT_DECIMALS);
}

function units(path: string, text: string, decimals: number): bigint {
  try {
    return unitsOf(text, decimals);
  } catch {
    throw new Error(`${path}: ${text} has more than ${decimals} decimals`);
  }
}
