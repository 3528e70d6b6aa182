/** What several providers' bodies say alike of an invoice. */

import { FIAT_DECIMALS, minorDecimals } from '../../../domain/catalog/fiat.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { formatUnits, mulDiv } from '../../../domain/money/decimal.ts';
import type { ToldInvoice } from '../../../ports/webhooks/webhook-formats.ts';

/** What a receiver finds its order by: the merchant's own text, else the user of a permanent address, else our id. */
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

/** The address that is paid, without the destination tag that XRP keeps apart. */
export function paidAddress({ invoice, addressParts }: ToldInvoice): string | null {
  return addressParts?.account ?? invoice.addressTo;
}

/** What a client of CoinPayments gave as `custom`, which its receiver is told again. */
export function customText({ metadata }: Invoice): string | null {
  return typeof metadata?.custom === 'string' ? metadata.custom : null;
}

/** A text of payer_info, which may hold anything under any name. */
export function payerText({ payerInfo }: Invoice, field: 'name' | 'email'): string | null {
  const value = payerInfo?.[field];
  return typeof value === 'string' ? value : null;
}
