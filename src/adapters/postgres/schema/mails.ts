/** E-mails to customers. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import {
  MAIL_FAILURES,
  MAIL_KINDS,
  MAIL_STATUSES,
  type MailFailure,
  type MailKind,
  type MailStatus,
} from '../../../domain/mails/customer-mail.ts';
import { instant, isId, oneOf } from './columns.ts';
import { invoices } from './invoices.ts';
import { merchants } from './merchants.ts';
import { refundClaims } from './refund-claims.ts';

export const customerMails = pgTable(
  'customer_mails',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    invoiceId: text('invoice_id')
      .notNull()
      .references(() => invoices.id),
    kind: text('kind').$type<MailKind>().notNull(),
    refundClaimId: text('refund_claim_id').references(() => refundClaims.id),
    recipient: text('recipient').notNull(),
    language: text('language').notNull(),
    status: text('status').$type<MailStatus>().notNull(),
    tries: integer('tries').notNull(),
    dueAt: instant('due_at').notNull(),
    failure: text('failure').$type<MailFailure>(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('customer_mails_once').on(t.invoiceId, t.kind).where(sql`${t.refundClaimId} is null`),
    uniqueIndex('customer_mails_of_claim').on(t.refundClaimId).where(sql`${t.refundClaimId} is not null`),
    index('customer_mails_of_invoice').on(t.invoiceId, t.createdAt),
    index('customer_mails_due').on(t.dueAt).where(sql`${t.status} = 'queued'`),
    check('customer_mails_id', isId(t.id)),
    check('customer_mails_kind', oneOf(t.kind, MAIL_KINDS)),
    check('customer_mails_refund', sql`(${t.kind} = 'refund') = (${t.refundClaimId} is not null)`),
    check('customer_mails_recipient', sql`char_length(${t.recipient}) between 3 and 254`),
    check('customer_mails_status', oneOf(t.status, MAIL_STATUSES)),
    check(
      'customer_mails_failure',
      sql`${oneOf(t.failure, MAIL_FAILURES)} and (${t.failure} is not null) = (${t.status} = 'given_up')`,
    ),
    check('customer_mails_tries', sql`${t.tries} >= 0`),
  ],
);
