/** The price of an invoice for people: what it is made of, its rate, and what was paid above it. */
import type { Asset } from '../catalog/asset.ts';
import { ceilToMinor, FIAT_DECIMALS, type FiatCurrency, floorToMinor } from '../catalog/fiat.ts';
import { mulDiv } from '../money/decimal.ts';
import { PPM } from '../money/fee.ts';
import { type InvoicePrice, type InvoiceState, receivedUnits } from './invoice.ts';
import { dueFiatMicros, type PricingRequest } from './invoice-terms.ts';

type PricedInvoice = Omit<PricingRequest, 'requested'> & { readonly initialFiatMicros: bigint };

/** In fiat micros, all of them whole minor units. The first three add up to the total. */
export interface ItemisedPrice {
  readonly orderMicros: bigint;
  /** Below zero: a discount. Zero: the price modifier changes nothing. */
  readonly modifierMicros: bigint;
  /** The commission, where the customer pays it; else zero. */
  readonly feeMicros: bigint;
  readonly totalMicros: bigint;
}

/** Each sum is rounded up to the minor unit of the invoice's currency, as the total is. */
export function itemisedPrice(invoice: PricedInvoice): ItemisedPrice {
  const { fiatCurrency, initialFiatMicros, priceModifierPpm } = invoice;
  const orderMicros = ceilToMinor(initialFiatMicros, fiatCurrency);
  const base = mulDiv(initialFiatMicros, PPM + (priceModifierPpm ?? 0n), PPM, 'ceil');
  const baseMicros = ceilToMinor(base, fiatCurrency);
  const totalMicros = dueFiatMicros(invoice);
  return {
    orderMicros,
    modifierMicros: baseMicros - orderMicros,
    feeMicros: totalMicros - baseMicros,
    totalMicros,
  };
}

/**
 * fiat_amount: what was paid, at the invoice's own price; equal to initial_fiat_amount if paid
 * exactly.
 */
export function paidFiatMicros(
  state: Pick<InvoiceState, 'price' | 'funds'>,
  fiat: { currency: FiatCurrency; initialMicros: bigint | null },
): bigint {
  if (state.price === null || fiat.initialMicros === null) return 0n;
  const paid = mulDiv(receivedUnits(state.funds), fiat.initialMicros, state.price.dueUnits, 'floor');
  return floorToMinor(paid, fiat.currency);
}

/** Decimals of an invoice's rate. */
export const RATE_SHOWN_DECIMALS = 2 * FIAT_DECIMALS;

/**
 * What the invoice counts a whole coin as: units of its currency x 10^12, rounded down. The amount
 * in coins was rounded up, so this is at most the rate of the market.
 */
export function invoiceRateE12(
  { initialFiatMicros }: Pick<PricedInvoice, 'initialFiatMicros'>,
  price: InvoicePrice,
  { decimals }: Pick<Asset, 'decimals'>,
): bigint {
  const coin = 10n ** BigInt(decimals + RATE_SHOWN_DECIMALS - FIAT_DECIMALS);
  return mulDiv(initialFiatMicros, coin, price.originalUnits ?? price.baseUnits, 'floor');
}

/** What was paid above the amount due, in base units; zero where it was not. */
export function surplusUnits({ price, funds }: Pick<InvoiceState, 'price' | 'funds'>): bigint {
  const over = price === null ? 0n : receivedUnits(funds) - price.dueUnits;
  return over > 0n ? over : 0n;
}

/** A surplus below this share of what is due is dust, if it is also worth less than 2 USD. */
const DUST_PPM = 5_000n;

/**
 * Whether there is a surplus, and it is dust: wallets and exchanges round up. `deferralUnits` were
 * worth 2 USD when the price was fixed.
 */
export function isDust(state: Pick<InvoiceState, 'price' | 'funds'>): boolean {
  const over = surplusUnits(state);
  const { price } = state;
  return price !== null && over > 0n && over < price.deferralUnits && over * PPM < price.dueUnits * DUST_PPM;
}
