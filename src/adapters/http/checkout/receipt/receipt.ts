/** The receipt of a complete invoice as plain text in one language, for the page and the PDF. */
import { itemisedPrice } from '../../../../domain/invoices/itemised-price.ts';
import { networkName } from '../display-names.ts';
import type { TextKey } from '../messages/message-keys.ts';
import type { Translator } from '../messages/translator.ts';
import { priceLines, rateText, receivedLines, settledMicros } from '../page/sum-lines.ts';
import type { CheckoutView } from '../view.ts';

export interface ReceiptLine {
  readonly name: string;
  readonly value: string;
}

export interface Receipt {
  readonly heading: string;
  /** Of a sandbox invoice. */
  readonly warning: string | null;
  readonly merchant: string | null;
  /** Title and description of the invoice. */
  readonly subject: string | null;
  readonly description: string | null;
  /** Date, numbers and seller. */
  readonly facts: readonly ReceiptLine[];
  /** What was due, in the invoice's currency. */
  readonly sums: readonly ReceiptLine[];
  /** What was paid, or refunded: the line that counts. */
  readonly total: ReceiptLine;
  /** What was received in coins, and the rate. */
  readonly received: readonly ReceiptLine[];
  readonly transactionsHeading: string;
  readonly transactions: readonly ReceiptTransaction[];
}

interface ReceiptTransaction {
  readonly amount: string;
  readonly network: string;
  /** Whole. */
  readonly txid: string;
}

/** Null before the payment is complete, and without an asset. */
export function receiptOf(view: CheckoutView, tongue: Translator = view.tongue): Receipt | null {
  const { invoice, stage, brand, catalog } = view;
  if (!stage.receipt || invoice.price === null) return null;
  const asset = catalog.require(invoice.price.asset);
  const line = (name: TextKey, value: string): ReceiptLine => ({ name: tongue.plain(name), value });
  const given = (name: TextKey, value: string | null): ReceiptLine[] =>
    value === null ? [] : [line(name, value)];
  const micros = stage.name === 'refunded' ? itemisedPrice(invoice).totalMicros : settledMicros(invoice);
  return {
    heading: tongue.plain('receipt'),
    warning: invoice.sandbox ? tongue.plain('testTitle') : null,
    merchant: brand?.name ?? null,
    subject: invoice.title,
    description: invoice.description,
    facts: [
      line('receiptDate', tongue.time(invoice.updatedAt ?? invoice.createdAt)),
      line('receiptNumber', invoice.id),
      ...given('orderReference', invoice.extra),
      ...given('receiptSeller', brand?.legalName ?? null),
    ],
    sums: priceLines(invoice, tongue).map(({ name, value }) => line(name, value)),
    total: line(stage.amount, tongue.fiat(micros, invoice.fiatCurrency)),
    received: [
      ...receivedLines(invoice, asset, tongue).map(({ name, value }) => line(name, value)),
      line('receiptRate', rateText(invoice, invoice.price, asset, tongue)),
    ],
    transactionsHeading: tongue.plain('transactionId'),
    transactions: view.payments.map((payment) => {
      const paid = catalog.require(payment.asset);
      return {
        amount: tongue.amount(payment.units, paid),
        network: networkName(paid),
        txid: payment.txid,
      };
    }),
  };
}
