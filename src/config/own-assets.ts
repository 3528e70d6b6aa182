/**
 * Rows of `assets` in CONFIG_FILE that add a token to the catalog: their key is not built in, and
 * they name a chain.
 */
import { FormatRegistry, type Static, Type } from '@sinclair/typebox';
import type { OwnAsset, RateRule } from '../domain/catalog/asset.ts';
import { TOKEN_CHAINS } from '../domain/catalog/chain-rows.ts';
import { FIAT_CURRENCIES, type FiatCurrency } from '../domain/catalog/fiat.ts';
import type { ConfigError } from './config-error.ts';
import { closed, Decimal, documented, optional, Text, whole } from './json-file.ts';

const SYMBOL = 'quittance-symbol';
const NAME = 'quittance-coin-name';
const PEG = 'quittance-peg';
FormatRegistry.Set(SYMBOL, (text) => /^[\p{L}\p{N}\p{Sc}][\p{L}\p{N}\p{Sc}.+_-]{0,15}$/u.test(text));
FormatRegistry.Set(NAME, (text) => /^[^\p{C}]{1,50}$/u.test(text));
FormatRegistry.Set(PEG, (text) => /^\d{1,30}(\.\d{1,18})?$/.test(text) && /[1-9]/.test(text));

/** The settings of every asset in the file. */
export const anyAsset = {
  min_amount_usd: optional(
    Decimal,
    'what collecting a deposit costs ([table](operations/treasury.md#small-deposits)); sandbox `"2"`',
    'Minimum amount of an invoice, in both environments',
  ),
  enabled: optional(Type.Boolean({ description: 'true or false' }), 'true', 'Switches an asset on or off'),
};
export const Decimals = whole(0, 36);

const RATE =
  'a ticker that price services know, like "USDC", or an amount of one currency, like {"EUR": "1"}';
const Amount = Type.String({
  format: PEG,
  description: 'a decimal above zero with at most 18 places, as a string',
});
const Peg = Type.Object(Object.fromEntries(FIAT_CURRENCIES.map((fiat) => [fiat, Type.Optional(Amount)])), {
  ...closed,
  minProperties: 1,
  maxProperties: 1,
});

const NEEDED = 'needed for a token of your own';
export const OwnAssetRow = Type.Object(
  {
    chain: documented(
      Type.Union(
        TOKEN_CHAINS.map((chain) => Type.Literal(chain)),
        { description: `a chain with tokens: ${TOKEN_CHAINS.join(', ')}` },
      ),
      NEEDED,
      'Chain of a token of your own ([how](operations/tokens.md#listing-a-token)). Its `<key>` is `<ticker>_<chain>`',
    ),
    contract: documented(
      { ...Text, description: "the address of the token's contract" },
      NEEDED,
      'Its contract',
    ),
    decimals: documented(Decimals, NEEDED, 'Its decimals'),
    symbol: documented(
      Type.String({
        format: SYMBOL,
        description: 'the symbol of the contract, 1 to 16 letters, digits and ".+-_"',
      }),
      NEEDED,
      'Its symbol',
    ),
    name: optional(
      Type.String({ format: NAME, description: 'text of 1 to 50 printable characters' }),
      'the symbol',
      'Its name, for customers',
    ),
    rate: documented(
      Type.Union([Type.String({ pattern: '^[A-Z0-9]{2,10}$' }), Peg], { description: RATE }),
      NEEDED,
      'Its price',
    ),
    ...anyAsset,
  },
  closed,
);

/** Keys of the assets that the file adds. */
export function ownKeys(json: unknown, builtIn: readonly string[]): readonly string[] {
  const assets = (json as { assets?: unknown } | null)?.assets;
  if (typeof assets !== 'object' || assets === null) return [];
  return Object.entries(assets).flatMap(([key, row]) =>
    !builtIn.includes(key) && typeof row === 'object' && row !== null && 'chain' in row ? [key] : [],
  );
}

/** Faults that a schema cannot find, in rows that match it. */
export function ownKeyFaults(assets: readonly OwnAsset[]): readonly ConfigError[] {
  return assets.flatMap(({ key, chain }) => {
    if (/^[a-z0-9]{1,16}$/.test(key.slice(0, -`_${chain}`.length)) && key.endsWith(`_${chain}`)) return [];
    const message = `must have a key of 1 to 16 lower-case letters and digits, and then "_${chain}"`;
    return [{ path: `assets.${key}`, message }];
  });
}

export function toOwnAsset(key: string, row: Static<typeof OwnAssetRow>): OwnAsset {
  return {
    key,
    chain: row.chain as OwnAsset['chain'],
    contract: row.contract as string,
    decimals: row.decimals,
    symbol: row.symbol,
    name: row.name ?? null,
    rate: toRateRule(row.rate),
    minAmountUsd: row.min_amount_usd ?? null,
    enabled: row.enabled ?? true,
  };
}

function toRateRule(rate: Static<typeof OwnAssetRow>['rate']): RateRule {
  if (typeof rate === 'string') return { ticker: rate };
  const [[currency, amount] = ['USD', '1']] = Object.entries(rate as Record<string, string>);
  return { currency: currency as FiatCurrency, amount };
}
