/** Merchants' requests to credit unmatched deposits. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import {
  CREDIT_REQUEST_STATUSES,
  type CreditRequestStatus,
} from '../../../../domain/deposits/credit-request.ts';
import { deposits } from '../addresses.ts';
import { instant, isId, oneOf } from '../columns.ts';
import { merchants } from '../merchants.ts';

const LONGEST = sql.raw(String(NOTE_LENGTH_MAX));

export const creditRequests = pgTable(
  'credit_requests',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    depositId: text('deposit_id')
      .notNull()
      .references(() => deposits.id),
    status: text('status').$type<CreditRequestStatus>().notNull(),
    requestedBy: text('requested_by').notNull(),
    reason: text('reason').notNull(),
    decidedBy: text('decided_by'),
    answer: text('answer'),
    createdAt: instant('created_at').notNull(),
    decidedAt: instant('decided_at'),
  },
  (t) => [
    uniqueIndex('credit_requests_one_open').on(t.depositId).where(sql`${t.status} = 'requested'`),
    index('credit_requests_of_merchant').on(t.merchantId, t.sandbox, t.createdAt, t.id),
    index('credit_requests_queue').on(t.createdAt, t.id).where(sql`${t.status} = 'requested'`),
    check('credit_requests_id', isId(t.id)),
    check('credit_requests_status', oneOf(t.status, CREDIT_REQUEST_STATUSES)),
    check(
      'credit_requests_texts',
      sql`char_length(${t.reason}) <= ${LONGEST} and char_length(${t.answer}) <= ${LONGEST}`,
    ),
    check(
      'credit_requests_decided',
      sql`(${t.decidedAt} is null) = (${t.status} = 'requested')
        and (${t.decidedAt} is not null or num_nonnulls(${t.decidedBy}, ${t.answer}) = 0)`,
    ),
  ],
);
