/** The webhook outbox and the log of every attempt. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant, isId, oneOf } from './columns.ts';
import { invoices } from './invoices.ts';

export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: text('id').primaryKey(),
    invoiceId: text('invoice_id')
      .notNull()
      .references(() => invoices.id),
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    /** Null for replays. */
    invoiceVersion: integer('invoice_version'),
    url: text('url').notNull(),
    /** The exact bytes that are signed and sent; jsonb would rewrite them. */
    body: text('body').notNull(),
    state: text('state').notNull(),
    /** Attempts begun. */
    attempts: integer('attempts').notNull(),
    dueAt: instant('due_at').notNull(),
    leasedUntil: instant('leased_until'),
    endedAt: instant('ended_at'),
  },
  (t) => [
    // At most one webhook per transition (specification, "Delivery" 2).
    uniqueIndex('webhook_deliveries_one_per_transition')
      .on(t.invoiceId, t.invoiceVersion)
      .where(sql`${t.invoiceVersion} is not null`),
    // By merchant, so that no merchant's backlog stands before another's delivery.
    index('webhook_deliveries_due').on(t.dueAt, t.id).where(sql`${t.state} = 'pending'`),
    index('webhook_deliveries_due_by_merchant')
      .on(t.merchantId, t.dueAt, t.id)
      .where(sql`${t.state} = 'pending'`),
    index('webhook_deliveries_dead').on(t.endedAt, t.id).where(sql`${t.state} = 'dead'`),
    check('webhook_deliveries_id', isId(t.id)),
    check('webhook_deliveries_state', oneOf(t.state, ['pending', 'delivered', 'dead'])),
    check(
      'webhook_deliveries_ended',
      sql`(${t.state} = 'pending') = (${t.endedAt} is null) and (${t.state} = 'pending' or ${t.leasedUntil} is null)`,
    ),
    check(
      'webhook_deliveries_attempts',
      sql`${t.attempts} >= 0 and (${t.attempts} > 0 or (${t.state} = 'pending' and ${t.leasedUntil} is null))`,
    ),
  ],
);

export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    id: text('id').primaryKey(),
    /** Null for test notifications, as is the invoice. */
    deliveryId: text('delivery_id'),
    invoiceId: text('invoice_id'),
    /** No foreign key: attempts are numbered under their merchant's counter, which has one, and a check a row is dear here. */
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    /** Dense number within (merchant, environment), from 1, in the order of logging. */
    seq: bigint('seq', { mode: 'bigint' }).notNull(),
    url: text('url').notNull(),
    statusCode: integer('status_code'),
    responseBody: text('response_body').notNull(),
    attempt: integer('attempt').notNull(),
    sentAt: instant('sent_at').notNull(),
  },
  (t) => [
    uniqueIndex('webhook_attempts_by_seq').on(t.merchantId, t.sandbox, t.seq),
    index('webhook_attempts_by_time').on(t.merchantId, t.sandbox, t.sentAt, t.seq),
    index('webhook_attempts_of_invoice').on(t.invoiceId, t.seq).where(sql`${t.invoiceId} is not null`),
    check('webhook_attempts_id', isId(t.id)),
    check('webhook_attempts_numbers', sql`${t.seq} >= 1 and ${t.attempt} >= 1`),
    check('webhook_attempts_subject', sql`(${t.deliveryId} is null) = (${t.invoiceId} is null)`),
  ],
);
