/**
 * The CONFIG_FILE half of the configuration: JSON held against a TypeBox schema that is built from the catalog, so that
 * an unknown chain, asset or currency is a fault at its place like any other.
 */
import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox';
import type { AssetConfig, ChainConfig, Config, ConfigFault } from '../config.ts';
import { NETWORKS, UTXO_FAMILIES } from '../domain/chain.ts';
import { type CheckoutInFile, checkoutFields } from './checkout.ts';
import { closed, Decimal, HttpUrl, isDecimal, readJson, schemaFaults, Text, whole } from './json-file.ts';
import { MoneroChain, readMonero } from './monero.ts';
import { chainFields, ElectrumNodes, Nodes, StreamingNodes, sourceFaults, toNodes } from './nodes.ts';
import { anyAsset, Decimals, OwnAssetRow, ownKeyFaults, ownKeys, toOwnAsset } from './own-assets.ts';

/** The names a configuration file may use. */
export interface Catalog {
  readonly chains: readonly string[];
  readonly assetKeys: readonly string[];
  readonly fiats: readonly string[];
}

type FileConfig = Pick<
  Config,
  'chains' | 'assets' | 'ownAssets' | 'rates' | 'commissionPercent' | 'payouts' | 'risk' | 'checkout'
>;

/** Reads and checks the file; appends what is wrong to `faults` and then answers as if the file were empty. */
export function readConfigFile(
  path: string | null,
  files: { read(path: string): string },
  catalog: Catalog,
  faults: ConfigFault[],
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
  const { monero } = config.chains;
  if (!monero) return config;
  const given = (json as { chains: { monero: Static<typeof MoneroChain> } }).chains.monero;
  const chain = { ...monero, network: null, monero: readMonero(given, files, faults) };
  return { ...config, chains: { ...config.chains, monero: chain } };
}

const PERCENT = 'quittance-percent';
const FEE_PRICE = 'quittance-fee-price';
const RELAYED_FEE_PRICE = 'quittance-relayed-fee-price';
FormatRegistry.Set(PERCENT, (text) => isDecimal(text) && /^0*\d{0,2}(\.|$)/.test(text));
FormatRegistry.Set(FEE_PRICE, (text) => /^(?=.*[1-9])\d{1,9}(?:\.\d{1,3})?$/.test(text));
FormatRegistry.Set(RELAYED_FEE_PRICE, (text) => /^(?!0+(?:\.|$))\d{1,9}(?:\.\d{1,3})?$/.test(text));

const FeePrice = Type.String({
  format: FEE_PRICE,
  description: 'a decimal above zero with at most three places, as a string',
});
/** No node of Bitcoin's kind relays for less than 1 satoshi per virtual byte: under a lower ceiling nothing could ever be sent. */
const RelayedFeePrice = Type.String({
  format: RELAYED_FEE_PRICE,
  description: 'a decimal of at least 1 with at most three places, as a string',
});
const chainSettings = {
  ...chainFields,
  chain_id: Type.Optional(whole(1, Number.MAX_SAFE_INTEGER)),
  stuck_ms: Type.Optional(whole(1_000, 86_400_000)),
  fee_ceiling: Type.Optional(FeePrice),
};
const Chain = Type.Object({ ...chainSettings, rpc: StreamingNodes }, closed);

const Network = Type.Union(
  NETWORKS.map((name) => Type.Literal(name)),
  { description: NETWORKS.map((name) => `"${name}"`).join(' or ') },
);
const UtxoChain = Type.Object(
  {
    ...chainSettings,
    fee_ceiling: Type.Optional(RelayedFeePrice),
    rpc: Type.Optional(Nodes),
    esplora: Type.Optional(Nodes),
    electrum: Type.Optional(ElectrumNodes),
    network: Type.Optional(Network),
  },
  closed,
);

/** Chains whose transactions expire by themselves: nothing of theirs is ever stuck and replaced. */
const expiringChain = {
  ...chainFields,
  fee_ceiling: Type.Optional(FeePrice),
  network: Type.Optional(
    Type.Union([Type.Literal('main'), Type.Literal('test')], { description: '"main" or "test"' }),
  ),
  api_key: Type.Optional(Text),
};
const ExpiringChain = Type.Object(expiringChain, closed);
const StreamingChain = Type.Object({ ...expiringChain, rpc: StreamingNodes }, closed);

/** Chains whose settings are not those of the others. */
const CHAINS_APART: ReadonlyMap<string, TSchema> = new Map<string, TSchema>([
  ...UTXO_FAMILIES.map((name) => [name, UtxoChain] as const),
  ...['tron', 'ton'].map((name) => [name, ExpiringChain] as const),
  ...['solana', 'xrp'].map((name) => [name, StreamingChain] as const),
  ['monero', MoneroChain],
]);

const Asset = Type.Object(
  { contract: Type.Optional(Text), decimals: Type.Optional(Decimals), ...anyAsset },
  closed,
);

const HOW_TO_ADD = 'A token of your own needs chain, contract, decimals, symbol and rate';

const Risk = Type.Object(
  {
    deny: Type.Optional(Type.Array(Text, { description: 'a list of addresses' })),
    deny_file: Type.Optional(Text),
    provider_url: Type.Optional(HttpUrl),
  },
  closed,
);

const Percent = Type.String({
  format: PERCENT,
  description: 'a percentage from 0 to under 100, as a string',
});

type ChainInFile = Static<typeof UtxoChain> & Pick<Static<typeof ExpiringChain>, 'api_key'>;

interface ConfigFile {
  readonly chains?: Record<string, ChainInFile>;
  readonly assets?: Record<string, Static<typeof Asset> | Static<typeof OwnAssetRow>>;
  readonly rates?: {
    readonly source?: 'http' | 'static';
    readonly usd?: Record<string, string>;
    readonly fiat?: Record<string, string>;
    readonly credit_max_age_seconds?: number;
  };
  readonly commission_percent?: string;
  readonly payouts?: {
    readonly max_usd?: string;
    readonly max_usd_per_day?: string;
    readonly max?: Record<string, string>;
    readonly floor?: Record<string, string>;
    readonly sweep_cost_percent?: string;
    readonly max_fee_factor?: number;
  };
  readonly risk?: Static<typeof Risk>;
  readonly checkout?: CheckoutInFile;
}

function fileSchema(catalog: Catalog, own: readonly string[]) {
  const assetKeys = [...catalog.assetKeys, ...own];
  const named = <T extends TSchema>(names: readonly string[], each: (name: string) => T) =>
    Type.Optional(
      Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(each(name))])), closed),
    );
  const chain = (name: string): TSchema => CHAINS_APART.get(name) ?? Chain;
  const decimal = () => Decimal;
  const source = Type.Union([Type.Literal('http'), Type.Literal('static')], {
    description: '"http" or "static"',
  });
  const rates = {
    source: Type.Optional(source),
    usd: named(assetKeys, decimal),
    credit_max_age_seconds: Type.Optional(whole(60, 86_400)),
    // one US dollar is one US dollar
    fiat: named(
      catalog.fiats.filter((fiat) => fiat !== 'USD'),
      decimal,
    ),
  };
  const payouts = {
    max_usd: Type.Optional(Decimal),
    max_usd_per_day: Type.Optional(Decimal),
    max: named(assetKeys, decimal),
    floor: named(assetKeys, decimal),
    sweep_cost_percent: Type.Optional(Percent),
    max_fee_factor: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  };
  return Type.Object(
    {
      chains: named(catalog.chains, chain),
      assets: named(assetKeys, (key): TSchema => (own.includes(key) ? OwnAssetRow : Asset)),
      rates: Type.Optional(Type.Object(rates, closed)),
      commission_percent: Type.Optional(Percent),
      payouts: Type.Optional(Type.Object(payouts, closed)),
      risk: Type.Optional(Risk),
      checkout: Type.Optional(checkoutFields(catalog.chains)),
    },
    closed,
  );
}

function faultsOf(json: unknown, schema: ReturnType<typeof fileSchema>): readonly ConfigFault[] {
  const faults = schemaFaults(json, schema, 'CONFIG_FILE').map(({ path, message }) => ({
    path,
    message:
      /^assets\.[^.]+$/.test(path) && message.startsWith('is unknown')
        ? `${message}. ${HOW_TO_ADD}`
        : message,
  }));
  if (faults.length === 0) faults.push(...sourceFaults((json as ConfigFile).chains ?? {}));
  const rates = (json as ConfigFile | null)?.rates;
  if (rates?.source === 'static' && rates.usd === undefined) {
    const message = 'is needed with source "static": US dollars per unit of each asset';
    faults.push({ path: 'rates.usd', message });
  }
  return faults;
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
    rates: {
      source: file.rates?.source ?? 'http',
      usd: file.rates?.usd ?? {},
      fiat: file.rates?.fiat ?? {},
      creditMaxAgeSeconds: file.rates?.credit_max_age_seconds ?? 600,
    },
    commissionPercent: file.commission_percent ?? null,
    payouts: {
      maxUsd: file.payouts?.max_usd ?? null,
      maxUsdPerDay: file.payouts?.max_usd_per_day ?? null,
      max: file.payouts?.max ?? {},
      floor: file.payouts?.floor ?? {},
      sweepCostPercent: file.payouts?.sweep_cost_percent ?? '2',
      maxFeeFactor: file.payouts?.max_fee_factor ?? 5,
    },
    risk: {
      deny: file.risk?.deny ?? [],
      denyFile: file.risk?.deny_file ?? null,
      providerUrl: file.risk?.provider_url ?? null,
    },
    checkout: { explorers: file.checkout?.explorers ?? {} },
  };
}

function toChain(chain: ChainInFile): ChainConfig {
  return {
    rpc: toNodes(chain.rpc, chain.api_key),
    esplora: toNodes(chain.esplora),
    electrum: toNodes(chain.electrum),
    chainId: chain.chain_id ?? null,
    network: chain.network ?? null,
    confirmations: chain.confirmations ?? null,
    pollMs: chain.poll_ms ?? null,
    startHeight: chain.start_height ?? null,
    behindAfterSeconds: chain.behind_after_seconds ?? null,
    stuckMs: chain.stuck_ms ?? null,
    feeCeiling: chain.fee_ceiling ?? null,
    monero: null,
  };
}

function toAsset(asset: Static<typeof Asset>): AssetConfig {
  return {
    contract: asset.contract ?? null,
    decimals: asset.decimals ?? null,
    minAmountUsd: asset.min_amount_usd ?? null,
    enabled: asset.enabled ?? null,
  };
}

function mapValues<T, U>(record: Record<string, T>, convert: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}
