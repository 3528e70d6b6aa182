/** The webhook outbox, its queue, and the log of every attempt. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { CIRCUIT_STATES, type CircuitState } from '../../../domain/webhooks/receiver-circuit.ts';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../../domain/webhooks/webhook-format.ts';
import { instant, isId, oneOf, packedText } from './columns.ts';
import { invoices } from './invoices.ts';
import { payouts } from './payouts.ts';

export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: text('id').primaryKey(),
    /** Its subject: an invoice or a payout. */
    invoiceId: text('invoice_id').references(() => invoices.id),
    payoutId: text('payout_id').references(() => payouts.id),
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    /** Null for replays and payouts. */
    invoiceVersion: integer('invoice_version'),
    /** Null without a destination: the merchant reads it in the list of events. */
    url: text('url'),
    /**
     * The snapshot in the native format, packed, without its number (stored-body.ts): the exact
     * bytes that are signed and sent.
     */
    packedBody: packedText('packed_body'),
    /** Events from before the packed form: the body as text, with its number. */
    body: text('body'),
    /** The status that the body reports; null for events from before this column. */
    toldStatus: text('told_status'),
    /** The event that the body names, if it names one. */
    toldEvent: text('told_event'),
    format: text('format').$type<WebhookFormat>().notNull().default('native_v2'),
    /** The body in another format, before it is signed. */
    foreignBody: text('foreign_body'),
    /**
     * Dense number of events within (merchant, environment), from 1, in the order of commits. A
     * replay repeats its invoice's latest number. Null if that has none, and for events from before
     * this column.
     */
    eventSeq: bigint('event_seq', { mode: 'bigint' }),
    /** When it happened; null if it is no event. */
    eventAt: instant('event_at'),
  },
  (t) => [
    // At most one webhook per transition (specification, "Delivery" 2). Replays have no version,
    // and are in it: so the foreign key finds all of an invoice that is removed.
    uniqueIndex('webhook_deliveries_one_per_transition')
      .on(t.invoiceId, t.invoiceVersion)
      .where(sql`${t.invoiceId} is not null`),
    uniqueIndex('webhook_deliveries_events')
      .on(t.merchantId, t.sandbox, t.eventSeq)
      .where(sql`${t.eventAt} is not null`),
    // Those that are removed by their age, without a number of their own.
    index('webhook_deliveries_unnumbered').on(t.id).where(sql`${t.eventAt} is null`),
    index('webhook_deliveries_of_payout').on(t.payoutId, t.eventSeq).where(sql`${t.payoutId} is not null`),
    check('webhook_deliveries_id', isId(t.id)),
    check('webhook_deliveries_subject', sql`num_nonnulls(${t.invoiceId}, ${t.payoutId}) = 1`),
    check(
      'webhook_deliveries_event',
      sql`${t.eventSeq} >= 1 and (${t.eventAt} is null or ${t.eventSeq} is not null)
        and (${t.eventAt} is not null or (${t.url} is not null and ${t.payoutId} is null))`,
    ),
    check('webhook_deliveries_body', sql`num_nonnulls(${t.packedBody}, ${t.body}) = 1`),
    check('webhook_deliveries_format', oneOf(t.format, WEBHOOK_FORMATS)),
    check('webhook_deliveries_foreign_body', sql`(${t.format} = 'native_v2') = (${t.foreignBody} is null)`),
  ],
);

/**
 * Deliveries to send, and dead ones; a successful delivery leaves the queue. A table of its own,
 * because each row is claimed and updated many times: here that rewrites some hundred bytes and no
 * index.
 */
export const webhookQueue = pgTable(
  'webhook_queue',
  {
    deliveryId: text('delivery_id')
      .primaryKey()
      .references(() => webhookDeliveries.id),
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    /**
     * Scheme, host and port of the receiver (destinationOf in domain/webhooks/webhook-url.ts); rows
     * written by hand may omit it.
     */
    destination: text('destination').notNull().default('-'),
    /** When its next attempt is due; an open circuit may delay it further. */
    dueAt: instant('due_at').notNull(),
    /** Attempts that were started. */
    attempts: integer('attempts').notNull(),
    leasedUntil: instant('leased_until'),
    /** When it became dead. */
    deadAt: instant('dead_at'),
  },
  (t) => [
    index('webhook_queue_due').on(t.dueAt, t.deliveryId).where(sql`${t.deadAt} is null`),
    // By merchant and receiver, so that a claim skips a backlog of a million in one look-up.
    index('webhook_queue_lanes')
      .on(t.merchantId, t.destination, t.dueAt, t.deliveryId)
      .where(sql`${t.deadAt} is null`),
    index('webhook_queue_dead').on(t.deadAt, t.deliveryId).where(sql`${t.deadAt} is not null`),
    // What needs attention.
    index('webhook_queue_dead_of_merchant')
      .on(t.merchantId, t.sandbox, t.deadAt, t.deliveryId)
      .where(sql`${t.deadAt} is not null`),
    check(
      'webhook_queue_attempts',
      sql`${t.attempts} >= 0 and (${t.attempts} > 0 or ${t.leasedUntil} is null)`,
    ),
    check('webhook_queue_dead_not_leased', sql`${t.deadAt} is null or ${t.leasedUntil} is null`),
  ],
);

/**
 * Receivers that did not answer lately (domain/webhooks/receiver-circuit.ts). One that answers has
 * no row.
 */
export const webhookCircuits = pgTable(
  'webhook_circuits',
  {
    destination: text('destination').primaryKey(),
    state: text('state').$type<CircuitState>().notNull(),
    /** Attempts in a row without an answer, before it opened. */
    silences: integer('silences').notNull(),
    failedTrials: integer('failed_trials').notNull(),
    tryAt: instant('try_at'),
    /** The merchants whose attempts got no answer. */
    merchants: text('merchants').array().notNull(),
    /** The time of the first attempt in a row without an answer. */
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
    /** Null for test notifications and payouts. */
    invoiceId: text('invoice_id'),
    /**
     * No foreign key: the merchant's counter, which numbers the attempts, has one, and a check per
     * row is expensive here.
     */
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
