/**
 * What reconciliation has verified of the books, so that its hourly run need not read it again:
 * entries that it has not looked at, sums and numbers up to where it did, what it doubts, and how
 * far its walk through all rows is.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { allOrNone, instant, oneOf, units } from './columns.ts';
import type { Stream } from './merchants.ts';

/** `standing`: what the hourly run adds to. `walk`: of the walk that is under way. */
const VERIFIED_BY = ['standing', 'walk'] as const;
/** In their order. The last one is no phase: no walk is under way. */
export const WALK_PHASES = [
  'entries',
  'deposits',
  'invoices',
  'payouts',
  'transfers',
  'capital',
  'counts',
  'days',
  'numbers',
  'ended',
] as const;
export type WalkPhase = (typeof WALK_PHASES)[number];
const DOUBTS = ['row', 'block', 'days', 'changed'] as const;

const verifiedBy = text('verified_by').$type<(typeof VERIFIED_BY)[number]>().notNull();

/**
 * Entries that no reconciliation has added to its sums. A trigger of drizzle adds each with its
 * entry, in one transaction, so an entry that is committed late is here once it is visible. Rows
 * are only inserted and deleted; an index would cost more than it saves.
 */
export const unverifiedEntries = pgTable('unverified_entries', { entryId: text('entry_id').notNull() });

/** The postings to merchants' accounts by verified entries, in micro-USD. */
export const verifiedBalances = pgTable(
  'verified_balances',
  {
    verifiedBy,
    /** '' if the postings belong to no merchant, which is a fault. */
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    income: units('income').notNull(),
    payouts: units('payouts').notNull(),
    refunds: units('refunds').notNull(),
    available: units('available').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.verifiedBy, t.merchantId, t.sandbox] }),
    check('verified_balances_by', oneOf(t.verifiedBy, VERIFIED_BY)),
  ],
);

/** Up to which number a merchant's dense lists have no gap. */
export const verifiedNumbers = pgTable(
  'verified_numbers',
  {
    verifiedBy,
    merchantId: text('merchant_id').notNull(),
    sandbox: boolean('sandbox').notNull(),
    stream: text('stream').$type<Stream>().notNull(),
    value: bigint('value', { mode: 'bigint' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.verifiedBy, t.merchantId, t.sandbox, t.stream] }),
    check('verified_numbers_by', oneOf(t.verifiedBy, VERIFIED_BY)),
  ],
);

/** Where a fault was found. Every run looks here again, until there is none. */
export const bookDoubts = pgTable(
  'book_doubts',
  {
    kind: text('kind').$type<(typeof DOUBTS)[number]>().notNull(),
    /** Of a row its id; of a block of counts its list and number (books/count-blocks.ts). */
    key: text('key').notNull(),
    /** Only of what cannot be compared again: sums that changed after they were verified. */
    expected: text('expected'),
    found: text('found'),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.key] }),
    check('book_doubts_kind', oneOf(t.kind, DOUBTS)),
    check(
      'book_doubts_changed',
      sql`(${t.expected} is not null) = (${t.kind} = 'changed') and ${allOrNone(t.expected, t.found)}`,
    ),
  ],
);

/** The walk through all rows: one row, from the first walk on. */
export const bookWalk = pgTable(
  'book_walk',
  {
    singleton: boolean('singleton').primaryKey(),
    phase: text('phase').$type<WalkPhase>().notNull(),
    /** Everything up to this key of the phase was looked at. */
    after: text('after').notNull(),
    /** Null before the first one. */
    begunAt: instant('begun_at'),
    /** Whether a walk has summed up all entries once: only then are there standing sums. */
    summed: boolean('summed').notNull(),
    /** The first phase of this walk that could not be ended; the walk went on after it. */
    failed: text('failed').$type<WalkPhase>(),
    /** When the last walk ended without such a phase; before the first, when that one began. */
    endedAt: instant('ended_at'),
  },
  (t) => [
    check('book_walk_singleton', sql`${t.singleton}`),
    check('book_walk_phase', oneOf(t.phase, WALK_PHASES)),
    check('book_walk_failed', oneOf(t.failed, WALK_PHASES)),
  ],
);
