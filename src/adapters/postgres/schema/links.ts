/** Payment links. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { FiatCurrency } from '../../../domain/catalog/fiat.ts';
import {
  LINK_FIELDS,
  LINK_MODES,
  type LinkField,
  type LinkMode,
  STOCK_MAX,
  SUGGESTIONS_MAX,
  TIPS_MAX,
} from '../../../domain/links/payment-link.ts';
import { LOGO_BYTES_MAX } from '../../../domain/merchants/brand.ts';
import { PICTURE_TYPES, type PictureType } from '../../../domain/merchants/image-header.ts';
import { allOrNone, bytes, instant, isId, literals, oneOf, positive, units } from './columns.ts';
import { merchants } from './merchants.ts';

export const paymentLinks = pgTable(
  'payment_links',
  {
    id: text('id').primaryKey(),
    slug: text('slug').notNull(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    mode: text('mode').$type<LinkMode>().notNull(),
    title: text('title').notNull(),
    description: text('description'),
    pictureType: text('picture_type').$type<PictureType>(),
    picture: bytes('picture'),
    /** The picture's public name. The database computes it, so that it always matches the bytes. */
    pictureDigest: text('picture_digest').generatedAlwaysAs(sql`encode(sha256(picture), 'hex')`),
    fiatCurrency: text('fiat_currency').$type<FiatCurrency>().notNull(),
    amountMicros: units('amount_micros'),
    leastMicros: units('least_micros'),
    mostMicros: units('most_micros'),
    suggestedMicros: units('suggested_micros').array().notNull(),
    tips: units('tips').array().notNull(),
    acceptedCoins: text('accepted_coins').array(),
    expiresAt: instant('expires_at'),
    stock: integer('stock'),
    fields: text('fields').array().$type<LinkField[]>().notNull(),
    successUrl: text('success_url'),
    notifyUrl: text('notify_url'),
    extra: text('extra'),
    ttlSeconds: integer('ttl_seconds').notNull(),
    active: boolean('active').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('payment_links_slug').on(t.slug),
    index('payment_links_by_time').on(t.merchantId, t.sandbox, t.createdAt, t.id),
    index('payment_links_picture').on(t.pictureDigest).where(sql`${t.pictureDigest} is not null`),
    check('payment_links_id', isId(t.id)),
    check('payment_links_slug', sql`${t.slug} ~ '^[a-z0-9][a-z0-9-]{2,63}$'`),
    check('payment_links_mode', oneOf(t.mode, LINK_MODES)),
    check('payment_links_fiat_currency', sql`${t.fiatCurrency} ~ '^[A-Z]{3}$'`),
    check(
      'payment_links_amounts',
      sql`${positive(t.amountMicros, t.leastMicros, t.mostMicros)} and ${t.leastMicros} <= ${t.mostMicros}
        and (${t.amountMicros} is null or num_nonnulls(${t.leastMicros}, ${t.mostMicros}) = 0)
        and cardinality(${t.suggestedMicros}) <= ${sql.raw(String(SUGGESTIONS_MAX))}`,
    ),
    check(
      'payment_links_till',
      sql`cardinality(${t.tips}) <= ${sql.raw(String(TIPS_MAX))}
        and case when ${t.mode} = 'point_of_sale' then ${t.amountMicros} is null else ${t.tips} = '{}' end`,
    ),
    check('payment_links_stock', sql`${t.stock} between 1 and ${sql.raw(String(STOCK_MAX))}`),
    check('payment_links_fields', sql`${t.fields} <@ array[${literals(LINK_FIELDS)}]`),
    check('payment_links_ttl', sql`${t.ttlSeconds} between 300 and 86400`),
    check('payment_links_picture_complete', allOrNone(t.pictureType, t.picture)),
    check('payment_links_picture_type', oneOf(t.pictureType, PICTURE_TYPES)),
    check(
      'payment_links_picture_size',
      sql`octet_length(${t.picture}) between 1 and ${sql.raw(String(LOGO_BYTES_MAX))}`,
    ),
  ],
);
