/** The operator's limits, from decimals of the configuration to base units. */
import type { ForwardRules } from '../app/treasury/forwards/forwarding.ts';
import type { Config } from '../config/types.ts';
import type { AssetCatalog } from '../domain/catalog/asset.ts';
import { hasWalletKey } from '../domain/catalog/family.ts';
import { FIAT_DECIMALS } from '../domain/catalog/fiat.ts';
import { parseDecimal, toUnits, unitsOf } from '../domain/money/decimal.ts';
import { PERCENT_DECIMALS } from '../domain/money/fee.ts';
import type { PayoutLimits } from '../domain/payouts/payout-limits.ts';

/** The commission of a merchant that nobody gives another one, in millionths; null: the default. */
export function configuredCommission({
  commissionPercent,
}: Pick<Config, 'commissionPercent'>): bigint | null {
  const percent = parseDecimal(commissionPercent ?? '');
  return percent === null ? null : toUnits(percent, PERCENT_DECIMALS);
}

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

/**
 * Thresholds of forwards, in base units. Throws for one with more decimals than its asset has, and
 * on a chain where nothing is sent.
 */
export function forwardRules({ treasury }: Pick<Config, 'treasury'>, catalog: AssetCatalog): ForwardRules {
  return new Map(
    Object.entries(treasury.forward).map(([key, { above, keep }]) => {
      const { decimals, family, chain } = catalog.require(key);
      const path = `treasury.forward.${key}`;
      if (!hasWalletKey(family)) throw new Error(`${path}: nothing is sent on ${chain}`);
      const rule = {
        aboveUnits: units(`${path}.above`, above, decimals),
        keepUnits: units(`${path}.keep`, keep, decimals),
      };
      return [key, rule] as const;
    }),
  );
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
