/** The fields of an invoice that several providers' bodies share. */

import { FIAT_DECIMALS, minorDecimals } from '../../../domain/catalog/fiat.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { formatUnits, mulDiv } from '../../../domain/money/decimal.ts';
import type { ProviderInvoice } from '../../../ports/webhooks/webhook-formats.ts';

/**
 * The id by which a receiver finds its order: the merchant's own text, else the user of a permanent
 * address, else the invoice id.
 */
export function shopOrderId({ extra, userId, id }: Invoice): string {
  return extra ?? userId ?? id;
}

/** The requested amount in the invoice's currency, as a plain decimal. */
export function requestedFiat({ initialFiatMicros }: Invoice): string {
  return formatUnits(initialFiatMicros, FIAT_DECIMALS);
}

/** Fiat micros as a whole number of the currency's minor unit, rounded down. */
export function minorUnits(micros: bigint, currency: Invoice['fiatCurrency']): bigint {
  return mulDiv(micros, 1n, 10n ** BigInt(FIAT_DECIMALS - minorDecimals(currency)), 'floor');
}

/** The paid address, without XRP's destination tag. */
export function paidAddress({ invoice, addressParts }: ProviderInvoice): string | null {
  return addressParts?.account ?? invoice.addressTo;
}

/** The `custom` field of a CoinPayments client, returned to its receiver. */
export function customText({ metadata }: Invoice): string | null {
  return typeof metadata?.custom === 'string' ? metadata.custom : null;
}

/** A text of payer_info, which may contain anything under any name. */
export function payerText({ payerInfo }: Invoice, field: 'name' | 'email'): string | null {
  const value = payerInfo?.[field];
  return typeof value === 'string' ? value : null;
}
