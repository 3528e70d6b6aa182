/**
 * Outgoing money: the wallets and their nonces, transfers, and every transaction that was ever
 * signed for one.
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
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { OUTGOING_STATUSES, type OutgoingStatus } from '../../../domain/sending/outgoing.ts';
import { ALL_FAILURE_CODES, type FailureCode } from '../../../domain/sending/outgoing-failure.ts';
import { OUTGOING_PURPOSES, type OutgoingPurpose } from '../../../domain/sending/outgoing-purpose.ts';
import { allOrNone, instant, isId, notNegative, oneOf, positive, units } from './columns.ts';

const COIN_KEY_ROLES = ['hot', 'deposit', 'change'] as const;

/**
 * One row per wallet that ever sent. Taking the next nonce locks it, so that no nonce is used
 * twice.
 */
export const wallets = pgTable(
  'wallets',
  {
    chain: text('chain').notNull(),
    /** Normalized. */
    address: text('address').notNull(),
    nextNonce: bigint('next_sequence', { mode: 'bigint' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.chain, t.address] }),
    check('wallets_next_sequence', sql`${t.nextNonce} >= 0`),
  ],
);

export const outgoingTransfers = pgTable(
  'outgoing_transfers',
  {
    id: text('id').primaryKey(),
    chain: text('chain').notNull(),
    wallet: text('wallet').notNull(),
    nonce: bigint('sequence', { mode: 'bigint' }).notNull(),
    transferBatchId: text('bundle_id').notNull(),
    position: integer('position').notNull(),
    purpose: text('purpose').$type<OutgoingPurpose>().notNull(),
    referenceId: text('reference_id').notNull(),
    asset: text('asset').notNull(),
    toAddress: text('to_address').notNull(),
    units: units('units').notNull(),
    status: text('status').$type<OutgoingStatus>().notNull(),
    txid: text('txid'),
    blockHeight: integer('block_height'),
    blockHash: text('block_hash'),
    /** Below zero if the network returned more than it took. */
    feeUnits: units('fee_units'),
    hotFeeUnits: units('hot_fee_units').notNull().default(sql`0`),
    failure: text('failure'),
    failureCode: text('failure_code').$type<FailureCode>(),
    voided: boolean('voided').notNull(),
    /** It cannot be signed any more, and its nonce may be used by another. */
    takenOut: boolean('taken_out').notNull().default(false),
    /** An operator wants its newest transaction replaced now. */
    feeBumpRequested: boolean('hurried').notNull().default(false),
    /** Attempts to sign its batch whose bytes may be lost. */
    openAttempts: integer('open_attempts').notNull().default(0),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    // A wallet's nonce belongs to one signed batch (safety.md, "Paid once"); a batch that gave it
    // up unsigned does not count.
    uniqueIndex('outgoing_transfers_one_per_sequence')
      .on(t.chain, t.wallet, t.nonce, t.position)
      .where(sql`not ${t.takenOut}`),
    // Nonces that were given back.
    index('outgoing_transfers_taken_out').on(t.chain, t.wallet, t.nonce).where(sql`${t.takenOut}`),
    index('outgoing_transfers_of_bundle').on(t.transferBatchId),
    foreignKey({ name: 'outgoing_transfers_bundle', columns: [t.transferBatchId], foreignColumns: [t.id] }),
    check(
      'outgoing_transfers_bundle_led',
      sql`(${t.position} = 0) = (${t.transferBatchId} = ${t.id}) and ${t.position} >= 0`,
    ),
    // A payout, sweep or top-up has at most one transfer that has not failed; after a failed one
    // there may be another.
    uniqueIndex('outgoing_transfers_one_per_reference')
      .on(t.purpose, t.referenceId)
      .where(sql`${t.status} <> 'failed' and not ${t.voided}`),
    // All transfers of a payout, failed ones too: its time line.
    index('outgoing_transfers_of_payout').on(t.referenceId, t.id).where(sql`${t.purpose} = 'payout'`),
    index('outgoing_transfers_open')
      .on(t.chain, t.wallet, t.nonce)
      .where(sql`${t.status} in ('allocated', 'signed')`),
    index('outgoing_transfers_forwards').on(t.asset, t.createdAt).where(sql`${t.purpose} = 'forward'`),
    index('outgoing_transfers_settled').on(t.chain, t.blockHeight).where(sql`${t.blockHeight} is not null`),
    check('outgoing_transfers_id', isId(t.id)),
    check('outgoing_transfers_sequence', sql`${t.nonce} >= 0`),
    check('outgoing_transfers_purpose', oneOf(t.purpose, OUTGOING_PURPOSES)),
    check('outgoing_transfers_status', oneOf(t.status, OUTGOING_STATUSES)),
    check('outgoing_transfers_units', positive(t.units)),
    check('outgoing_transfers_open_attempts', sql`${t.openAttempts} >= 0`),
    check('outgoing_transfers_fee', sql`${t.feeUnits} <> 'NaN' and ${t.hotFeeUnits} <> 'NaN'`),
    check(
      'outgoing_transfers_settled_whole',
      sql`${allOrNone(t.txid, t.blockHeight, t.blockHash, t.feeUnits)}
        and (${t.status} <> 'confirmed' or ${t.txid} is not null)
        and (${t.status} in ('confirmed', 'failed') or ${t.txid} is null)`,
    ),
    check(
      'outgoing_transfers_taken_out',
      sql`not ${t.takenOut} or (${t.status} = 'failed' and ${t.txid} is null)`,
    ),
    check(
      'outgoing_transfers_failure',
      sql`(${t.failure} is not null) = (${t.status} = 'failed' or (${t.voided} and ${t.status} <> 'confirmed'))
        and ${allOrNone(t.failure, t.failureCode)} and ${oneOf(t.failureCode, ALL_FAILURE_CODES)}`,
    ),
  ],
);

export const signedTransactions = pgTable(
  'signed_transactions',
  {
    transferBatchId: text('bundle_id')
      .notNull()
      .references(() => outgoingTransfers.id),
    ordinal: integer('ordinal').notNull(),
    txid: text('txid').notNull(),
    /** '' once it was settled for long (app/sending/signing/forget-bytes.ts). */
    raw: text('raw').notNull(),
    voids: boolean('voids').notNull(),
    maxFeeUnits: units('max_fee_units').notNull(),
    /** False for what 0.1.0 signed: its fee may be in the books never or twice. */
    feeCompared: boolean('fee_compared').notNull().default(true),
    validUntil: bigint('valid_until', { mode: 'bigint' }),
    signedAt: instant('signed_at').notNull(),
    broadcastAt: instant('broadcast_at'),
  },
  (t) => [
    primaryKey({ columns: [t.transferBatchId, t.ordinal] }),
    // Also distinguishes the gateway's own transfers from payments (record-transfer.ts).
    uniqueIndex('signed_transactions_txid').on(t.txid),
    // Those whose bytes are removed next.
    index('signed_transactions_with_bytes').on(t.signedAt).where(sql`${t.raw} <> ''`),
    check('signed_transactions_ordinal', sql`${t.ordinal} >= 1`),
    check('signed_transactions_fee', notNegative(t.maxFeeUnits)),
  ],
);

/**
 * Outputs that the wallet's keys can spend (UTXO chains), and spent ones with the batch that spent
 * them. They come from a credited deposit, from the operator (the hot wallet's address), or as
 * change.
 */
export const utxos = pgTable(
  'coins',
  {
    chain: text('chain').notNull(),
    txid: text('txid').notNull(),
    vout: bigint('vout', { mode: 'number' }).notNull(),
    /** Normalized. */
    address: text('address').notNull(),
    keyRole: text('key_role').$type<(typeof COIN_KEY_ROLES)[number]>().notNull(),
    keyIndex: bigint('key_index', { mode: 'number' }),
    units: units('units').notNull(),
    /** Null while its transaction is in no known block; then it cannot be spent. */
    blockHeight: bigint('block_height', { mode: 'number' }),
    /** Only of what no transaction of ours brought: its booking names the block. */
    blockHash: text('block_hash'),
    claimedBy: text('claimed_by').references(() => outgoingTransfers.id),
    /**
     * It may be spent elsewhere: the gateway does not spend it before the chain shows it unspent.
     */
    doubted: boolean('doubted').notNull().default(false),
    /**
     * Whether it was booked as capital: the operator's funding, and the change of a transaction of
     * ours that the books lack. Null for other UTXOs.
     */
    booked: boolean('booked'),
    /** The chain has it spent, and no transaction of ours did it: booked out of the capital. */
    spentOutside: boolean('spent_outside').notNull().default(false),
  },
  (t) => [
    // No UTXO is claimed twice, whatever workers do (safety.md, "Paid once").
    primaryKey({ columns: [t.chain, t.txid, t.vout] }),
    index('coins_free')
      .on(t.chain, t.units)
      .where(sql`${t.claimedBy} is null and ${t.blockHeight} is not null`),
    index('coins_of_bundle').on(t.claimedBy).where(sql`${t.claimedBy} is not null`),
    index('coins_doubted').on(t.chain).where(sql`${t.doubted}`),
    index('coins_unbooked').on(t.chain, t.blockHeight).where(sql`not ${t.booked}`),
    index('coins_booked_without_block').on(t.chain).where(sql`${t.booked} and ${t.blockHeight} is null`),
    index('coins_spent_outside').on(t.chain).where(sql`${t.spentOutside}`),
    // Payouts to a change address are refused.
    index('coins_change_addresses').on(t.address).where(sql`${t.keyRole} = 'change'`),
    check('coins_vout', sql`${t.vout} >= 0`),
    check('coins_units', positive(t.units)),
    check(
      'coins_key',
      sql`${oneOf(t.keyRole, COIN_KEY_ROLES)} and (${t.keyIndex} is null) = (${t.keyRole} = 'hot')`,
    ),
    check(
      'coins_booked',
      sql`case ${t.keyRole} when 'hot' then ${t.booked} is not null when 'deposit' then ${t.booked} is null else true end`,
    ),
    // Never free: free UTXOs are not doubted.
    check('coins_spent_outside', sql`not ${t.spentOutside} or (${t.doubted} and ${t.claimedBy} is null)`),
  ],
);

/**
 * The operator's kill switch, which survives restarts. Its one row always exists, so that the
 * signer can lock it.
 */
export const signingSwitch = pgTable(
  'signing_switch',
  {
    singleton: boolean('singleton').primaryKey(),
    stoppedAt: instant('stopped_at'),
    note: text('note').notNull(),
  },
  (t) => [check('signing_switch_singleton', sql`${t.singleton}`)],
);
