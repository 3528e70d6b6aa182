/**
 * What a text in the one search box may mean. Each meaning is looked up by an index of its own, so
 * a text may have several. Pure.
 */
import type { AssetCatalog } from '../catalog/asset.ts';
import { FIAT_CURRENCIES, FIAT_DECIMALS, type FiatCurrency } from '../catalog/fiat.ts';
import { parseDecimal, toUnits } from '../money/decimal.ts';

/** Longer than any address, transaction id or e-mail address. */
export const SEARCH_LENGTH_MAX = 256;
/** No address and no transaction id is shorter. */
const CHAIN_TEXT_MIN = 20;

export interface CoinAmount {
  readonly asset: string;
  readonly units: bigint;
}

export interface SearchTerms {
  /** As it was entered, without blanks around it: an order id, a reference, a user's id. */
  readonly text: string;
  /** The id of an invoice, payout, deposit, permanent address or merchant. */
  readonly id: string | null;
  readonly externalId: string | null;
  /** The spellings of one transaction id; empty if it cannot be one. */
  readonly txids: readonly string[];
  /** The same of an address. */
  readonly addresses: readonly string[];
  /** In lower case. */
  readonly email: string | null;
  readonly fiat: { readonly micros: bigint; readonly currency: FiatCurrency | null } | null;
  /** The amount in each coin that it may be of. */
  readonly coins: readonly CoinAmount[];
}

const ID = /^[0-9a-f]{24}$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** `25.25`, `1,250.00 USD`, `usdt 12.5`, `$25`. */
const AMOUNT =
  /^(?:(?<before>[a-z][a-z0-9_]*)\s*)?(?<number>\d[\d,]*(?:\.\d+)?)(?:\s*(?<behind>[a-z][a-z0-9_]*))?$/i;
const SIGNS: Readonly<Record<string, FiatCurrency>> = { $: 'USD', '€': 'EUR', '£': 'GBP' };

/** Null if the text is blank or too long. */
export function searchTerms(
  entered: string,
  on: { catalog: AssetCatalog; spellingsOf: (address: string) => readonly string[] },
): SearchTerms | null {
  const text = entered.trim();
  // The database refuses U+0000.
  if (text === '' || text.length > SEARCH_LENGTH_MAX || text.includes('\0') || !text.isWellFormed())
    return null;
  const isChainText = text.length >= CHAIN_TEXT_MIN && !/\s/.test(text);
  return {
    text,
    id: ID.test(text) ? text.toLowerCase() : null,
    externalId: UUID.test(text) ? text.toLowerCase() : null,
    txids: isChainText ? [...new Set([text, text.toLowerCase(), text.toUpperCase()])] : [],
    addresses: isChainText ? on.spellingsOf(text) : [],
    email: text.includes('@') ? text.toLowerCase() : null,
    // An id may have no letter, and nobody pays so much.
    ...(ID.test(text) ? { fiat: null, coins: [] } : amounts(text, on.catalog)),
  };
}

function amounts(text: string, catalog: AssetCatalog): Pick<SearchTerms, 'fiat' | 'coins'> {
  const none = { fiat: null, coins: [] };
  const [sign, rest] = signed(text);
  const { before, number, behind } = AMOUNT.exec(rest)?.groups ?? {};
  if (number === undefined || (before !== undefined && behind !== undefined)) return none;
  const amount = parseDecimal(number.replaceAll(',', ''));
  if (amount === null) return none;
  const unit = (before ?? behind ?? '').toLowerCase();
  const currency = sign ?? FIAT_CURRENCIES.find((code) => code.toLowerCase() === unit) ?? null;
  const micros = toUnits(amount, FIAT_DECIMALS);
  const isFiat = unit === '' || currency !== null;
  const isCoin = currency === null;
  return {
    fiat: isFiat && micros !== null ? { micros, currency } : null,
    coins: isCoin
      ? catalog.all
          .filter(({ key, ticker }) => unit === '' || key === unit || ticker === unit)
          .flatMap(({ key, decimals }) => {
            const units = toUnits(amount, decimals);
            return units === null || units === 0n ? [] : [{ asset: key, units }];
          })
      : [],
  };
}

function signed(text: string): readonly [FiatCurrency | null, string] {
  const sign = SIGNS[text.slice(0, 1)];
  return sign === undefined ? [null, text] : [sign, text.slice(1).trim()];
}
