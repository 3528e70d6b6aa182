/**
 * The directory of issued addresses, derivation indexes, permanent addresses, and the deposits that
 * arrive at them.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { PermanentFamily } from '../../../domain/catalog/family.ts';
import { DEPOSIT_STATUSES, type DepositStatus } from '../../../domain/deposits/deposit.ts';
import { STRAY_REASON_CODES, type StrayReason } from '../../../domain/deposits/stray-reason.ts';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../../domain/webhooks/webhook-format.ts';
import { allOrNone, instant, isFamily, isId, jsonText, oneOf, positive, units } from './columns.ts';
import { invoices } from './invoices.ts';
import { merchants } from './merchants.ts';
import { sweeps } from './treasury.ts';

/** One more than the highest index of a non-hardened BIP-32 child. */
const INDEX_LIMIT = sql.raw(String(2 ** 31));

export const permanentAddresses = pgTable(
  'permanent_addresses',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    userId: text('user_id').notNull(),
    family: text('family').$type<PermanentFamily>().notNull(),
    address: text('address').notNull(),
    active: boolean('active').notNull(),
    createdAt: instant('created_at').notNull(),
    deactivatedAt: instant('deactivated_at'),
    metadata: jsonText('metadata'),
    notifyUrl: text('notify_url'),
    webhookFormat: text('webhook_format').$type<WebhookFormat>().notNull().default('native_v2'),
  },
  (t) => [
    uniqueIndex('permanent_addresses_one_active')
      .on(t.merchantId, t.sandbox, t.userId, t.family)
      .where(sql`${t.active}`),
    // Trailing columns make the filtered lists and their counts index-only.
    index('permanent_addresses_by_time').on(
      t.merchantId,
      t.sandbox,
      t.createdAt,
      t.id,
      t.family,
      t.active,
      t.userId,
    ),
    // A search across merchants begins with the user.
    index('permanent_addresses_by_user').on(t.userId, t.merchantId, t.sandbox, t.createdAt, t.id),
    check('permanent_addresses_id', isId(t.id)),
    check('permanent_addresses_family', isFamily(t.family)),
    check('permanent_addresses_webhook_format', oneOf(t.webhookFormat, WEBHOOK_FORMATS)),
    check('permanent_addresses_active', sql`${t.active} = (${t.deactivatedAt} is null)`),
  ],
);

export const addresses = pgTable(
  'addresses',
  {
    family: text('family').notNull(),
    /** Normalized: the key within the family. */
    address: text('address').notNull(),
    deriver: text('deriver').notNull(),
    derivationIndex: bigint('derivation_index', { mode: 'number' }).notNull(),
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    /** Not a foreign key: an address outlives an invoice that was removed unpaid. */
    invoiceId: text('invoice_id'),
    permanentAddressId: text('permanent_address_id').references(() => permanentAddresses.id),
    /**
     * 0 for the present address; from 1, in order, for those that another of the family replaced
     * (app/invoices/choose-asset.ts).
     */
    retired: integer('retired').notNull().default(0),
    /** Null for addresses from before this column. */
    issuedAt: instant('issued_at'),
  },
  (t) => [
    primaryKey({ columns: [t.family, t.address] }),
    // One per family, however often the customer changes the asset
    // (app/invoices/choose-asset.ts).
    uniqueIndex('addresses_of_invoice')
      .on(t.invoiceId, t.family, t.retired)
      .where(sql`${t.invoiceId} is not null`),
    index('addresses_of_permanent_address')
      .on(t.permanentAddressId)
      .where(sql`${t.permanentAddressId} is not null`),
    check('addresses_purpose', sql`num_nonnulls(${t.invoiceId}, ${t.permanentAddressId}) = 1`),
    check('addresses_index', sql`${t.derivationIndex} >= 0 and ${t.derivationIndex} < ${INDEX_LIMIT}`),
  ],
);

export const derivationIndexes = pgTable(
  'derivation_indexes',
  {
    deriver: text('deriver').primaryKey(),
    next: bigint('next', { mode: 'number' }).notNull(),
  },
  (t) => [check('derivation_indexes_next', sql`${t.next} between 0 and ${INDEX_LIMIT}`)],
);

/**
 * Addresses that the signer derived in advance, for families whose public keys derive nothing
 * (ports/chains/address-pool.ts).
 */
export const derivedAddresses = pgTable(
  'derived_addresses',
  {
    family: text('family').notNull(),
    derivationIndex: bigint('derivation_index', { mode: 'number' }).notNull(),
    /** Normalized. */
    address: text('address').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.family, t.derivationIndex] }),
    uniqueIndex('derived_addresses_once').on(t.family, t.address),
    check(
      'derived_addresses_index',
      sql`${t.derivationIndex} >= 0 and ${t.derivationIndex} < ${INDEX_LIMIT}`,
    ),
  ],
);

export const deposits = pgTable(
  'deposits',
  {
    id: text('id').primaryKey(),
    chain: text('chain').notNull(),
    txid: text('txid').notNull(),
    output: text('output').notNull(),
    asset: text('asset').notNull(),
    address: text('address').notNull(),
    addressFrom: text('address_from'),
    units: units('units').notNull(),
    status: text('status').$type<DepositStatus>().notNull(),
    blockHeight: bigint('block_height', { mode: 'number' }),
    blockHash: text('block_hash'),
    firstSeenAt: instant('first_seen_at').notNull(),
    unexplained: boolean('unexplained').notNull(),
    /** Height of the first block that may spend it: it is final no sooner. */
    lockedUntil: bigint('locked_until', { mode: 'number' }),
    /** Carries tokens besides the coin: never used as an input. */
    encumbered: boolean('encumbered').notNull().default(false),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    invoiceId: text('invoice_id').references(() => invoices.id),
    strayReason: text('stray_reason').$type<StrayReason>(),
    note: text('note'),
    /** The sweep that moved it to the hot wallet, or is about to. */
    sweptBy: text('swept_by').references(() => sweeps.id),
  },
  (t) => [
    // The credit key, unique for ever (safety.md, "Payments in").
    uniqueIndex('deposits_credit_key').on(t.chain, t.txid, t.output),
    // In the order of the checkout, which shows the first of them.
    index('deposits_of_invoice').on(t.invoiceId, t.firstSeenAt).where(sql`${t.invoiceId} is not null`),
    index('deposits_by_block').on(t.chain, t.blockHeight).where(sql`${t.blockHeight} is not null`),
    index('deposits_unfinal')
      .on(t.chain, t.blockHeight)
      .where(sql`${t.status} = 'confirming' and ${t.blockHeight} is not null`),
    index('deposits_without_block')
      .on(t.chain)
      .where(sql`${t.blockHeight} is null and ${t.status} not in ('dropped', 'reversed')`),
    index('deposits_to_screen').on(t.firstSeenAt).where(sql`${t.status} = 'arrived'`),
    index('deposits_open').on(t.status, t.firstSeenAt).where(sql`${t.status} in ('held', 'stray')`),
    index('deposits_at_address').on(t.chain, t.address),
    // What needs attention.
    index('deposits_waiting_of_merchant')
      .on(t.merchantId, t.sandbox, t.status, t.firstSeenAt, t.id, t.strayReason)
      .where(sql`${t.status} in ('held', 'stray')`),
    // For searches by what a customer paid. A search across merchants begins with the amount.
    index('deposits_by_amount').on(t.asset, t.units, t.merchantId, t.sandbox, t.id),
    // The same by the address that it came from. Chains spell it in several ways.
    index('deposits_by_sender')
      .on(sql`lower(${t.addressFrom})`, t.merchantId, t.sandbox, t.id)
      .where(sql`${t.addressFrom} is not null`),
    // A merchant finds unmatched ones so, however many it has, and however many of that amount.
    index('deposits_strays_by_amount')
      .on(t.merchantId, t.sandbox, t.asset, t.units, t.id)
      .where(sql`${t.status} = 'stray'`),
    // Deposits at deposit addresses: the scan for sweeps does not grow with the history.
    index('deposits_not_swept')
      .on(t.chain, t.address, t.asset)
      .where(sql`${t.sweptBy} is null and ${t.status} not in ('dropped', 'reversed')`),
    check('deposits_id', isId(t.id)),
    check('deposits_status', oneOf(t.status, DEPOSIT_STATUSES)),
    check(
      'deposits_stray_reason',
      sql`${oneOf(t.strayReason, STRAY_REASON_CODES)} and (${t.status} <> 'stray' or ${t.strayReason} is not null)`,
    ),
    check('deposits_units', positive(t.units)),
    check('deposits_block', sql`${allOrNone(t.blockHeight, t.blockHash)} and ${t.blockHeight} >= 0`),
    check('deposits_arrived_for_invoice', sql`${t.status} <> 'arrived' or ${t.invoiceId} is not null`),
    check(
      'deposits_gone_without_block',
      sql`${t.status} not in ('dropped', 'reversed') or ${t.blockHeight} is null`,
    ),
  ],
);
