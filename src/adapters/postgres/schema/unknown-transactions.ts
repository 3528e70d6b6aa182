/** What left our hot wallets without this gateway, as far as its database knows (safety.md K4). */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, units } from './columns.ts';
import { payouts } from './payouts.ts';

export const unknownTransactions = pgTable(
  'unknown_transactions',
  {
    chain: text('chain').notNull(),
    txid: text('txid').notNull(),
    /** Normalized. */
    wallet: text('wallet').notNull(),
    /** Null where the chain does not count. */
    nonce: bigint('sequence', { mode: 'bigint' }),
    feeUnits: units('fee_units'),
    /** JSON: what it paid, to whom and in which asset, without what it brought back to us. */
    payments: text('payments').notNull(),
    /** It paid nobody. Where it is not, and has no payments, those could not be read. */
    harmless: boolean('harmless').notNull(),
    blockHeight: bigint('block_height', { mode: 'number' }).notNull(),
    /** Null while that block is not on the chain. */
    blockHash: text('block_hash'),
    minedAt: instant('mined_at').notNull(),
    notedAt: instant('noted_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.chain, t.txid] }),
    index('unknown_transactions_by_time').on(t.notedAt),
    check('unknown_transactions_sequence', sql`${t.nonce} >= 0`),
    check('unknown_transactions_block', sql`${t.blockHeight} >= 0`),
  ],
);

/** Payouts that one of them paid, as an operator found. */
export const foundPaid = pgTable(
  'found_paid',
  {
    payoutId: text('payout_id')
      .primaryKey()
      .references(() => payouts.id),
    chain: text('chain').notNull(),
    txid: text('txid').notNull(),
    at: instant('at').notNull(),
  },
  (t) => [
    foreignKey({
      columns: [t.chain, t.txid],
      foreignColumns: [unknownTransactions.chain, unknownTransactions.txid],
    }),
    index('found_paid_by_transaction').on(t.chain, t.txid),
  ],
);
