/**
 * The CONFIG_FILE half of the configuration: JSON held against a TypeBox schema that is built from the catalog, so that
 * an unknown chain, asset or currency is a fault at its place like any other.
 */
import { FormatRegistry, type Static, Type } from '@sinclair/typebox';
import type { AssetConfig, ChainConfig, Config, ConfigFault } from '../config.ts';
import { closed, Decimal, isDecimal, readJson, schemaFaults } from './json-file.ts';

/** The names a configuration file may use. */
export interface Catalog {
  readonly chains: readonly string[];
  readonly assetKeys: readonly string[];
  readonly fiats: readonly string[];
}

type FileConfig = Pick<Config, 'chains' | 'assets' | 'rates' | 'commissionPercent' | 'payouts' | 'risk'>;

/** Reads and checks the file; appends what is wrong to `faults` and then answers as if the file were empty. */
export function readConfigFile(
  path: string | null,
  files: { read(path: string): string },
  catalog: Catalog,
  faults: ConfigFault[],
): FileConfig {
  if (path === null) return toConfig({});
  const json = readJson('CONFIG_FILE', path, files, faults);
  if (json === undefined) return toConfig({});
  const found = faultsOf(json, fileSchema(catalog));
  faults.push(...found);
  return toConfig(found.length === 0 ? (json as ConfigFile) : {});
}

const PERCENT = 'quittance-percent';
const HTTP_URL = 'quittance-http-url';
FormatRegistry.Set(PERCENT, (text) => isDecimal(text) && /^0*\d{0,2}(\.|$)/.test(text));
FormatRegistry.Set(HTTP_URL, (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''));

const HttpUrl = Type.String({ format: HTTP_URL, description: 'an http(s) URL' });
const Text = Type.String({ minLength: 1, maxLength: 500, description: 'text of 1 to 500 characters' });
const whole = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description: `a whole number, ${minimum} to ${maximum}` });

const Chain = Type.Object(
  {
    rpc: Type.Array(HttpUrl, { minItems: 1, description: 'a list of at least one http(s) URL' }),
    chain_id: Type.Optional(whole(1, Number.MAX_SAFE_INTEGER)),
    confirmations: Type.Optional(whole(0, 100_000)),
    poll_ms: Type.Optional(whole(10, 3_600_000)),
    start_height: Type.Optional(whole(0, Number.MAX_SAFE_INTEGER)),
    stuck_ms: Type.Optional(whole(1_000, 86_400_000)),
  },
  closed,
);

const Asset = Type.Object(
  {
    contract: Type.Optional(Text),
    decimals: Type.Optional(whole(0, 36)),
    min_amount_usd: Type.Optional(Decimal),
    enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  closed,
);

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

interface ConfigFile {
  readonly chains?: Record<string, Static<typeof Chain>>;
  readonly assets?: Record<string, Static<typeof Asset>>;
  readonly rates?: {
    readonly source?: 'http' | 'static';
    readonly usd?: Record<string, string>;
    readonly fiat?: Record<string, string>;
  };
  readonly commission_percent?: string;
  readonly payouts?: {
    readonly max_usd?: string;
    readonly max_usd_per_day?: string;
    readonly max?: Record<string, string>;
    readonly floor?: Record<string, string>;
    readonly sweep_cost_percent?: string;
  };
  readonly risk?: Static<typeof Risk>;
}

function fileSchema(catalog: Catalog) {
  const named = <T extends typeof Chain | typeof Asset | typeof Decimal>(names: readonly string[], each: T) =>
    Type.Optional(Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(each)])), closed));
  const source = Type.Union([Type.Literal('http'), Type.Literal('static')], {
    description: '"http" or "static"',
  });
  const rates = {
    source: Type.Optional(source),
    usd: named(catalog.assetKeys, Decimal),
    // one US dollar is one US dollar
    fiat: named(
      catalog.fiats.filter((fiat) => fiat !== 'USD'),
      Decimal,
    ),
  };
  const payouts = {
    max_usd: Type.Optional(Decimal),
    max_usd_per_day: Type.Optional(Decimal),
    max: named(catalog.assetKeys, Decimal),
    floor: named(catalog.assetKeys, Decimal),
    sweep_cost_percent: Type.Optional(Percent),
  };
  return Type.Object(
    {
      chains: named(catalog.chains, Chain),
      assets: named(catalog.assetKeys, Asset),
      rates: Type.Optional(Type.Object(rates, closed)),
      commission_percent: Type.Optional(Percent),
      payouts: Type.Optional(Type.Object(payouts, closed)),
      risk: Type.Optional(Risk),
    },
    closed,
  );
}

function faultsOf(json: unknown, schema: ReturnType<typeof fileSchema>): readonly ConfigFault[] {
  const faults = [...schemaFaults(json, schema, 'CONFIG_FILE')];
  const rates = (json as ConfigFile | null)?.rates;
  if (rates?.source === 'static' && rates.usd === undefined) {
    const message = 'is needed with source "static": US dollars per unit of each asset';
    faults.push({ path: 'rates.usd', message });
  }
  return faults;
}

function toConfig(file: ConfigFile): FileConfig {
  return {
    chains: mapValues(file.chains ?? {}, toChain),
    assets: mapValues(file.assets ?? {}, toAsset),
    rates: { source: file.rates?.source ?? 'http', usd: file.rates?.usd ?? {}, fiat: file.rates?.fiat ?? {} },
    commissionPercent: file.commission_percent ?? null,
    payouts: {
      maxUsd: file.payouts?.max_usd ?? null,
      maxUsdPerDay: file.payouts?.max_usd_per_day ?? null,
      max: file.payouts?.max ?? {},
      floor: file.payouts?.floor ?? {},
      sweepCostPercent: file.payouts?.sweep_cost_percent ?? '2',
    },
    risk: {
      deny: file.risk?.deny ?? [],
      denyFile: file.risk?.deny_file ?? null,
      providerUrl: file.risk?.provider_url ?? null,
    },
  };
}

function toChain(chain: Static<typeof Chain>): ChainConfig {
  return {
    rpc: chain.rpc.map((url) => url.replace(/\/+$/, '')),
    chainId: chain.chain_id ?? null,
    confirmations: chain.confirmations ?? null,
    pollMs: chain.poll_ms ?? null,
    startHeight: chain.start_height ?? null,
    stuckMs: chain.stuck_ms ?? null,
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
