/**
 * Sweeps of deposit addresses into the hot wallet, and the operator's deposits to and withdrawals
 * from it.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import {
  ACTIVE_SWEEP_STATUSES,
  OPEN_SWEEP_STATUSES,
  SWEEP_STATUSES,
  type SweepStatus,
} from '../../../domain/sweeps/sweep.ts';
import { SWEEP_REASON_CODES, type SweepReason } from '../../../domain/sweeps/sweep-reason.ts';
import { allOrNone, instant, isId, oneOf, positive, units } from './columns.ts';
import { outgoingTransfers } from './outgoing.ts';

export const sweeps = pgTable(
  'sweeps',
  {
    id: text('id').primaryKey(),
    chain: text('chain').notNull(),
    /** Normalized. */
    address: text('address').notNull(),
    asset: text('asset').notNull(),
    status: text('status').$type<SweepStatus>().notNull(),
    forced: boolean('forced').notNull(),
    units: units('units'),
    topupId: text('topup_id').references(() => outgoingTransfers.id),
    delegationId: text('lend_id').references(() => outgoingTransfers.id),
    transferId: text('transfer_id').references(() => outgoingTransfers.id),
    undelegationId: text('reclaim_id').references(() => outgoingTransfers.id),
    reason: text('reason'),
    reasonCode: text('reason_code').$type<SweepReason['code']>(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (t) => [
    uniqueIndex('sweeps_one_open')
      .on(t.chain, t.address, t.asset)
      .where(oneOf(t.status, OPEN_SWEEP_STATUSES)),
    // The jobs of an address share its gas and energy, so only one runs at a time.
    uniqueIndex('sweeps_one_active').on(t.chain, t.address).where(oneOf(t.status, ACTIVE_SWEEP_STATUSES)),
    index('sweeps_open').on(t.chain, t.id).where(oneOf(t.status, OPEN_SWEEP_STATUSES)),
    index('sweeps_failed').on(t.chain, t.id).where(sql`${t.status} = 'failed'`),
    index('sweeps_of_address').on(t.chain, t.address),
    check('sweeps_id', isId(t.id)),
    check('sweeps_status', oneOf(t.status, SWEEP_STATUSES)),
    check('sweeps_units', positive(t.units)),
    check(
      'sweeps_transfers',
      sql`(${t.status} <> 'topping_up' or ${t.topupId} is not null)
        and (${t.status} not in ('lending', 'reclaiming') or ${t.delegationId} is not null)
        and (${t.undelegationId} is null or ${t.delegationId} is not null)
        and (${t.status} not in ('sweeping', 'done') or (${t.transferId} is not null and ${t.units} is not null))
        and (${t.status} <> 'planned' or num_nonnulls(${t.topupId}, ${t.delegationId}, ${t.transferId}) = 0)`,
    ),
    check(
      'sweeps_ended',
      sql`(${t.endedAt} is not null) = (${t.status} in ('done', 'failed'))
        and (${t.status} <> 'failed' or ${t.reason} is not null)`,
    ),
    check(
      'sweeps_reason',
      sql`${allOrNone(t.reason, t.reasonCode)} and ${oneOf(t.reasonCode, SWEEP_REASON_CODES)}`,
    ),
  ],
);

/** Addresses whose owner changed on the chain (safety.md T5), and those of a replaced wallet. */
export const frozenAddresses = pgTable(
  'frozen_addresses',
  {
    chain: text('chain').notNull(),
    /** Normalized. */
    address: text('address').notNull(),
    reason: text('reason').notNull(),
    frozenAt: instant('frozen_at').notNull(),
    /** Belongs to a replaced wallet: permanent, and not compared with the chain. */
    formerWallet: boolean('former_wallet').notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.chain, t.address] })],
);

/**
 * The ledger's capital with the block of its check: reconciliation counts it from that block on.
 */
export const capitalBookings = pgTable(
  'capital_bookings',
  {
    id: text('id').primaryKey(),
    chain: text('chain').notNull(),
    asset: text('asset').notNull(),
    /** Positive: put in; negative: taken out. */
    units: units('units').notNull(),
    blockHeight: bigint('block_height', { mode: 'number' }).notNull(),
    blockHash: text('block_hash').notNull(),
    note: text('note').notNull(),
    at: instant('at').notNull(),
    /**
     * The UTXO that arrived or, if its block is gone, was removed again, or that was spent without
     * the gateway, `txid:vout`; null for a difference of balances.
     */
    coin: text('coin'),
    /** The deposit address of the difference, normalized; null for the hot wallet. */
    address: text('address'),
  },
  (t) => [
    // One per block: the same difference cannot be booked twice. Several UTXOs may arrive in one
    // block.
    uniqueIndex('capital_bookings_one_per_block')
      .on(t.chain, t.asset, t.blockHeight)
      .where(sql`${t.coin} is null and ${t.address} is null`),
    uniqueIndex('capital_bookings_one_per_address')
      .on(t.chain, t.address, t.asset, t.blockHeight)
      .where(sql`${t.address} is not null`),
    index('capital_bookings_of_coin').on(t.chain, t.coin).where(sql`${t.coin} is not null`),
    check('capital_bookings_id', isId(t.id)),
    check('capital_bookings_units', sql`${t.units} <> 0 and ${t.units} <> 'NaN'`),
    check('capital_bookings_place', sql`${t.coin} is null or ${t.address} is null`),
    check('capital_bookings_block', sql`${t.blockHeight} >= 0`),
  ],
);

/**
 * What an operator wants forwarded now, though it is not above its threshold. A worker takes it up,
 * and removes it.
 */
export const forwardRequests = pgTable('forward_requests', {
  asset: text('asset').primaryKey(),
  chain: text('chain').notNull(),
  at: instant('at').notNull(),
});
