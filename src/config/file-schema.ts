/**
 * The schema of CONFIG_FILE, built from the catalog: an unknown chain, asset or currency is a fault
 * at its place. Each key has its default and its purpose, from which `bun run docs` writes
 * docs/configuration.md.
 */
import { FormatRegistry, type Static, Type } from '@sinclair/typebox';
import { chainSchema } from './chains.ts';
import { checkoutFields } from './checkout.ts';
import { closed, Decimal, isDecimal, named, optional, Text, whole } from './json-file.ts';
import { anyAsset, Decimals, OwnAssetRow } from './own-assets.ts';
import { RiskSection } from './risk.ts';

/** The names a configuration file may use. */
export interface Catalog {
  readonly chains: readonly string[];
  readonly assetKeys: readonly string[];
  readonly fiats: readonly string[];
}

export type ConfigFile = Static<ReturnType<typeof fileSchema>>;

/** The defaults of the file. */
export const FILE_DEFAULTS = {
  source: 'http',
  creditMaxAgeSeconds: 600,
  sweepCostPercent: '2',
  maxFeeFactor: 5,
} as const;

const PERCENT = 'quittance-percent';
FormatRegistry.Set(PERCENT, (text) => isDecimal(text) && /^0*\d{0,2}(\.|$)/.test(text));
const Percent = Type.String({
  format: PERCENT,
  description: 'a percentage from 0 to under 100, as a string',
});

const TEST_NETWORKS =
  'For test networks, where a built-in token without its `contract` is there for the sandbox alone';
export const BuiltInAssetRow = Type.Object(
  {
    contract: optional(Text, 'built in', `Contract of a built-in token. ${TEST_NETWORKS}`),
    decimals: optional(Decimals, 'built in', 'Decimals of a built-in token, for test networks'),
    ...anyAsset,
  },
  closed,
);

const ForwardRow = Type.Object(
  {
    above: {
      ...Decimal,
      without: 'needed',
      doc: 'Coins. Above so much that payouts and gas do not need, the hot wallet forwards to the cold address of the [signer](operations/signer.md#the-cold-address)',
    },
    keep: {
      ...Decimal,
      without: 'needed',
      doc: 'Coins that stay in the hot wallet then. Less than `above`',
    },
  },
  closed,
);

/** `own`: the keys of the file's own tokens. */
export function fileSchema(catalog: Catalog, own: readonly string[]) {
  const assetKeys = [...catalog.assetKeys, ...own];
  const amounts = (placeholder: string, names: readonly string[], without: string, doc: string) =>
    named(placeholder, names, () => ({ ...Decimal, without, doc }));
  // One US dollar is one US dollar.
  const currencies = catalog.fiats.filter((fiat) => fiat !== 'USD');
  const source = Type.Union([Type.Literal('http'), Type.Literal('static')], {
    description: '"http" or "static"',
  });
  const rates = {
    source: optional(
      source,
      `"${FILE_DEFAULTS.source}"`,
      '`"http"`: public price services. `"static"`: only the prices below',
    ),
    usd: amounts('<asset>', assetKeys, 'needed with `"static"`', 'US dollars per coin'),
    credit_max_age_seconds: optional(
      whole(60, 86_400),
      String(FILE_DEFAULTS.creditMaxAgeSeconds),
      'Highest age of a price that a payment is credited at. Without such a price it waits',
    ),
    fiat: amounts('<currency>', currencies, 'the price services', 'Units of the currency per US dollar'),
  };
  const payouts = {
    max_usd: optional(
      Decimal,
      'none',
      'US dollars of one payout. A payout over a limit is held until an operator releases it',
    ),
    max_usd_per_day: optional(Decimal, 'none', "US dollars of a merchant's payouts within 24 hours"),
    max: amounts('<asset>', assetKeys, 'none', 'Coins of one payout'),
    floor: amounts(
      '<asset>',
      assetKeys,
      'none',
      'Coins that stay in the hot wallet: payouts that would take them wait',
    ),
    sweep_cost_percent: optional(
      Percent,
      `"${FILE_DEFAULTS.sweepCostPercent}"`,
      'A deposit address is swept to the hot wallet if that costs at most this share of its value',
    ),
    max_fee_factor: optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'a whole number, 1 to 1000' }),
      String(FILE_DEFAULTS.maxFeeFactor),
      "A recipient that is a contract may raise a payout's network fee to this many times an ordinary one's. Above it the payout is refused",
    ),
  };
  return Type.Object(
    {
      chains: named('<chain>', catalog.chains, chainSchema),
      assets: named('<key>', assetKeys, (key) => (own.includes(key) ? OwnAssetRow : BuiltInAssetRow)),
      rates: Type.Optional(Type.Object(rates, closed)),
      commission_percent: optional(
        Percent,
        '"1"',
        'Commission of merchants made with `bun run merchant create`',
      ),
      payouts: Type.Optional(Type.Object(payouts, closed)),
      treasury: Type.Optional(
        Type.Object({ forward: named('<asset>', assetKeys, () => ForwardRow) }, closed),
      ),
      risk: Type.Optional(RiskSection),
      checkout: Type.Optional(checkoutFields(catalog.chains)),
    },
    closed,
  );
}
