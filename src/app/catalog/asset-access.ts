/** Which assets may be used where: switched on, on a watched chain that is read in time, and allowed by the invoice. */
import type { Asset } from '../../domain/catalog/asset.ts';
import { isPermanentFamily } from '../../domain/catalog/family.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import type { AppDependencies } from '../dependencies.ts';

type Needs = Pick<
  AppDependencies,
  'catalog' | 'watchedChains' | 'chainHealth' | 'unscannedAssets' | 'liveDerivers' | 'sandboxDerivers'
>;

/** A chain that is not watched takes no live payments; the sandbox needs no chain. */
export function isEnabled(deps: Needs, asset: Asset, sandbox: boolean): boolean {
  return isSwitchedOn(deps, asset, sandbox) && (sandbox || deps.watchedChains.has(asset.chain));
}

/** Whether new invoices may be paid in it: enabled, and its payments are seen in time. */
export function isOffered(deps: Needs, asset: Asset, sandbox: boolean): boolean {
  return isEnabled(deps, asset, sandbox) && (sandbox || !isSeenLate(deps, asset));
}

/** Whether payments in it may be unseen for longer than the configured bound. */
export function isSeenLate({ chainHealth }: Pick<Needs, 'chainHealth'>, { chain }: Asset): boolean {
  return chainHealth.get(chain)?.late === true;
}

/** The keys of the assets of which that is so, in the catalog's order. */
export function assetsSeenLate(deps: Pick<Needs, 'catalog' | 'chainHealth'>): readonly string[] {
  return deps.catalog.all.filter((asset) => isSeenLate(deps, asset)).map(({ key }) => key);
}

/** Why nothing new can be paid in an asset, where only its chain's nodes stand in the way: that passes. Null otherwise. */
export function chainTrouble(deps: Needs, asset: Asset, sandbox: boolean): AppError | null {
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

function isSwitchedOn(deps: Needs, asset: Asset, sandbox: boolean): boolean {
  if (!asset.enabled) return false;
  if (sandbox) return deps.sandboxDerivers.has(asset.family) || deps.liveDerivers.has(asset.family);
  return !deps.unscannedAssets.has(asset.key) && deps.liveDerivers.has(asset.family);
}

export interface CoinChoice {
  readonly sandbox: boolean;
  readonly acceptedCoins: readonly string[] | null;
  readonly excludedCoins: readonly string[] | null;
  /** Monero has no permanent addresses (specification, "permanent_address"). */
  readonly bindsPermanentAddress: boolean;
}

/** The assets a customer may pay with, in the catalog's order. */
export function payableAssets(deps: Needs, choice: CoinChoice): readonly Asset[] {
  return deps.catalog.all.filter(
    (asset) => isOffered(deps, asset, choice.sandbox) && isAllowed(asset, choice),
  );
}

/** What keeps all assets away that the choice allows, where it passes: the trouble of the first chain. */
export function troubleOfChoice(deps: Needs, choice: CoinChoice): AppError | null {
  const troubles = deps.catalog.all
    .filter((asset) => isAllowed(asset, choice))
    .flatMap((asset) => chainTrouble(deps, asset, choice.sandbox) ?? []);
  return troubles[0] ?? null;
}

function isAllowed({ key, family }: Asset, choice: CoinChoice): boolean {
  const { acceptedCoins, excludedCoins, bindsPermanentAddress } = choice;
  if (acceptedCoins !== null && acceptedCoins.length > 0 && !acceptedCoins.includes(key)) return false;
  return !excludedCoins?.includes(key) && (!bindsPermanentAddress || isPermanentFamily(family));
}
