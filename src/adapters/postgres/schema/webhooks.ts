/** The webhook outbox, its queue, and the log of every attempt. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../../domain/invoices/invoice-record.ts';
import { CIRCUIT_STATES, type CircuitState } from '../../../domain/webhooks/receiver-circuit.ts';
import { instant, isId, oneOf } from './columns.ts';
import { invoices } from './invoices.ts';
import { payouts } from './payouts.ts';

export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: text('id').primaryKey(),
    /** What it tells of: an invoice or a payout. */
    invoiceId: text('invoice_id').references(() => invoices.id),
    payoutId: text('payout_id').references(() => payouts.id),
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    /** Null for replays, and of payouts. */
    invoiceVersion: integer('invoice_version'),
    /** Null where there was none: an event that its merchant reads. */
    url: text('url'),
    /** The snapshot as our own format has it: the exact bytes that are signed and sent then; jsonb would rewrite them. */
    body: text('body').notNull(),
    format: text('format').$type<WebhookFormat>().notNull().default('native_v2'),
    /** What is sent in another format, before it is signed. */
    foreignBody: text('foreign_body'),
    /**
     * Dense number of events within (merchant, environment), from 1, in the order of commits. A replay repeats its invoice's latest; null
     * where that has none, and for those of before events were numbered.
     */
    eventSeq: bigint('event_seq', { mode: 'bigint' }),
    /** When it happened; null for what is no event. */
    eventAt: instant('event_at'),
  },
  (t) => [
    // At most one webhook per transition (specification, "Delivery" 2).
    uniqueIndex('webhook_deliveries_one_per_transition')
      .on(t.invoiceId, t.invoiceVersion)
      .where(sql`${t.invoiceVersion} is not null`),
    uniqueIndex('webhook_deliveries_events')
      .on(t.merchantId, t.sandbox, t.eventSeq)
      .where(sql`${t.eventAt} is not null`),
    index('webhook_deliveries_of_payout').on(t.payoutId, t.eventSeq).where(sql`${t.payoutId} is not null`),
    check('webhook_deliveries_id', isId(t.id)),
    check('webhook_deliveries_subject', sql`num_nonnulls(${t.invoiceId}, ${t.payoutId}) = 1`),
    check(
      'webhook_deliveries_event',
      sql`${t.eventSeq} >= 1 and (${t.eventAt} is null or ${t.eventSeq} is not null)
        and (${t.eventAt} is not null or (${t.url} is not null and ${t.payoutId} is null))`,
    ),
    check('webhook_deliveries_format', oneOf(t.format, WEBHOOK_FORMATS)),
    check('webhook_deliveries_foreign_body', sql`(${t.format} = 'native_v2') = (${t.foreignBody} is null)`),
  ],
);

/**
 * What is still to be delivered, or was given up; a delivery that succeeded leaves it. Apart from the deliveries, because
 * each is claimed and moved again and again: here that rewrites some hundred bytes on their own page and no index.
 */
export const webhookQueue = pgTable(
  'webhook_queue',
  {
    deliveryId: text('delivery_id')
      .primaryKey()
      .references(() => webhookDeliveries.id),
    merchantId: text('merchant_id').notNull(),
    /** Scheme, host and port that it goes to (destinationOf in domain/webhooks/webhook-url.ts); rows written by hand may leave it out. */
    destination: text('destination').notNull().default('-'),
    /** When its next attempt is promised for; an open circuit may hold it back longer. */
    dueAt: instant('due_at').notNull(),
    /** Attempts begun. */
    attempts: integer('attempts').notNull(),
    leasedUntil: instant('leased_until'),
    /** When it was given up. */
    deadAt: instant('dead_at'),
  },
  (t) => [
    index('webhook_queue_due').on(t.dueAt, t.deliveryId).where(sql`${t.deadAt} is null`),
    // By merchant and receiver, so that a claim steps over a backlog of a million in one look-up.
    index('webhook_queue_lanes')
      .on(t.merchantId, t.destination, t.dueAt, t.deliveryId)
      .where(sql`${t.deadAt} is null`),
    index('webhook_queue_dead').on(t.deadAt, t.deliveryId).where(sql`${t.deadAt} is not null`),
    check(
      'webhook_queue_attempts',
      sql`${t.attempts} >= 0 and (${t.attempts} > 0 or ${t.leasedUntil} is null)`,
    ),
    check('webhook_queue_dead_not_leased', sql`${t.deadAt} is null or ${t.leasedUntil} is null`),
  ],
);

/** Receivers that did not answer lately (domain/webhooks/receiver-circuit.ts). One that answers has no row. */
export const webhookCircuits = pgTable(
  'webhook_circuits',
  {
    destination: text('destination').primaryKey(),
    state: text('state').$type<CircuitState>().notNull(),
    /** Attempts in a row without an answer, before it opened. */
    silences: integer('silences').notNull(),
    failedTrials: integer('failed_trials').notNull(),
    tryAt: instant('try_at'),
    /** Those whose attempts got no answer. */
    merchants: text('merchants').array().notNull(),
    /** Of the first silence in a row. */
    silentSince: instant('silent_since').notNull(),
    changedAt: instant('changed_at').notNull(),
    /** For people: why the last attempt got no answer. */
    reason: text('reason').notNull(),
  },
  (t) => [
    check('webhook_circuits_state', oneOf(t.state, CIRCUIT_STATES)),
    check('webhook_circuits_try_at', sql`(${t.state} = 'closed') = (${t.tryAt} is null)`),
    check('webhook_circuits_counts', sql`${t.silences} >= 1 and ${t.failedTrials} >= 0`),
  ],
);

export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    id: text('id').primaryKey(),
    /** Null for test notifications. */
    deliveryId: text('delivery_id'),
    /** Null for those, and where it tells of a payout. */
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
    index('webhook_attempts_of_payout').on(t.deliveryId, t.seq).where(sql`${t.invoiceId} is null`),
    check('webhook_attempts_id', isId(t.id)),
    check('webhook_attempts_numbers', sql`${t.seq} >= 1 and ${t.attempt} >= 1`),
    check('webhook_attempts_subject', sql`${t.deliveryId} is not null or ${t.invoiceId} is null`),
  ],
);
