/**
 * Tables beside the merchants' lists: counts by status or type, asset and block of numbers, and the
 * invoices by their merchant's own reference. Triggers of drizzle/0000_initial.sql maintain them.
 * And which numbers of invoices were removed.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { blockBits } from './columns.ts';

const key = {
  merchantId: text('merchant_id').notNull(),
  sandbox: boolean('sandbox').notNull(),
  list: text('list').$type<'invoices' | 'payouts' | 'ledger'>().notNull(),
  /** The status of an invoice, or the type of a ledger line; '' if there is none. */
  label: text('label').notNull(),
  asset: text('asset').notNull(),
  /** A block of the list's numbers, from 0 (list-counts.ts). */
  block: bigint('block', { mode: 'bigint' }).notNull(),
};

export const listCounts = pgTable(
  'list_counts',
  { ...key, value: bigint('value', { mode: 'bigint' }).notNull() },
  (t) => [primaryKey({ columns: [t.merchantId, t.sandbox, t.list, t.label, t.asset, t.block] })],
);

/**
 * Changes that are not folded into the counts yet. Rows are only inserted and deleted, so no
 * transaction waits for another here.
 */
export const listCountChanges = pgTable(
  'list_count_changes',
  { ...key, change: integer('change').notNull() },
  (t) => [index('list_count_changes_of_list').on(t.merchantId, t.sandbox, t.list)],
);

/**
 * An index in its own table: in the invoices' table it would be rewritten with every change of a
 * status.
 */
export const invoiceExtras = pgTable(
  'invoice_extras',
  {
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    extra: text('extra').notNull(),
    seq: bigint('seq', { mode: 'bigint' }).notNull(),
  },
  // A search across merchants begins with the text.
  (t) => [primaryKey({ columns: [t.extra, t.merchantId, t.sandbox, t.seq] })],
);

/**
 * Invoices by the e-mail address in their `payer_info`, in lower case, for searches. Triggers of
 * drizzle/0006_console.sql maintain it.
 */
export const invoiceEmails = pgTable(
  'invoice_emails',
  {
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    email: text('email').notNull(),
    seq: bigint('seq', { mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.email, t.merchantId, t.sandbox, t.seq] })],
);

/**
 * The numbers of invoices that expired unpaid and were removed. The removal writes them: a row that
 * is missing otherwise is a fault. A trigger empties it with the invoices.
 */
export const removedInvoices = pgTable(
  'removed_invoices',
  {
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    /** A block of numbers, from 0 (list-counts.ts). */
    block: bigint('block', { mode: 'bigint' }).notNull(),
    numbers: blockBits('numbers').notNull(),
    /** How many bits are set, for totals. */
    count: integer('count').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.merchantId, t.sandbox, t.block] }),
    check('removed_invoices_count', sql`${t.count} = bit_count(${t.numbers}) and ${t.count} > 0`),
  ],
);
