/** What an invoice's amount is made of and what was received, as lines of plain text. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { type InvoicePrice, receivedUnits } from '../../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import {
  invoiceRateE12,
  itemisedPrice,
  paidFiatMicros,
  RATE_SHOWN_DECIMALS,
  surplusUnits,
} from '../../../../domain/invoices/itemised-price.ts';
import type { TextKey } from '../messages/message-keys.ts';
import type { Translator } from '../messages/translator.ts';

export interface SumLine {
  readonly name: TextKey;
  readonly value: string;
}

/** Order, modifier, fee and total. Empty where the total is the order. */
export function priceLines(invoice: Invoice, tongue: Translator): readonly SumLine[] {
  const { orderMicros, modifierMicros, feeMicros, totalMicros } = itemisedPrice(invoice);
  if (modifierMicros === 0n && feeMicros === 0n) return [];
  const fiat = (name: TextKey, micros: bigint): SumLine => ({
    name,
    value: tongue.fiat(micros, invoice.fiatCurrency),
  });
  return [
    fiat('itemOrder', orderMicros),
    ...(modifierMicros === 0n
      ? []
      : [fiat(modifierMicros < 0n ? 'itemDiscount' : 'itemSurcharge', modifierMicros)]),
    ...(feeMicros === 0n ? [] : [fiat('itemFee', feeMicros)]),
    fiat('itemTotal', totalMicros),
  ];
}

/** In the invoice's asset, with the surplus if it was overpaid. */
export function receivedLines(invoice: Invoice, asset: Asset, tongue: Translator): readonly SumLine[] {
  const received = receivedUnits(invoice.funds);
  if (received === 0n) return [];
  const over = invoice.status === 'paid_over' ? surplusUnits(invoice) : 0n;
  return [
    { name: 'amountPaid', value: tongue.amount(received, asset) },
    ...(over === 0n ? [] : [{ name: 'amountOver', value: tongue.amount(over, asset) } as const]),
  ];
}

/** "1 BTC = $60,000.00", in the invoice's currency. */
export function rateText(invoice: Invoice, price: InvoicePrice, asset: Asset, tongue: Translator): string {
  const rate = invoiceRateE12(invoice, price, asset);
  const ofOne = tongue.rate(rate, RATE_SHOWN_DECIMALS, invoice.fiatCurrency);
  return tongue.fromLeft(`1 ${asset.symbol} = ${ofOne}`);
}

/** What a complete invoice is worth. A top-up is worth what was paid. */
export function settledMicros(invoice: Invoice): bigint {
  const { fiatCurrency: currency, initialFiatMicros: initialMicros } = invoice;
  return invoice.billingType === 'VARY'
    ? paidFiatMicros(invoice, { currency, initialMicros })
    : itemisedPrice(invoice).totalMicros;
}
