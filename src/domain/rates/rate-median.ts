/**
 * Combines the quotes of several price sources: a price far from the others is dropped, and the
 * median of the rest counts. If too few agree there is no price.
 */
import { parseDecimal } from '../money/decimal.ts';
import { RATE_SCALE } from './rate.ts';

/** USD per whole coin, or units of a currency per USD, times 10^18. */
export type UsdPrice = bigint;

/** One source's prices as plain decimals; anything else than a decimal above zero is ignored. */
export interface QuotedPrices {
  readonly usdPerAsset: ReadonlyMap<string, string>;
  readonly fiatPerUsd: ReadonlyMap<string, string>;
}

export interface CombinedPrices {
  /** By ticker, for example `BTC`. */
  readonly usdPerAsset: ReadonlyMap<string, UsdPrice>;
  /** By currency code; USD itself is always 10^18. */
  readonly fiatPerUsd: ReadonlyMap<string, UsdPrice>;
}

const TOLERANCE_PERCENT = 5n;
const SCALE_DECIMALS = 18;

/**
 * @param options.minimumSources how many sources must agree, default 2. With 1, a price of a single
 * source counts; if several have one, at least two must agree anyway.
 */
export function combineQuotes(
  quotes: readonly QuotedPrices[],
  options: { minimumSources?: number } = {},
): CombinedPrices {
  const minimum = options.minimumSources ?? 2;
  const fiat = combined(
    quotes.map((quote) => quote.fiatPerUsd),
    minimum,
  );
  fiat.set('USD', RATE_SCALE);
  return {
    usdPerAsset: combined(
      quotes.map((quote) => quote.usdPerAsset),
      minimum,
    ),
    fiatPerUsd: fiat,
  };
}

/**
 * The same with doubtful prices: proven ones decide. If too few of them agree, all together decide,
 * unless a proven one is far from the result.
 */
export function combineDoubtful(
  proven: readonly QuotedPrices[],
  all: readonly QuotedPrices[],
): CombinedPrices {
  const sure = combineQuotes(proven);
  const perhaps = combineQuotes(all);
  const contradicted = (symbol: string, price: UsdPrice): boolean =>
    proven.some(({ usdPerAsset }) => {
      const told = priceOf(usdPerAsset.get(symbol) ?? '');
      return told !== null && !isNear(told, price);
    });
  const usdPerAsset = new Map(sure.usdPerAsset);
  for (const [symbol, price] of perhaps.usdPerAsset)
    if (!usdPerAsset.has(symbol) && !contradicted(symbol, price)) usdPerAsset.set(symbol, price);
  return { usdPerAsset, fiatPerUsd: new Map([...perhaps.fiatPerUsd, ...sure.fiatPerUsd]) };
}

function combined(tables: readonly ReadonlyMap<string, string>[], minimum: number): Map<string, UsdPrice> {
  const bySymbol = new Map<string, UsdPrice[]>();
  for (const table of tables) {
    for (const [symbol, text] of table) {
      const price = priceOf(text);
      if (price !== null) bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), price]);
    }
  }
  const agreed = new Map<string, UsdPrice>();
  for (const [symbol, prices] of bySymbol) {
    const price = agreedPrice(prices, minimum);
    if (price !== null) agreed.set(symbol, price);
  }
  return agreed;
}

/** The price that enough of `prices` agree on (rounded down to 10^-18), or null. */
export function agreedPrice(prices: readonly UsdPrice[], minimumSources: number): UsdPrice | null {
  const needed = prices.length > 1 ? Math.max(2, minimumSources) : minimumSources;
  const kept = prices.length >= 3 ? nearTo(median(prices), prices) : prices;
  if (kept.length === 0 || kept.length < needed) return null;
  const [first, second] = kept;
  if (kept.length === 2 && first !== undefined && second !== undefined) {
    const [low, high] = first < second ? [first, second] : [second, first];
    if (!isNear(high, low)) return null;
  }
  return median(kept);
}

function nearTo(middle: UsdPrice, prices: readonly UsdPrice[]): readonly UsdPrice[] {
  return prices.filter((price) => isNear(price, middle));
}

function isNear(price: UsdPrice, reference: UsdPrice): boolean {
  const distance = price > reference ? price - reference : reference - price;
  return distance * 100n <= reference * TOLERANCE_PERCENT;
}

function median(prices: readonly UsdPrice[]): UsdPrice {
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('the median of nothing');
  return (lower + upper) / 2n;
}

/** Rounded down to 10^-18; null if that is zero. */
function priceOf(text: string): UsdPrice | null {
  const parsed = parseDecimal(text);
  if (parsed === null || parsed.digits <= 0n) return null;
  const shift = SCALE_DECIMALS - parsed.scale;
  const price = shift >= 0 ? parsed.digits * 10n ** BigInt(shift) : parsed.digits / 10n ** BigInt(-shift);
  return price > 0n ? price : null;
}
