/** What leaves our wallets: the wallets and their sequences, transfers, and every transaction that was ever signed for one. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { OUTGOING_PURPOSES, OUTGOING_STATUSES } from '../../../domain/outgoing.ts';
import { allOrNone, instant, isId, notNegative, oneOf, positive, units } from './columns.ts';

/** One row per wallet that ever sent: who takes the next sequence locks it, so no sequence is given out twice. */
export const wallets = pgTable(
  'wallets',
  {
    chain: text('chain').notNull(),
    /** Normalized. */
    address: text('address').notNull(),
    nextSequence: bigint('next_sequence', { mode: 'bigint' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.chain, t.address] }),
    check('wallets_next_sequence', sql`${t.nextSequence} >= 0`),
  ],
);

export const outgoingTransfers = pgTable(
  'outgoing_transfers',
  {
    id: text('id').primaryKey(),
    chain: text('chain').notNull(),
    wallet: text('wallet').notNull(),
    sequence: bigint('sequence', { mode: 'bigint' }).notNull(),
    purpose: text('purpose').notNull(),
    referenceId: text('reference_id').notNull(),
    asset: text('asset').notNull(),
    toAddress: text('to_address').notNull(),
    units: units('units').notNull(),
    status: text('status').notNull(),
    txid: text('txid'),
    blockHeight: integer('block_height'),
    blockHash: text('block_hash'),
    feeUnits: units('fee_units'),
    failure: text('failure'),
    voided: boolean('voided').notNull(),
    /** An operator wants its newest transaction replaced now. */
    hurried: boolean('hurried').notNull().default(false),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    // No two transfers can ever be signed for one sequence of a wallet (safety.md, 2).
    uniqueIndex('outgoing_transfers_one_per_sequence').on(t.chain, t.wallet, t.sequence),
    // A payout, sweep or top-up has one transfer that may still happen or did; one that was given up makes room for another.
    uniqueIndex('outgoing_transfers_one_per_reference')
      .on(t.purpose, t.referenceId)
      .where(sql`${t.status} <> 'failed' and not ${t.voided}`),
    index('outgoing_transfers_open')
      .on(t.chain, t.wallet, t.sequence)
      .where(sql`${t.status} in ('allocated', 'signed')`),
    index('outgoing_transfers_settled').on(t.chain, t.blockHeight).where(sql`${t.blockHeight} is not null`),
    check('outgoing_transfers_id', isId(t.id)),
    check('outgoing_transfers_sequence', sql`${t.sequence} >= 0`),
    check('outgoing_transfers_purpose', oneOf(t.purpose, OUTGOING_PURPOSES)),
    check('outgoing_transfers_status', oneOf(t.status, OUTGOING_STATUSES)),
    check('outgoing_transfers_units', positive(t.units)),
    check('outgoing_transfers_fee', notNegative(t.feeUnits)),
    check(
      'outgoing_transfers_settled_whole',
      sql`${allOrNone(t.txid, t.blockHeight, t.blockHash, t.feeUnits)}
        and (${t.status} <> 'confirmed' or ${t.txid} is not null)
        and (${t.status} in ('confirmed', 'failed') or ${t.txid} is null)`,
    ),
    check(
      'outgoing_transfers_failure',
      sql`(${t.failure} is not null) = (${t.status} = 'failed' or (${t.voided} and ${t.status} <> 'confirmed'))`,
    ),
  ],
);

export const signedTransactions = pgTable(
  'signed_transactions',
  {
    transferId: text('transfer_id')
      .notNull()
      .references(() => outgoingTransfers.id),
    ordinal: integer('ordinal').notNull(),
    txid: text('txid').notNull(),
    raw: text('raw').notNull(),
    voids: boolean('voids').notNull(),
    maxFeeUnits: units('max_fee_units').notNull(),
    signedAt: instant('signed_at').notNull(),
    broadcastAt: instant('broadcast_at'),
  },
  (t) => [
    primaryKey({ columns: [t.transferId, t.ordinal] }),
    // Also how money that we moved ourselves is told from a payment (record-transfer.ts).
    uniqueIndex('signed_transactions_txid').on(t.txid),
    check('signed_transactions_ordinal', sql`${t.ordinal} >= 1`),
    check('signed_transactions_fee', notNegative(t.maxFeeUnits)),
  ],
);

/** The operator's kill switch, which outlives a restart. Its one row is always there, so that who signs can lock it. */
export const signingSwitch = pgTable(
  'signing_switch',
  {
    singleton: boolean('singleton').primaryKey(),
    stoppedAt: instant('stopped_at'),
    note: text('note').notNull(),
  },
  (t) => [check('signing_switch_singleton', sql`${t.singleton}`)],
);
