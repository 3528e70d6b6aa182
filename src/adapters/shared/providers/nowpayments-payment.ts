/**
 * A payment in NOWPayments' format, for webhooks and responses: JSON numbers, sorted keys, and only
 * values that PHP encodes equally.
 */
import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import { receivedUnits } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { paidFiatMicros } from '../../../domain/invoices/itemised-price.ts';
import type { ProviderInvoice } from '../../../ports/webhooks/webhook-formats.ts';
import { paidAddress, shopOrderId } from './invoice-fields.ts';
import { nowpaymentsCodes, nowpaymentsNumber, nowpaymentsStatus } from './nowpayments.ts';
import { isPlainToPhp } from './php-json.ts';

export function nowpaymentsPayment(facts: ProviderInvoice): Record<string, unknown> {
  const { invoice, asset, addressParts } = facts;
  const coins = (units: bigint) => nowpaymentsNumber(units, asset?.decimals ?? 0);
  const fiat = (micros: bigint) => nowpaymentsNumber(micros, FIAT_DECIMALS);
  const payCurrency = asset === null ? null : nowpaymentsCodes.codeOf(asset);
  const { fiatCurrency: currency, initialFiatMicros: initialMicros } = invoice;
  return {
    payment_id: invoice.id,
    parent_payment_id: null,
    invoice_id: null,
    payment_status: nowpaymentsStatus(invoice.status),
    pay_address: paidAddress(facts),
    payin_extra_id: addressParts === null || addressParts.tag === null ? null : String(addressParts.tag),
    price_amount: fiat(initialMicros),
    price_currency: currency.toLowerCase(),
    pay_amount: invoice.price === null ? null : coins(invoice.price.dueUnits),
    actually_paid: coins(receivedUnits(invoice.funds)),
    actually_paid_at_fiat: fiat(paidFiatMicros(invoice, { currency, initialMicros })),
    pay_currency: payCurrency,
    order_id: plain(shopOrderId(invoice)) ?? invoice.id,
    order_description: plain(invoice.description) ?? plain(invoice.title),
    purchase_id: invoice.id,
    outcome_amount: coins(facts.creditedUnits),
    outcome_currency: payCurrency,
    payment_extra_ids: null,
    fee: { currency: payCurrency, depositFee: coins(facts.commissionUnits), withdrawalFee: 0, serviceFee: 0 },
  };
}

/**
 * Receivers in PHP sign their own encoding: a text that PHP encodes differently would make them
 * refuse the webhook.
 */
function plain(text: Invoice['description']): string | null {
  return text !== null && isPlainToPhp(text) ? text : null;
}
