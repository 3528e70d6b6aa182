/** Row <-> domain of the table `invoices`. The dense number `seq` belongs to the lists and is not part of the domain. */

import type { FiatCurrency } from '../../../domain/catalog/fiat.ts';
import type { BillingType, InvoicePrice, InvoiceStatus } from '../../../domain/invoices/invoice.ts';
import type { Invoice, WebhookFormat } from '../../../domain/invoices/invoice-record.ts';
import type { FeeBearer } from '../../../domain/money/fee.ts';
import { jsonFromText, jsonToText } from '../client/json-text.ts';
import { choicesFromText, choicesToText } from './invoice-choices.ts';

/** Columns with the types under which a JSON record set reads them. */
export const INVOICE_TYPES = {
  id: 'text',
  external_id: 'uuid',
  merchant_id: 'text',
  sandbox: 'boolean',
  status: 'text',
  version: 'integer',
  billing_type: 'text',
  tolerance_ppm: 'integer',
  tolerance_given: 'boolean',
  asset: 'text',
  due_units: 'numeric',
  base_units: 'numeric',
  original_units: 'numeric',
  deferral_units: 'numeric',
  pending_units: 'numeric',
  credited_units: 'numeric',
  held_units: 'numeric',
  expires_at: 'timestamptz',
  processed_at: 'timestamptz',
  txid: 'text',
  address_from: 'text',
  fiat_currency: 'text',
  initial_fiat_micros: 'numeric',
  fee_bearer: 'text',
  commission_ppm: 'integer',
  price_modifier_ppm: 'integer',
  initial_asset: 'text',
  address_to: 'text',
  customer_chooses: 'boolean',
  earlier_choices: 'text',
  accepted_coins: 'text[]',
  excluded_coins: 'text[]',
  extra: 'text',
  title: 'text',
  description: 'text',
  metadata: 'text',
  payer_info: 'text',
  on_paid_url: 'text',
  on_cancel_url: 'text',
  notify_url: 'text',
  webhook_format: 'text',
  permanent_address_id: 'text',
  binds_permanent_address: 'boolean',
  user_id: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const;
export type InvoiceColumn = keyof typeof INVOICE_TYPES;
export const INVOICE_COLUMNS = Object.keys(INVOICE_TYPES) as readonly InvoiceColumn[];

export interface InvoiceRow {
  readonly id: string;
  readonly external_id: string;
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly status: InvoiceStatus;
  readonly version: number;
  readonly billing_type: BillingType;
  readonly tolerance_ppm: number;
  readonly tolerance_given: boolean;
  readonly asset: string | null;
  readonly due_units: string | null;
  readonly base_units: string | null;
  readonly original_units: string | null;
  readonly deferral_units: string | null;
  readonly pending_units: string;
  readonly credited_units: string;
  readonly held_units: string;
  readonly expires_at: Date;
  readonly processed_at: Date | null;
  readonly txid: string | null;
  readonly address_from: string | null;
  readonly fiat_currency: FiatCurrency;
  readonly initial_fiat_micros: string;
  readonly fee_bearer: FeeBearer;
  readonly commission_ppm: number;
  readonly price_modifier_ppm: number | null;
  readonly initial_asset: string | null;
  readonly address_to: string | null;
  readonly customer_chooses: boolean;
  readonly earlier_choices: string | null;
  readonly accepted_coins: readonly string[] | null;
  readonly excluded_coins: readonly string[] | null;
  readonly extra: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly metadata: string | null;
  readonly payer_info: string | null;
  readonly on_paid_url: string | null;
  readonly on_cancel_url: string | null;
  readonly notify_url: string | null;
  readonly webhook_format: WebhookFormat;
  readonly permanent_address_id: string | null;
  readonly binds_permanent_address: boolean;
  readonly user_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

export function invoiceFromRow(row: InvoiceRow): Invoice {
  return {
    id: row.id,
    externalId: row.external_id,
    merchantId: row.merchant_id,
    sandbox: row.sandbox,
    status: row.status,
    version: row.version,
    billingType: row.billing_type,
    tolerancePpm: BigInt(row.tolerance_ppm),
    toleranceGiven: row.tolerance_given,
    price: priceFromRow(row),
    funds: {
      pendingUnits: BigInt(row.pending_units),
      creditedUnits: BigInt(row.credited_units),
      heldUnits: BigInt(row.held_units),
    },
    expiresAt: row.expires_at,
    processedAt: row.processed_at,
    txid: row.txid,
    addressFrom: row.address_from,
    fiatCurrency: row.fiat_currency,
    initialFiatMicros: BigInt(row.initial_fiat_micros),
    feeBearer: row.fee_bearer,
    commissionPpm: BigInt(row.commission_ppm),
    priceModifierPpm: bigintOrNull(row.price_modifier_ppm),
    initialAsset: row.initial_asset,
    addressTo: row.address_to,
    customerChooses: row.customer_chooses,
    earlierChoices: choicesFromText(row.earlier_choices),
    acceptedCoins: row.accepted_coins,
    excludedCoins: row.excluded_coins,
    extra: row.extra,
    title: row.title,
    description: row.description,
    metadata: jsonFromText(row.metadata),
    payerInfo: jsonFromText(row.payer_info),
    onPaidUrl: row.on_paid_url,
    onCancelUrl: row.on_cancel_url,
    notifyUrl: row.notify_url,
    webhookFormat: row.webhook_format,
    permanentAddressId: row.permanent_address_id,
    bindsPermanentAddress: row.binds_permanent_address,
    userId: row.user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function priceFromRow(row: InvoiceRow): InvoicePrice | null {
  if (row.asset === null) return null;
  if (row.due_units === null || row.base_units === null || row.deferral_units === null) {
    throw new Error(`invoice ${row.id} has an asset and no complete price`);
  }
  return {
    asset: row.asset,
    dueUnits: BigInt(row.due_units),
    baseUnits: BigInt(row.base_units),
    originalUnits: bigintOrNull(row.original_units),
    deferralUnits: BigInt(row.deferral_units),
  };
}

export function invoiceToRow(invoice: Invoice): InvoiceRow {
  const { price, funds } = invoice;
  return {
    id: invoice.id,
    external_id: invoice.externalId,
    merchant_id: invoice.merchantId,
    sandbox: invoice.sandbox,
    status: invoice.status,
    version: invoice.version,
    billing_type: invoice.billingType,
    tolerance_ppm: Number(invoice.tolerancePpm),
    tolerance_given: invoice.toleranceGiven,
    asset: price?.asset ?? null,
    due_units: textOrNull(price?.dueUnits),
    base_units: textOrNull(price?.baseUnits),
    original_units: textOrNull(price?.originalUnits),
    deferral_units: textOrNull(price?.deferralUnits),
    pending_units: funds.pendingUnits.toString(),
    credited_units: funds.creditedUnits.toString(),
    held_units: funds.heldUnits.toString(),
    expires_at: invoice.expiresAt,
    processed_at: invoice.processedAt,
    txid: invoice.txid,
    address_from: invoice.addressFrom,
    fiat_currency: invoice.fiatCurrency,
    initial_fiat_micros: invoice.initialFiatMicros.toString(),
    fee_bearer: invoice.feeBearer,
    commission_ppm: Number(invoice.commissionPpm),
    price_modifier_ppm: invoice.priceModifierPpm === null ? null : Number(invoice.priceModifierPpm),
    initial_asset: invoice.initialAsset,
    address_to: invoice.addressTo,
    customer_chooses: invoice.customerChooses,
    earlier_choices: choicesToText(invoice.earlierChoices),
    accepted_coins: invoice.acceptedCoins,
    excluded_coins: invoice.excludedCoins,
    extra: invoice.extra,
    title: invoice.title,
    description: invoice.description,
    metadata: jsonToText(invoice.metadata),
    payer_info: jsonToText(invoice.payerInfo),
    on_paid_url: invoice.onPaidUrl,
    on_cancel_url: invoice.onCancelUrl,
    notify_url: invoice.notifyUrl,
    webhook_format: invoice.webhookFormat,
    permanent_address_id: invoice.permanentAddressId,
    binds_permanent_address: invoice.bindsPermanentAddress,
    user_id: invoice.userId,
    created_at: invoice.createdAt,
    updated_at: invoice.updatedAt,
  };
}

export function bigintOrNull(value: string | number | null): bigint | null {
  return value === null ? null : BigInt(value);
}

export function textOrNull(value: bigint | null | undefined): string | null {
  return value === null || value === undefined ? null : value.toString();
}
