/** Merchants, their keys, the counters of their lists and their balance summaries. */
import { type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import {
  BRAND_NAME_LENGTH_MAX,
  CONTACT_LENGTH_MAX,
  LOGO_BYTES_MAX,
  ORIGINS_MAX,
} from '../../../domain/merchants/brand.ts';
import { PICTURE_TYPES, type PictureType } from '../../../domain/merchants/image-header.ts';
import {
  KYC_STATES,
  type KycState,
  MERCHANT_STATUSES,
  type MerchantStatus,
} from '../../../domain/merchants/merchant.ts';
import { FEE_BEARERS, type FeeBearer } from '../../../domain/money/fee.ts';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../../domain/webhooks/webhook-format.ts';
import { allOrNone, bytes, instant, isId, notNegative, oneOf, ppm, units } from './columns.ts';

export const merchants = pgTable(
  'merchants',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    status: text('status').$type<MerchantStatus>().notNull(),
    kyc: text('kyc').$type<KycState>().notNull(),
    callbackUrl: text('callback_url'),
    /** Whether it gets webhooks of its payouts. */
    payoutWebhooks: boolean('payout_webhooks').notNull().default(false),
    defaultFeeBearer: text('default_fee_bearer').$type<FeeBearer>().notNull(),
    commissionPpm: ppm('commission_ppm').notNull(),
    allowedSubnets: text('allowed_subnets').array().notNull(),
    defaultTolerancePpm: ppm('default_tolerance_ppm'),
    acceptedCoins: text('accepted_coins').array(),
    defaultWebhookFormat: text('default_webhook_format').$type<WebhookFormat>(),
    checkoutLanguage: text('checkout_language'),
    /** Money out of the console above this needs a second person; null: never. */
    approvalAboveMicroUsd: units('approval_above_micro_usd'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    check('merchants_id', isId(t.id)),
    check('merchants_status', oneOf(t.status, MERCHANT_STATUSES)),
    check('merchants_kyc', oneOf(t.kyc, KYC_STATES)),
    check('merchants_fee_bearer', oneOf(t.defaultFeeBearer, FEE_BEARERS)),
    check('merchants_approval', notNegative(t.approvalAboveMicroUsd)),
    check('merchants_commission', sql`${t.commissionPpm} between 0 and 1000000`),
    check('merchants_tolerance', sql`${t.defaultTolerancePpm} between 0 and 100000`),
    check('merchants_accepted_coins', sql`cardinality(${t.acceptedCoins}) > 0`),
    check('merchants_webhook_format', oneOf(t.defaultWebhookFormat, WEBHOOK_FORMATS)),
    check('merchants_checkout_language', sql`${t.checkoutLanguage} ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$'`),
  ],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    lookupHash: text('lookup_hash').primaryKey(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    sealed: text('sealed').notNull(),
    createdAt: instant('created_at').notNull(),
    /** When another key replaced it. */
    revokedAt: instant('revoked_at'),
    /** Until when it still works in an overlap; null if it ended. */
    livesUntil: instant('lives_until'),
    /** When it was first used in an API call during an overlap. */
    firstUsedAt: instant('first_used_at'),
  },
  (t) => [
    uniqueIndex('api_keys_one_active').on(t.merchantId, t.sandbox).where(sql`${t.revokedAt} is null`),
    uniqueIndex('api_keys_one_older').on(t.merchantId, t.sandbox).where(sql`${t.livesUntil} is not null`),
    check('api_keys_older_is_revoked', sql`${t.livesUntil} is null or ${t.revokedAt} is not null`),
  ],
);

/**
 * The secrets of Standard Webhooks: one per merchant and environment, and in an overlap also the
 * previous one.
 */
export const webhookSecrets = pgTable(
  'webhook_secrets',
  {
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    sealed: text('sealed').notNull(),
    createdAt: instant('created_at').notNull(),
    olderSealed: text('older_sealed'),
    olderUntil: instant('older_until'),
  },
  (t) => [
    primaryKey({ columns: [t.merchantId, t.sandbox] }),
    check('webhook_secrets_older_complete', allOrNone(t.olderSealed, t.olderUntil)),
  ],
);

/** The merchants' branding on the checkout. */
export const merchantBrands = pgTable(
  'merchant_brands',
  {
    merchantId: text('merchant_id')
      .primaryKey()
      .references(() => merchants.id),
    name: text('name'),
    accent: text('accent'),
    logoType: text('logo_type').$type<PictureType>(),
    logo: bytes('logo'),
    /** The logo's public name. The database computes it, so that it always matches the bytes. */
    logoDigest: text('logo_digest').generatedAlwaysAs(sql`encode(sha256(logo), 'hex')`),
    support: text('support'),
    legalName: text('legal_name'),
    termsUrl: text('terms_url'),
    frameAncestors: text('frame_ancestors').array().notNull().default(sql`'{}'`),
  },
  (t) => [
    index('merchant_brands_logo').on(t.logoDigest).where(sql`${t.logoDigest} is not null`),
    check(
      'merchant_brands_name',
      sql`char_length(${t.name}) between 1 and ${sql.raw(String(BRAND_NAME_LENGTH_MAX))}`,
    ),
    check(
      'merchant_brands_legal_name',
      sql`char_length(${t.legalName}) between 1 and ${sql.raw(String(BRAND_NAME_LENGTH_MAX))}`,
    ),
    check('merchant_brands_support', fitsContact(t.support)),
    check('merchant_brands_terms_url', fitsContact(t.termsUrl)),
    check(
      'merchant_brands_frame_ancestors',
      sql`cardinality(${t.frameAncestors}) <= ${sql.raw(String(ORIGINS_MAX))}`,
    ),
    check('merchant_brands_accent', sql`${t.accent} ~ '^#[0-9a-f]{6}$'`),
    check('merchant_brands_logo_complete', allOrNone(t.logoType, t.logo)),
    check('merchant_brands_logo_type', oneOf(t.logoType, PICTURE_TYPES)),
    check(
      'merchant_brands_logo_size',
      sql`octet_length(${t.logo}) between 1 and ${sql.raw(String(LOGO_BYTES_MAX))}`,
    ),
  ],
);

function fitsContact(column: AnyPgColumn): SQL {
  return sql`char_length(${column}) between 1 and ${sql.raw(String(CONTACT_LENGTH_MAX))}`;
}

/**
 * The lists that are numbered densely per merchant and environment, so that every page and total is
 * one index range.
 */
export const STREAMS = ['invoices', 'payouts', 'ledger', 'notifications', 'events'] as const;
export type Stream = (typeof STREAMS)[number];
/** The others are numbered for as long as the service lives. */
const REMOVABLE_STREAMS = ['notifications', 'events'] as const satisfies readonly Stream[];

export const counters = pgTable(
  'counters',
  {
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    stream: text('stream').$type<Stream>().notNull(),
    /** The last number given; equals the number of rows, with those that were removed. */
    value: bigint('value', { mode: 'bigint' }).notNull(),
    /** The time of the last row: no later row has an earlier one. */
    lastAt: instant('last_at').notNull(),
    /** Rows up to this number are gone: attempts and events that were kept long enough. */
    removed: bigint('removed', { mode: 'bigint' }).notNull().default(sql`0`),
  },
  (t) => [
    primaryKey({ columns: [t.merchantId, t.sandbox, t.stream] }),
    check(
      'counters_removed',
      sql`${t.removed} between 0 and ${t.value}
        and (${t.removed} = 0 or ${oneOf(t.stream, REMOVABLE_STREAMS)})`,
    ),
    check('counters_stream', oneOf(t.stream, STREAMS)),
    check('counters_value', sql`${t.value} >= 0`),
  ],
);

export const balances = pgTable(
  'balances',
  {
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    incomeMicroUsd: units('income_micro_usd').notNull(),
    payoutsMicroUsd: units('payouts_micro_usd').notNull(),
    refundsMicroUsd: units('refunds_micro_usd').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.merchantId, t.sandbox] }),
    check('balances_sums', notNegative(t.incomeMicroUsd, t.payoutsMicroUsd, t.refundsMicroUsd)),
  ],
);
