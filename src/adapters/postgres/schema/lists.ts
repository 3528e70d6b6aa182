/**
 * Tables beside the merchants' lists: counts by status or type, asset and block of numbers, and the
 * invoices by their merchant's own reference. Triggers of drizzle/0000_initial.sql maintain them.
 */
import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

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
