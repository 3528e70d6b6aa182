/**
 * The double-entry ledger. Entries in the public feed also have its columns and a dense number.
 * Triggers keep it append-only, and each statement balanced per currency (drizzle/0000_initial.sql,
 * drizzle/0011_statement_checks.sql).
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { keysOf } from '../../../domain/catalog/keys-of.ts';
import type { Account, EntryKind } from '../../../domain/ledger.ts';
import type { LedgerLine } from '../../../ports/list-queries.ts';
import { deposits } from './addresses.ts';
import { allOrNone, instant, isId, oneOf, units } from './columns.ts';
import { merchants } from './merchants.ts';

// A kind or account that the domain adds does not compile until it is added here and in a
// migration.
const ENTRY_KINDS: Record<EntryKind, true> = {
  deposit_arrived: true,
  deposit_departed: true,
  income: true,
  income_reversed: true,
  hold: true,
  hold_reversed: true,
  payout_reserved: true,
  payout_retaken: true,
  payout_settled: true,
  payout_unsettled: true,
  payout_released: true,
  payout_fee_charged: true,
  payout_fee_returned: true,
  refund: true,
  refund_settled: true,
  refund_unsettled: true,
  refund_reversed: true,
  refund_fee_charged: true,
  refund_fee_returned: true,
  network_fee: true,
  network_fee_reversed: true,
  capital: true,
  forward: true,
  forward_reversed: true,
};
const ACCOUNTS: Record<Account, true> = {
  merchant: true,
  fees: true,
  held: true,
  payouts_in_flight: true,
  refunds_in_flight: true,
  treasury: true,
  suspense: true,
  trading: true,
  network_fees: true,
  capital: true,
};

export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    id: text('id').primaryKey(),
    /** Null if no merchant is concerned: network fees, and the operator's own money. */
    merchantId: text('merchant_id').references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    kind: text('kind').$type<EntryKind>().notNull(),
    referenceId: text('reference_id').notNull(),
    /**
     * Position among the entries of the reference, from 1: `at` alone does not order entries of one
     * millisecond.
     */
    ordinal: integer('ordinal').notNull(),
    depositId: text('deposit_id').references(() => deposits.id),
    at: instant('at').notNull(),
    /** The entry that reversed this one; set once. */
    reversedBy: text('reversed_by'),
    feedType: text('feed_type').$type<LedgerLine['type']>(),
    feedSeq: bigint('feed_seq', { mode: 'bigint' }),
    feedAsset: text('feed_asset'),
    feedAmountUnits: units('feed_amount_units'),
    feedFeeUnits: units('feed_fee_units'),
    feedCurrency: text('feed_currency'),
    feedMicroUsd: units('feed_micro_usd'),
    feedReferenceId: text('feed_reference_id'),
  },
  (t) => [
    foreignKey({ columns: [t.reversedBy], foreignColumns: [t.id], name: 'ledger_entries_reversed_by' }),
    uniqueIndex('ledger_feed_by_seq')
      .on(t.merchantId, t.sandbox, t.feedSeq)
      .where(sql`${t.feedSeq} is not null`),
    index('ledger_feed_by_time')
      .on(t.merchantId, t.sandbox, t.at, t.feedSeq)
      .where(sql`${t.feedSeq} is not null`),
    index('ledger_feed_by_type')
      .on(t.merchantId, t.sandbox, t.feedType, t.feedSeq)
      .where(sql`${t.feedSeq} is not null`),
    uniqueIndex('ledger_of_reference').on(t.referenceId, t.ordinal),
    index('ledger_of_deposit').on(t.depositId).where(sql`${t.depositId} is not null`),
    // These make a credit unique: a deposit cannot have two of them unless the earlier one was
    // reversed.
    uniqueIndex('ledger_one_arrival')
      .on(t.depositId)
      .where(sql`${t.kind} = 'deposit_arrived' and ${t.reversedBy} is null`),
    uniqueIndex('ledger_one_credit_or_hold')
      .on(t.depositId)
      .where(sql`${t.kind} in ('income', 'hold') and ${t.reversedBy} is null`),
    // A payout is reserved once and paid once, unless the earlier entry was reversed.
    uniqueIndex('ledger_one_reserve')
      .on(t.referenceId)
      .where(sql`${t.kind} in ('payout_reserved', 'payout_retaken') and ${t.reversedBy} is null`),
    uniqueIndex('ledger_one_end_of_reserve')
      .on(t.referenceId)
      .where(sql`${t.kind} in ('payout_settled', 'refund_settled') and ${t.reversedBy} is null`),
    uniqueIndex('ledger_one_network_fee')
      .on(t.referenceId)
      .where(sql`${t.kind} = 'network_fee' and ${t.reversedBy} is null`),
    uniqueIndex('ledger_one_forward')
      .on(t.referenceId)
      .where(sql`${t.kind} = 'forward' and ${t.reversedBy} is null`),
    uniqueIndex('ledger_one_fee_charge')
      .on(t.referenceId)
      .where(sql`${t.kind} in ('payout_fee_charged', 'refund_fee_charged') and ${t.reversedBy} is null`),
    check(
      'ledger_entries_house',
      sql`(${t.merchantId} is not null) = (${t.kind} not in ('network_fee', 'network_fee_reversed', 'capital', 'forward', 'forward_reversed'))
        and (${t.merchantId} is not null or ${t.feedType} is null)`,
    ),
    check('ledger_entries_id', isId(t.id)),
    check('ledger_entries_kind', oneOf(t.kind, keysOf(ENTRY_KINDS))),
    check(
      'ledger_entries_feed',
      sql`${allOrNone(t.feedType, t.feedSeq, t.feedAsset, t.feedAmountUnits, t.feedMicroUsd, t.feedReferenceId)}
        and (${t.feedType} is not distinct from 'income') = (${t.feedFeeUnits} is not null)
        and (${t.feedType} in ('income', 'refund') or ${t.feedCurrency} is null)
        and ${oneOf(t.feedType, ['income', 'payout', 'refund'])} and ${t.feedSeq} >= 1`,
    ),
    check(
      'ledger_entries_amounts',
      sql`${t.feedAmountUnits} <> 'NaN' and ${t.feedFeeUnits} <> 'NaN' and ${t.feedMicroUsd} <> 'NaN'`,
    ),
  ],
);

export const ledgerPostings = pgTable(
  'ledger_postings',
  {
    entryId: text('entry_id')
      .notNull()
      .references(() => ledgerEntries.id),
    ordinal: smallint('ordinal').notNull(),
    account: text('account').$type<Account>().notNull(),
    /** `USD` (micros) or an asset key (base units). */
    currency: text('currency').notNull(),
    amount: units('amount').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.entryId, t.ordinal] }),
    check('ledger_postings_account', oneOf(t.account, keysOf(ACCOUNTS))),
    check('ledger_postings_amount', sql`${t.amount} <> 0 and ${t.amount} <> 'NaN'`),
  ],
);
