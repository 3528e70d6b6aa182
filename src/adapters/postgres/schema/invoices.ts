/**
 * Invoices: one row each, with their state and the terms of their creation
 * (domain/invoices/invoice-record.ts).
 */
import { type BuildExtraConfigColumns, type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { FiatCurrency } from '../../../domain/catalog/fiat.ts';
import { type BillingType, INVOICE_STATUSES, type InvoiceStatus } from '../../../domain/invoices/invoice.ts';
import { FEE_BEARERS, type FeeBearer } from '../../../domain/money/fee.ts';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../../domain/webhooks/webhook-format.ts';
import { EXPIRY_CHAIN } from '../invoices/expiry-chain.ts';
import { instant, isId, jsonText, lastChange, notNegative, oneOf, positive, ppm, units } from './columns.ts';
import { paymentLinks } from './links.ts';
import { merchants } from './merchants.ts';

const COLUMNS = {
  id: text('id').primaryKey(),
  externalId: uuid('external_id').notNull(),
  merchantId: text('merchant_id')
    .notNull()
    .references(() => merchants.id),
  sandbox: boolean('sandbox').notNull(),
  /** Dense number within (merchant, environment), from 1, in the order of created_at. */
  seq: bigint('seq', { mode: 'bigint' }).notNull(),
  status: text('status').$type<InvoiceStatus>().notNull(),
  version: integer('version').notNull(),
  billingType: text('billing_type').$type<BillingType>().notNull(),
  tolerancePpm: ppm('tolerance_ppm').notNull(),
  toleranceGiven: boolean('tolerance_given').notNull(),
  acceptedUnits: units('accepted_units'),
  asset: text('asset'),
  dueUnits: units('due_units'),
  baseUnits: units('base_units'),
  originalUnits: units('original_units'),
  deferralUnits: units('deferral_units'),
  pendingUnits: units('pending_units').notNull(),
  creditedUnits: units('credited_units').notNull(),
  heldUnits: units('held_units').notNull(),
  expiresAt: instant('expires_at').notNull(),
  processedAt: instant('processed_at'),
  txid: text('txid'),
  addressFrom: text('address_from'),
  fiatCurrency: text('fiat_currency').$type<FiatCurrency>().notNull(),
  initialFiatMicros: units('initial_fiat_micros').notNull(),
  feeBearer: text('fee_bearer').$type<FeeBearer>().notNull(),
  commissionPpm: ppm('commission_ppm').notNull(),
  priceModifierPpm: ppm('price_modifier_ppm'),
  initialAsset: text('initial_asset'),
  addressTo: text('address_to'),
  customerChooses: boolean('customer_chooses').notNull().default(false),
  /** JSON as text (invoice-choices.ts); null if there are none, as in nearly all rows. */
  earlierChoices: text('earlier_choices'),
  acceptedCoins: text('accepted_coins').array(),
  excludedCoins: text('excluded_coins').array(),
  extra: text('extra'),
  title: text('title'),
  description: text('description'),
  metadata: jsonText('metadata'),
  payerInfo: jsonText('payer_info'),
  onPaidUrl: text('on_paid_url'),
  onCancelUrl: text('on_cancel_url'),
  notifyUrl: text('notify_url'),
  webhookFormat: text('webhook_format').$type<WebhookFormat>().notNull(),
  permanentAddressId: text('permanent_address_id'),
  bindsPermanentAddress: boolean('binds_permanent_address').notNull(),
  userId: text('user_id'),
  paymentLinkId: text('payment_link_id').references(() => paymentLinks.id),
  createdAt: instant('created_at').notNull(),
  /** domain/chains/last-change.ts. */
  updatedAt: instant('updated_at'),
};

export const invoices = pgTable('invoices', COLUMNS, (t) => [...indexes(t), ...checks(t)]);

type Columns = BuildExtraConfigColumns<'invoices', typeof COLUMNS, 'pg'>;

function indexes(t: Columns) {
  return [
    uniqueIndex('invoices_external_id').on(t.externalId),
    uniqueIndex('invoices_by_seq').on(t.merchantId, t.sandbox, t.seq),
    index('invoices_by_time').on(t.merchantId, t.sandbox, t.createdAt, t.seq),
    index('invoices_by_status').on(t.merchantId, t.sandbox, t.status, t.seq),
    // A list of one asset with any status reads the statuses in turn (counted-pages.ts).
    index('invoices_by_asset_and_status').on(t.merchantId, t.sandbox, t.asset, t.status, t.seq),
    // The last columns let filters be tried without reading the row.
    index('invoices_by_amount').on(t.merchantId, t.sandbox, t.initialFiatMicros, t.seq, t.status, t.asset),
    index('invoices_expiring')
      .on(sql.raw(`(${EXPIRY_CHAIN})`), t.expiresAt, t.id)
      .where(
        sql`${t.status} = 'created' or (${t.status} = 'partially_paid' and ${t.billingType} = 'STATIC')`,
      ),
    // For operators' gauges, which must not read the whole table.
    index('invoices_in_check').on(t.status).where(sql`${t.status} in ('confirming', 'high_risk')`),
    index('invoices_waiting_on_permanent_address')
      .on(t.permanentAddressId, t.asset, t.seq)
      .where(sql`${t.permanentAddressId} is not null and ${t.status} = 'created'`),
    index('invoices_by_update').on(
      t.merchantId,
      t.sandbox,
      lastChange(t),
      t.seq,
      t.updatedAt,
      t.processedAt,
      t.createdAt,
    ),
    // Few invoices have a user: those on permanent addresses. A search across merchants begins with
    // the user.
    index('invoices_by_user')
      .on(t.userId, t.merchantId, t.sandbox, t.seq)
      .where(sql`${t.userId} is not null`),
    index('invoices_by_link').on(t.paymentLinkId, t.status, t.seq).where(sql`${t.paymentLinkId} is not null`),
    // What needs attention. A payment in full passes neither. With the columns of the last change
    // the index alone counts them: PostgreSQL takes no expression out of an index.
    index('invoices_partly_paid')
      .on(t.merchantId, t.sandbox, lastChange(t), t.id, t.updatedAt, t.processedAt, t.createdAt)
      .where(sql`${t.status} in ('partially_paid', 'cancelled')`),
    index('invoices_paid_over')
      .on(t.merchantId, t.sandbox, lastChange(t), t.id, t.updatedAt, t.processedAt, t.createdAt)
      .where(sql`${t.status} = 'paid_over'`),
    // For searches by what a customer was asked for. What was paid is found by its deposits, so a
    // payment in full takes the invoice out of it.
    index('invoices_asked').on(t.asset, t.dueUnits, t.merchantId, t.sandbox, t.id).where(isAsked(t)),
    // What retention looks at (postgres/invoices/invoice-retention.ts).
    index('invoices_expired_unpaid').on(t.processedAt, t.id).where(isExpiredUnpaid(t)),
    // Small: few customers choose another coin, and fewer at a permanent address.
    index('invoices_chosen_anew_on_permanent_address')
      .on(t.userId)
      .where(sql`${t.earlierChoices} is not null and ${t.bindsPermanentAddress} and ${t.status} = 'created'`),
  ];
}

/** May be removed once it is old, if nothing names it. A permanent address goes on without it. */
export function isExpiredUnpaid(
  t: Record<'status' | 'bindsPermanentAddress' | 'permanentAddressId', AnyPgColumn>,
): SQL {
  return sql`${t.status} = 'expired' and ${t.permanentAddressId} is null and not ${t.bindsPermanentAddress}`;
}

/** What was asked for is not paid, or not in full. */
export function isAsked(t: Record<'status', AnyPgColumn>): SQL {
  return sql`${t.status} in ('created', 'partially_paid', 'expired', 'cancelled')`;
}

function checks(t: Columns) {
  return [
    check('invoices_id', isId(t.id)),
    check('invoices_numbers', sql`${t.seq} >= 1 and ${t.version} >= 0`),
    check('invoices_status', oneOf(t.status, INVOICE_STATUSES)),
    check('invoices_billing_type', oneOf(t.billingType, ['STATIC', 'VARY'])),
    check('invoices_fee_bearer', oneOf(t.feeBearer, FEE_BEARERS)),
    check('invoices_webhook_format', oneOf(t.webhookFormat, WEBHOOK_FORMATS)),
    check('invoices_fiat_currency', sql`${t.fiatCurrency} ~ '^[A-Z]{3}$'`),
    check(
      'invoices_percentages',
      sql`${t.tolerancePpm} between 0 and 100000 and (${t.toleranceGiven} or ${t.tolerancePpm} = 0)
        and ${t.commissionPpm} between 0 and 1000000 and ${t.priceModifierPpm} between -900000 and 900000`,
    ),
    check('invoices_fiat_amount', notNegative(t.initialFiatMicros)),
    check(
      'invoices_price_complete',
      sql`num_nulls(${t.asset}, ${t.dueUnits}, ${t.baseUnits}, ${t.deferralUnits}) in (0, 4)
        and (${t.originalUnits} is null or (${t.asset} is not null and ${t.priceModifierPpm} is not null))
        and (${t.addressTo} is null or ${t.asset} is not null)
        and (${t.initialAsset} is null) = (${t.asset} is null)`,
    ),
    check(
      'invoices_earlier_choices',
      sql`${t.earlierChoices} is null or (${t.customerChooses} and ${t.asset} is not null
        and jsonb_array_length(${t.earlierChoices}::jsonb) > 0
        and not ${t.earlierChoices}::jsonb @> jsonb_build_array(jsonb_build_object('asset', ${t.asset})))`,
    ),
    check(
      'invoices_price',
      sql`${positive(t.dueUnits, t.baseUnits, t.originalUnits)} and ${notNegative(t.deferralUnits)}
        and ${t.baseUnits} <= ${t.dueUnits}`,
    ),
    check(
      'invoices_accepted',
      sql`${positive(t.acceptedUnits)} and (${t.acceptedUnits} is null or ${t.billingType} = 'STATIC')`,
    ),
    check('invoices_funds', notNegative(t.pendingUnits, t.creditedUnits, t.heldUnits)),
    check(
      'invoices_funds_need_price',
      sql`${t.asset} is not null or (${t.pendingUnits} = 0 and ${t.creditedUnits} = 0 and ${t.heldUnits} = 0)`,
    ),
    // domain/invoices/invoice.ts, statusFromFunds. Time or an operator ends an invoice as expired,
    // cancelled or refunded.
    check(
      'invoices_status_needs_funds',
      sql`case ${t.status}
        when 'created' then ${t.creditedUnits} = 0 and ${t.heldUnits} = 0
        when 'confirming' then ${t.pendingUnits} > 0
        when 'partially_paid' then ${t.creditedUnits} > 0
        when 'success' then ${t.creditedUnits} > 0
        when 'paid_over' then ${t.creditedUnits} > 0
        when 'high_risk' then ${t.heldUnits} > 0
        when 'failed' then ${t.creditedUnits} = 0
        else true end`,
    ),
    // domain/invoices/invoice.ts, isFinal.
    check(
      'invoices_processed_when_final',
      sql`(${t.processedAt} is null) = (${t.status} in ('created', 'confirming')
        or (${t.status} = 'partially_paid' and ${t.billingType} = 'STATIC'))`,
    ),
    check(
      'invoices_permanent_address',
      sql`(not ${t.bindsPermanentAddress} and ${t.permanentAddressId} is null)
        or (${t.billingType} = 'VARY' and ${t.userId} is not null)`,
    ),
  ];
}
