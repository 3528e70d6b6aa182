/**
 * The operator's limits. A payout above one is not refused: it is held until an operator releases
 * it.
 */
import type { Asset } from '../catalog/asset.ts';
import { FIAT_DECIMALS } from '../catalog/fiat.ts';
import { formatUnits } from '../money/decimal.ts';
import { type Held, heldFor } from './held.ts';
import type { Payout } from './payout-record.ts';

export interface PayoutLimits {
  /** Micro-USD of one payout; null: no limit. */
  readonly eachMicroUsd: bigint | null;
  /** Micro-USD of a merchant's payouts within 24 hours. */
  readonly dayMicroUsd: bigint | null;
  /** Base units of one payout, by asset key. */
  readonly eachUnits: ReadonlyMap<string, bigint>;
  /** Base units that stay in the hot wallet, by asset key. */
  readonly floorUnits: ReadonlyMap<string, bigint>;
}

export const UNLIMITED_PAYOUTS: PayoutLimits = {
  eachMicroUsd: null,
  dayMicroUsd: null,
  eachUnits: new Map(),
  floorUnits: new Map(),
};

/** The limit that a payout exceeds; null if there is none, or it was released. */
export function limitExceeded(
  payout: Payout,
  asset: Asset,
  limits: PayoutLimits,
  /** Micro-USD of the merchant's payouts of the last 24 hours, this one included. */
  dayMicroUsd: bigint,
): Held | null {
  if (payout.released) return null;
  const { eachMicroUsd, dayMicroUsd: dayLimit } = limits;
  if (eachMicroUsd !== null && payout.amountMicroUsd > eachMicroUsd)
    return heldFor('limit', `limit: more than ${usd(eachMicroUsd)} USD in one payout`);
  const eachUnits = limits.eachUnits.get(asset.key);
  if (eachUnits !== undefined && payout.amountUnits > eachUnits)
    return heldFor(
      'limit',
      `limit: more than ${formatUnits(eachUnits, asset.decimals)} ${asset.key} in one payout`,
    );
  if (dayLimit !== null && dayMicroUsd > dayLimit)
    return heldFor(
      'limit',
      `limit: the merchant's payouts of 24 hours come to more than ${usd(dayLimit)} USD`,
    );
  return null;
}

const usd = (micros: bigint): string => formatUnits(micros, FIAT_DECIMALS);
