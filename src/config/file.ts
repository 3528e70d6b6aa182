/**
 * The part of the configuration in CONFIG_FILE: its JSON is checked against the schema of
 * file-schema.ts and becomes a part of Config.
 */
import type { Static } from '@sinclair/typebox';
import { unitsOf } from '../domain/money/decimal.ts';
import { toChain } from './chains.ts';
import type { ConfigError } from './config-error.ts';
import {
  type BuiltInAssetRow,
  type Catalog,
  type ConfigFile,
  FILE_DEFAULTS,
  fileSchema,
} from './file-schema.ts';
import { readJson, schemaFaults } from './json-file.ts';
import { sourceFaults } from './nodes.ts';
import { type OwnAssetRow, ownKeyFaults, ownKeys, toOwnAsset } from './own-assets.ts';
import { withOwnWallets } from './own-wallet.ts';
import { toRisk } from './risk.ts';
import type { AssetConfig, Config } from './types.ts';

/** What CONFIG_FILE decides; the environment decides the rest. */
export type FileConfig = Pick<
  Config,
  | 'chains'
  | 'assets'
  | 'ownAssets'
  | 'rates'
  | 'commissionPercent'
  | 'payouts'
  | 'treasury'
  | 'risk'
  | 'checkout'
>;

/**
 * Reads and checks the file. Adds errors to `faults`, and then returns the result of an empty file.
 */
export function readConfigFile(
  path: string | null,
  files: { read(path: string): string },
  catalog: Catalog,
  faults: ConfigError[],
): FileConfig {
  if (path === null) return toConfig({}, []);
  const json = readJson('CONFIG_FILE', path, files, faults);
  if (json === undefined) return toConfig({}, []);
  const own = ownKeys(json, catalog.assetKeys);
  const found = faultsOf(json, fileSchema(catalog, own));
  faults.push(...found);
  if (found.length > 0) return toConfig({}, []);
  const config = toConfig(json as ConfigFile, own);
  faults.push(...ownKeyFaults(config.ownAssets));
  const given = (json as ConfigFile).chains ?? {};
  return { ...config, chains: withOwnWallets(config.chains, given, files, faults) };
}

const HOW_TO_ADD = 'A token of your own needs chain, contract, decimals, symbol and rate';

function faultsOf(json: unknown, schema: ReturnType<typeof fileSchema>): readonly ConfigError[] {
  const faults = schemaFaults(json, schema, 'CONFIG_FILE').map(({ path, message }) => ({
    path,
    message:
      /^assets\.[^.]+$/.test(path) && message.startsWith('is unknown')
        ? `${message}. ${HOW_TO_ADD}`
        : message,
  }));
  if (faults.length === 0) faults.push(...sourceFaults((json as ConfigFile).chains ?? {}));
  if (faults.length === 0) faults.push(...forwardFaults((json as ConfigFile).treasury?.forward ?? {}));
  const rates = (json as ConfigFile | null)?.rates;
  if (rates?.source === 'static' && rates.usd === undefined) {
    const message = 'is needed with source "static": US dollars per unit of each asset';
    faults.push({ path: 'rates.usd', message });
  }
  return faults;
}

/** More decimals than a text of the file can have. */
const PRECISION = 500;

/** Without room between the two, a forward would follow each sweep. */
function forwardFaults(rules: FileConfig['treasury']['forward']): readonly ConfigError[] {
  return Object.entries(rules)
    .filter(([, { above, keep }]) => unitsOf(keep, PRECISION) >= unitsOf(above, PRECISION))
    .map(([asset]) => ({ path: `treasury.forward.${asset}.keep`, message: 'must be less than `above`' }));
}

function toConfig(file: ConfigFile, own: readonly string[]): FileConfig {
  const assets = Object.entries(file.assets ?? {});
  const builtIn = assets.filter(([key]) => !own.includes(key));
  return {
    chains: mapValues(file.chains ?? {}, toChain),
    assets: mapValues(Object.fromEntries(builtIn), toAsset),
    ownAssets: assets.flatMap(([key, row]) =>
      own.includes(key) ? [toOwnAsset(key, row as Static<typeof OwnAssetRow>)] : [],
    ),
    rates: toRates(file.rates ?? {}),
    commissionPercent: file.commission_percent ?? null,
    payouts: toPayouts(file.payouts ?? {}),
    treasury: { forward: file.treasury?.forward ?? {} },
    risk: toRisk(file.risk ?? {}),
    checkout: { explorers: file.checkout?.explorers ?? {} },
  };
}

type FileSection<Name extends keyof ConfigFile> = Partial<NonNullable<ConfigFile[Name]>>;

function toRates(rates: FileSection<'rates'>): FileConfig['rates'] {
  return {
    source: rates.source ?? FILE_DEFAULTS.source,
    usd: rates.usd ?? {},
    fiat: rates.fiat ?? {},
    creditMaxAgeSeconds: rates.credit_max_age_seconds ?? FILE_DEFAULTS.creditMaxAgeSeconds,
  };
}

function toPayouts(payouts: FileSection<'payouts'>): FileConfig['payouts'] {
  return {
    maxUsd: payouts.max_usd ?? null,
    maxUsdPerDay: payouts.max_usd_per_day ?? null,
    max: payouts.max ?? {},
    floor: payouts.floor ?? {},
    sweepCostPercent: payouts.sweep_cost_percent ?? FILE_DEFAULTS.sweepCostPercent,
    maxFeeFactor: payouts.max_fee_factor ?? FILE_DEFAULTS.maxFeeFactor,
  };
}

function toAsset(asset: Static<typeof BuiltInAssetRow>): AssetConfig {
  return {
    contract: asset.contract ?? null,
    decimals: asset.decimals ?? null,
    minAmountUsd: asset.min_amount_usd ?? null,
    enabled: asset.enabled ?? null,
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, convert: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}
