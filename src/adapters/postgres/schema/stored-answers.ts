/** The responses to requests with an Idempotency-Key. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const storedAnswers = pgTable(
  'stored_answers',
  {
    /**
     * No foreign key: the resource of the response has one, and a check per row is expensive here.
     */
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the request. */
    fingerprint: text('fingerprint').notNull(),
    status: smallint('status').notNull(),
    body: text('body').notNull(),
    /** After this the key may be used again. */
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.merchantId, t.sandbox, t.key] }),
    index('stored_answers_by_expiry').on(t.expiresAt),
    // A pattern would cost more than the row.
    check('stored_answers_key', sql`length(${t.key}) between 1 and 255`),
    check('stored_answers_fingerprint', sql`length(${t.fingerprint}) = 64`),
    check('stored_answers_success', sql`${t.status} between 200 and 299`),
  ],
);
