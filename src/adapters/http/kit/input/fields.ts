/**
 * Rules that a schema cannot express: names of the catalog, decimals of a currency, URLs, sizes.
 */

import type { Asset, AssetCatalog } from '../../../../domain/catalog/asset.ts';
import {
  FIAT_CURRENCIES,
  type FiatCurrency,
  isFiatCurrency,
  minorDecimals,
} from '../../../../domain/catalog/fiat.ts';
import { type Decimal, toUnits, withoutNoise } from '../../../../domain/money/decimal.ts';
import type { ExactNumber } from '../../../../domain/money/exact-number.ts';
import type { JsonObject } from '../../../../domain/money/json.ts';
import { isWebLink } from '../../../../domain/web-link.ts';
import { checkWebhookUrl } from '../../../../domain/webhooks/webhook-url.ts';
import { stringifyExact } from './exact-json.ts';
import { decimal } from './schema.ts';
import type { Faults } from './validate.ts';

const MAX_OBJECT_BYTES = 16 * 1024;

/**
 * A percentage in millionths: 1.5 % is 15,000 ppm (domain/money/fee.ts). The schema allows four
 * decimals, so this is exact.
 */
export function ppmOf(percent: number | ExactNumber | undefined): bigint | null {
  return percent === undefined ? null : toUnits(decimal(percent), 4);
}

export function assetOf(
  names: { readonly asset?: string; readonly chain?: string },
  at: { prefix: string; catalog: AssetCatalog },
  faults: Faults,
): Asset | null {
  const { asset, chain } = names;
  if (asset === undefined) {
    if (chain !== undefined) faults.add(`${at.prefix}chain`, 'requires an asset');
    return null;
  }
  const found = at.catalog.resolve(asset, chain);
  if ('asset' in found) return found.asset;
  const knownAlone = chain !== undefined && 'asset' in at.catalog.resolve(asset);
  faults.add(`${at.prefix}${knownAlone ? 'chain' : 'asset'}`, `is refused: ${found.message}`);
  return null;
}

/** The full asset keys of a list of names, each once. */
export function assetKeys(
  names: readonly unknown[] | undefined,
  at: { field: string; catalog: AssetCatalog },
  faults: Faults,
): readonly string[] | null {
  if (names === undefined) return null;
  const keys = new Set<string>();
  names.forEach((name, index) => {
    if (typeof name !== 'string') return;
    const found = at.catalog.resolve(name);
    if ('asset' in found) keys.add(found.asset.key);
    else faults.add(`${at.field}.${index}`, `is refused: ${found.message}`);
  });
  return [...keys];
}

export function fiatOf(code: string | undefined, field: string, faults: Faults): FiatCurrency | null {
  if (code === undefined) return null;
  const upper = code.toUpperCase();
  if (isFiatCurrency(upper)) return upper;
  faults.add(field, `must be one of ${FIAT_CURRENCIES.join(', ')}`);
  return null;
}

/**
 * The amount, checked against the decimals of its currency. More are refused and never rounded
 * (decision 0001), except for float noise.
 */
export function amountIn(
  currency: { fiat: FiatCurrency } | { asset: Asset } | null,
  amount: number | ExactNumber | undefined,
  field: string,
  faults: Faults,
): Decimal | null {
  if (amount === undefined) return null;
  const given = decimal(amount);
  if (currency === null) return given;
  const [decimals, name] =
    'fiat' in currency
      ? [minorDecimals(currency.fiat), currency.fiat]
      : [currency.asset.decimals, currency.asset.key];
  const value = withoutNoise(given, decimals);
  if (value === null) faults.add(field, `must have at most ${decimals} decimals in ${name}`);
  return value;
}

/** The destination of a webhook. */
export function webhookUrl(url: string | undefined, field: string, faults: Faults): string | null {
  const problem = url === undefined ? null : checkWebhookUrl(url);
  if (problem !== null) faults.add(field, `is refused: ${problem}`);
  return url ?? null;
}

export function webLink(url: string | undefined, field: string, faults: Faults): string | null {
  if (url !== undefined && !isWebLink(url)) faults.add(field, 'must be an http or https URL');
  return url ?? null;
}

export function boundedObject(
  object: JsonObject | undefined,
  field: string,
  faults: Faults,
): JsonObject | null {
  if (object === undefined) return null;
  if (Buffer.byteLength(stringifyExact(object)) > MAX_OBJECT_BYTES) {
    faults.add(field, `must be at most ${MAX_OBJECT_BYTES} bytes as JSON`);
  }
  return object;
}
