/**
 * Which assets are usable where: enabled, on a watched chain without delay, allowed by the invoice.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { isPermanentFamily } from '../../domain/catalog/family.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import type { AppDependencies } from '../dependencies.ts';

type AssetAccessNeeds = Pick<
  AppDependencies,
  'catalog' | 'watchedChains' | 'chainHealth' | 'unscannedAssets' | 'liveDerivers' | 'sandboxDerivers'
>;

/** A live asset needs a watched chain; a sandbox asset needs none. */
export function isEnabled(deps: AssetAccessNeeds, asset: Asset, sandbox: boolean): boolean {
  return isSwitchedOn(deps, asset, sandbox) && (sandbox || deps.watchedChains.has(asset.chain));
}

/** Whether new invoices may be paid in it: it is enabled, and its payments are detected in time. */
export function isOffered(deps: AssetAccessNeeds, asset: Asset, sandbox: boolean): boolean {
  return isEnabled(deps, asset, sandbox) && (sandbox || !isSeenLate(deps, asset));
}

/** Whether payments in it may stay undetected for longer than the configured bound. */
export function isSeenLate(
  { chainHealth }: Pick<AssetAccessNeeds, 'chainHealth'>,
  { chain }: Asset,
): boolean {
  return chainHealth.get(chain)?.late === true;
}

/** The keys of the assets that are seen late, in the catalog's order. */
export function assetsSeenLate(deps: Pick<AssetAccessNeeds, 'catalog' | 'chainHealth'>): readonly string[] {
  return deps.catalog.all.filter((asset) => isSeenLate(deps, asset)).map(({ key }) => key);
}

/**
 * Why new invoices are refused in an asset, if the only reason is its chain's nodes: a temporary
 * state. Else null.
 */
export function chainTrouble(deps: AssetAccessNeeds, asset: Asset, sandbox: boolean): AppError | null {
  const { key, chain } = asset;
  const isConfigured = deps.chainHealth.has(chain);
  if (sandbox || !isConfigured || !isSwitchedOn(deps, asset, sandbox)) return null;
  const health = deps.chainHealth.get(chain);
  if (!deps.watchedChains.has(chain) || health?.state === 'never_reached') return notReachedYet(chain);
  if (!health?.late) return null;
  return appError(
    'UNAVAILABLE',
    `Payments on ${chain} are currently detected late, so new invoices in ${key} are refused. Repeat the request later, or use another asset.`,
    { chain, state: health.state },
  );
}

export function notReachedYet(chain: string): AppError {
  return appError(
    'UNAVAILABLE',
    `${chain} is not reachable yet. Repeat the request later, or use another network.`,
    { chain, state: 'never_reached' },
  );
}

function isSwitchedOn(deps: AssetAccessNeeds, asset: Asset, sandbox: boolean): boolean {
  if (!asset.enabled) return false;
  if (sandbox) return deps.sandboxDerivers.has(asset.family) || deps.liveDerivers.has(asset.family);
  return !deps.unscannedAssets.has(asset.key) && deps.liveDerivers.has(asset.family);
}

export interface AssetChoice {
  readonly sandbox: boolean;
  readonly acceptedCoins: readonly string[] | null;
  readonly excludedCoins: readonly string[] | null;
  /** Excludes Monero, which has no permanent addresses (specification, "permanent_address"). */
  readonly bindsPermanentAddress: boolean;
}

/** The assets a customer may pay with, in the catalog's order. */
export function payableAssets(deps: AssetAccessNeeds, choice: AssetChoice): readonly Asset[] {
  return deps.catalog.all.filter(
    (asset) => isOffered(deps, asset, choice.sandbox) && isAllowed(asset, choice),
  );
}

/**
 * The temporary reason why no allowed asset is usable: the trouble of the first chain that has one.
 */
export function troubleOfChoice(deps: AssetAccessNeeds, choice: AssetChoice): AppError | null {
  const troubles = deps.catalog.all
    .filter((asset) => isAllowed(asset, choice))
    .flatMap((asset) => chainTrouble(deps, asset, choice.sandbox) ?? []);
  return troubles[0] ?? null;
}

function isAllowed({ key, family }: Asset, choice: AssetChoice): boolean {
  const { acceptedCoins, excludedCoins, bindsPermanentAddress } = choice;
  if (acceptedCoins !== null && acceptedCoins.length > 0 && !acceptedCoins.includes(key)) return false;
  return !excludedCoins?.includes(key) && (!bindsPermanentAddress || isPermanentFamily(family));
}
