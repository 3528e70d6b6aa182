/**
 * An invoice in CoinPayments' current format, for webhooks and responses. It has all keys of the
 * provider's sample, because it is unknown which ones receivers need.
 */
import type { Asset } from '../../../domain/catalog/asset.ts';
import { receivedUnits } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { type ExactNumber, exactNumber } from '../../../domain/money/exact-number.ts';
import type { ProviderInvoice } from '../../../ports/webhooks/webhook-formats.ts';
import { coinpaymentsV2Currency, coinpaymentsV2FiatId, coinpaymentsV2Status } from './coinpayments-v2.ts';
import { minorUnits, paidAddress, payerText, shopOrderId } from './invoice-fields.ts';

export function coinpaymentsV2Invoice(facts: ProviderInvoice): Record<string, unknown> {
  const { invoice, asset } = facts;
  const { state } = coinpaymentsV2Status(invoice.status);
  const orderId = shopOrderId(invoice);
  const total = exactNumber(minorUnits(invoice.initialFiatMicros, invoice.fiatCurrency), 0);
  return {
    invoiceId: orderId,
    id: invoice.externalId,
    userId: invoice.merchantId,
    userEmail: null,
    merchantId: invoice.merchantId,
    merchantClientId: null,
    invoiceNumber: orderId,
    invoiceNumberSuffix: null,
    createdAt: seconds(invoice.createdAt),
    invoiceDate: null,
    dueDate: null,
    description: invoice.description,
    expiresDate: seconds(invoice.expiresAt),
    customData: invoice.metadata,
    notes: null,
    notesToRecipient: null,
    buyerDataCollectionMessage: null,
    termsAndConditions: null,
    metadata: null,
    poNumber: null,
    buyer: buyer(invoice),
    shipping: null,
    lineItems: [lineItem(invoice, total)],
    merchantOptions: {
      additionalInfo: null,
      showAddress: false,
      showEmail: false,
      showPhone: false,
      showRegistrationNumber: false,
    },
    emailDeliveryOptions: null,
    amount: {
      currency: { id: numeric(coinpaymentsV2FiatId(invoice.fiatCurrency)), smartContract: null },
      subtotal: total,
      shippingTotal: 0,
      handlingTotal: 0,
      discountTotal: 0,
      taxTotal: 0,
      total,
    },
    state,
    flags: {
      requireBuyerNameAndEmail: false,
      sendPaymentCompleteEmailNotification: false,
      isPos: false,
    },
    canceledAt: endedAt(invoice, state === 'Cancelled'),
    completedAt: endedAt(invoice, state === 'Completed'),
    confirmedAt: endedAt(invoice, state === 'Completed'),
    payments: asset === null || receivedUnits(invoice.funds) === 0n ? [] : [payment(facts, asset)],
    payoutConfig: null,
    partialAcceptAvailable: false,
  };
}

function lineItem(invoice: Invoice, total: ExactNumber): Record<string, unknown> {
  return {
    amount: total,
    customId: null,
    description: null,
    name: invoice.title ?? shopOrderId(invoice),
    originalAmount: total,
    quantity: 1,
    sku: null,
    tax: null,
    type: 'Quantity',
  };
}

/** Amounts are strings of base units, because more digits than a float holds are common. */
function payment(facts: ProviderInvoice, asset: Asset): Record<string, unknown> {
  const { invoice } = facts;
  const { id, contract } = coinpaymentsV2Currency(asset);
  return {
    id: invoice.id,
    invoiceId: invoice.externalId,
    createdAt: seconds(invoice.createdAt),
    expiresAt: seconds(invoice.expiresAt),
    state: coinpaymentsV2Status(invoice.status).state,
    transactionId: invoice.txid,
    hotWallet: {
      currency: { id: numeric(id), smartContract: contract },
      paymentReceiveAddress: paidAddress(facts),
      destinationTag: facts.addressParts?.tag ?? null,
      paymentSubTotal: String(invoice.price?.dueUnits ?? 0n),
      confirmedAmount: String(invoice.funds.creditedUnits + invoice.funds.heldUnits),
      unconfirmedAmount: String(invoice.funds.pendingUnits),
      merchantFee: { coinPaymentsFee: String(facts.commissionUnits) },
    },
  };
}

function buyer(invoice: Invoice): Record<string, unknown> | null {
  const name = payerText(invoice, 'name');
  const email = payerText(invoice, 'email');
  if (name === null && email === null) return null;
  return { companyName: null, email, firstName: name, lastName: null, phoneNumber: null, address: null };
}

/**
 * The provider's ids are numbers in bodies; the gateway's own, used where those are unknown, are
 * text.
 */
function numeric(id: string): number | string {
  return /^\d+$/.test(id) ? Number(id) : id;
}

function endedAt({ processedAt }: Invoice, isSo: boolean): number | null {
  return isSo && processedAt !== null ? seconds(processedAt) : null;
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
