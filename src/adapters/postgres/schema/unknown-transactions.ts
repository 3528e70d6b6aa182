/** Transactions of the hot wallets that this gateway's database did not know (safety.md K4). */
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
    /** Null on chains without nonces. */
    nonce: bigint('sequence', { mode: 'bigint' }),
    feeUnits: units('fee_units'),
    /** JSON: its payments with recipient and asset, without its change. */
    payments: text('payments').notNull(),
    /** It paid nobody. If this is false and there are no payments, they could not be read. */
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
