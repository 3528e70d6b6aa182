/** The catalog of a start: the built-in one, with the configuration's changes and added tokens. */
import { CHAIN_FAMILIES } from '../adapters/chains/families.ts';
import type { ConfigError } from '../config/config-error.ts';
import type { AssetConfig, Config } from '../config/types.ts';
import { AssetCatalog, type AssetOverride, BUILT_IN_ASSETS, type OwnAsset } from '../domain/catalog/asset.ts';
import { chainNamed } from '../domain/catalog/chain.ts';
import { UNLISTED_TOKENS, type UnlistedToken } from '../domain/catalog/unlisted-tokens.ts';
import { isOnMainNetwork } from './chains/configured-networks.ts';

const UNCHANGED: AssetConfig = { contract: null, decimals: null, minAmountUsd: null, enabled: null };

type CatalogSettings = Pick<Config, 'assets' | 'ownAssets' | 'chains'>;

/** Throws for a configuration with faults of catalogFaults. */
export function catalogOf(config: CatalogSettings): AssetCatalog {
  const [fault] = catalogFaults(config);
  if (fault) throw new Error(`${fault.path} ${fault.message}`);
  const owned = new Set(config.ownAssets.map(({ key }) => key));
  const taken = builtInPlaces(config);
  const known = UNLISTED_TOKENS.filter(
    (token) =>
      isOnMainNetwork(config, token.chain) && !owned.has(keyOf(token)) && !taken.has(placeOf(config, token)),
  );
  return new AssetCatalog(overrides(config), config.ownAssets, known);
}

/**
 * The records use assets that the configuration no longer lists. The message is for the operator.
 */
export class AssetsLost extends Error {
  override readonly name = 'AssetsLost';
}

/**
 * Throws AssetsLost if a recorded asset is not in the catalog: its decimals and its chain would be
 * unknown.
 */
export function refuseLostAssets(catalog: AssetCatalog, inUse: readonly string[]): void {
  const lost = inUse.filter((key) => catalog.get(key) === undefined).toSorted();
  if (lost.length === 0) return;
  const rows = lost.map((key) => `assets.${key}`).join(', ');
  throw new AssetsLost(
    `the database has records in ${lost.join(', ')}. Put ${rows} back into CONFIG_FILE, with "enabled": false to stop their use.`,
  );
}

/** A main network's contracts are no use on a test network, which has other addresses. */
function overrides(config: CatalogSettings): Readonly<Record<string, AssetOverride>> {
  const elsewhere = BUILT_IN_ASSETS.flatMap(({ key, type, chain }) => {
    const given = config.assets[key] ?? UNCHANGED;
    return type === 'native' || given.contract !== null || isOnMainNetwork(config, chain)
      ? []
      : [[key, { ...given, onNetwork: false }] as const];
  });
  return { ...config.assets, ...Object.fromEntries(elsewhere) };
}

const keyOf = ({ ticker, chain }: UnlistedToken): string => `${ticker}_${chain}`;

/** Keys of the built-in tokens, as the configuration changes them, by chain and contract. */
function builtInPlaces(config: CatalogSettings): ReadonlyMap<string, string> {
  return new Map(
    new AssetCatalog(config.assets).all.flatMap(({ key, chain, contract }) =>
      contract === null ? [] : [[placeOf(config, { chain, contract }), key]],
    ),
  );
}

/** One text per chain and contract. */
function placeOf(config: CatalogSettings, { chain, contract }: { chain: string; contract: string }): string {
  return `${chain} ${contractOf(config, chain, contract) ?? contract}`;
}

/** The faults of added tokens' contracts: not an address of their chain, or another asset's. */
export function catalogFaults(config: CatalogSettings): readonly ConfigError[] {
  const taken = new Map(builtInPlaces(config));
  const known = new Map(UNLISTED_TOKENS.map((token) => [placeOf(config, token), keyOf(token)]));
  const placeOfKnown = new Map([...known].map(([place, key]) => [key, place]));

  function faultOf({ key, chain, contract }: OwnAsset): string | null {
    if (contractOf(config, chain, contract) === null)
      return rulesOf(chain)?.expected ?? `must be an address of ${chain}`;
    const place = placeOf(config, { chain, contract });
    const other = taken.get(place);
    taken.set(place, key);
    if (other !== undefined) return `is the contract of ${other} already`;
    // Deposits from before it was listed are recorded under that key.
    const usual = known.get(place) ?? key;
    if (usual !== key) return `is known as ${usual}: list it by that key`;
    return (placeOfKnown.get(key) ?? place) === place
      ? null
      : `is not the contract that is known as ${key}: take another key`;
  }
  return config.ownAssets.flatMap((asset) => {
    const message = faultOf(asset);
    return message === null ? [] : [{ path: `assets.${asset.key}.contract`, message }];
  });
}

/** One spelling per contract of the chain; null if it is not an address there. */
function contractOf({ chains }: CatalogSettings, chain: string, text: string): string | null {
  return rulesOf(chain)?.key(text, chains[chain]?.network ?? 'main') ?? null;
}

const rulesOf = (chain: string) => CHAIN_FAMILIES[chainNamed(chain).family].contracts;
