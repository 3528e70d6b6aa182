/** Row <-> domain of the table `invoices`. The dense number `seq` is only for the lists. */
import { getTableColumns } from 'drizzle-orm';
import type { InvoicePrice } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { invoices } from '../schema/invoices.ts';
import type { RowOf } from '../statement.ts';
import { choicesFromText, choicesToText } from './invoice-choices.ts';

const { seq: _, ...columns } = getTableColumns(invoices);
export const INVOICE = columns;
export type InvoiceRow = RowOf<typeof INVOICE>;

export function invoiceFromRow(row: InvoiceRow): Invoice {
  return {
    id: row.id,
    externalId: row.externalId,
    merchantId: row.merchantId,
    sandbox: row.sandbox,
    status: row.status,
    version: row.version,
    billingType: row.billingType,
    tolerancePpm: row.tolerancePpm,
    acceptedUnits: row.acceptedUnits,
    toleranceGiven: row.toleranceGiven,
    price: priceFromRow(row),
    funds: {
      pendingUnits: row.pendingUnits,
      creditedUnits: row.creditedUnits,
      heldUnits: row.heldUnits,
    },
    expiresAt: row.expiresAt,
    processedAt: row.processedAt,
    txid: row.txid,
    addressFrom: row.addressFrom,
    fiatCurrency: row.fiatCurrency,
    initialFiatMicros: row.initialFiatMicros,
    feeBearer: row.feeBearer,
    commissionPpm: row.commissionPpm,
    priceModifierPpm: row.priceModifierPpm,
    initialAsset: row.initialAsset,
    addressTo: row.addressTo,
    customerChooses: row.customerChooses,
    earlierChoices: choicesFromText(row.earlierChoices),
    acceptedCoins: row.acceptedCoins,
    excludedCoins: row.excludedCoins,
    extra: row.extra,
    title: row.title,
    description: row.description,
    metadata: row.metadata,
    payerInfo: row.payerInfo,
    onPaidUrl: row.onPaidUrl,
    onCancelUrl: row.onCancelUrl,
    notifyUrl: row.notifyUrl,
    webhookFormat: row.webhookFormat,
    permanentAddressId: row.permanentAddressId,
    bindsPermanentAddress: row.bindsPermanentAddress,
    userId: row.userId,
    paymentLinkId: row.paymentLinkId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function priceFromRow(row: InvoiceRow): InvoicePrice | null {
  if (row.asset === null) return null;
  if (row.dueUnits === null || row.baseUnits === null || row.deferralUnits === null) {
    throw new Error(`invoice ${row.id} has an asset and no complete price`);
  }
  return {
    asset: row.asset,
    dueUnits: row.dueUnits,
    baseUnits: row.baseUnits,
    originalUnits: row.originalUnits,
    deferralUnits: row.deferralUnits,
  };
}

export function invoiceToRow(invoice: Invoice): InvoiceRow {
  const { price, funds } = invoice;
  return {
    id: invoice.id,
    externalId: invoice.externalId,
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    status: invoice.status,
    version: invoice.version,
    billingType: invoice.billingType,
    tolerancePpm: invoice.tolerancePpm,
    acceptedUnits: invoice.acceptedUnits,
    toleranceGiven: invoice.toleranceGiven,
    asset: price?.asset ?? null,
    dueUnits: price?.dueUnits ?? null,
    baseUnits: price?.baseUnits ?? null,
    originalUnits: price?.originalUnits ?? null,
    deferralUnits: price?.deferralUnits ?? null,
    pendingUnits: funds.pendingUnits,
    creditedUnits: funds.creditedUnits,
    heldUnits: funds.heldUnits,
    expiresAt: invoice.expiresAt,
    processedAt: invoice.processedAt,
    txid: invoice.txid,
    addressFrom: invoice.addressFrom,
    fiatCurrency: invoice.fiatCurrency,
    initialFiatMicros: invoice.initialFiatMicros,
    feeBearer: invoice.feeBearer,
    commissionPpm: invoice.commissionPpm,
    priceModifierPpm: invoice.priceModifierPpm,
    initialAsset: invoice.initialAsset,
    addressTo: invoice.addressTo,
    customerChooses: invoice.customerChooses,
    earlierChoices: choicesToText(invoice.earlierChoices),
    acceptedCoins: invoice.acceptedCoins,
    excludedCoins: invoice.excludedCoins,
    extra: invoice.extra,
    title: invoice.title,
    description: invoice.description,
    metadata: invoice.metadata,
    payerInfo: invoice.payerInfo,
    onPaidUrl: invoice.onPaidUrl,
    onCancelUrl: invoice.onCancelUrl,
    notifyUrl: invoice.notifyUrl,
    webhookFormat: invoice.webhookFormat,
    permanentAddressId: invoice.permanentAddressId,
    bindsPermanentAddress: invoice.bindsPermanentAddress,
    userId: invoice.userId,
    paymentLinkId: invoice.paymentLinkId,
    createdAt: invoice.createdAt,
    updatedAt: invoice.updatedAt,
  };
}
