/** Payouts, and the X-Uniq-Ids that they use. */
import { type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
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
import { FEE_BEARERS, type FeeBearer } from '../../../domain/money/fee.ts';
import { ALL_HELD_CODES, type Held } from '../../../domain/payouts/held.ts';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../../domain/payouts/payout.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { WAITING_CODES, type WaitingCode } from '../../../domain/payouts/waiting-reasons.ts';
import { allOrNone, instant, isId, lastChange, notNegative, oneOf, positive, units } from './columns.ts';
import { invoices } from './invoices.ts';
import { merchants } from './merchants.ts';
import { refundClaims } from './refund-claims.ts';

export const payouts = pgTable(
  'payouts',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    /** `refund`: returns a customer's money; not in the merchant's list. */
    kind: text('kind').$type<Payout['kind']>().notNull().default('payout'),
    /** The refunded invoice. */
    invoiceId: text('invoice_id').references(() => invoices.id),
    /** The claim that a refund pays. */
    refundClaimId: text('refund_claim_id').references(() => refundClaims.id),
    /** The operator who ordered a refund; null for a merchant's, and from before this column. */
    orderedBy: text('ordered_by'),
    /**
     * Dense number of payouts within (merchant, environment), from 1, in the order of created_at;
     * refunds have none.
     */
    seq: bigint('seq', { mode: 'bigint' }),
    batchId: text('batch_id'),
    status: text('status').$type<PayoutStatus>().notNull(),
    txid: text('txid'),
    txHashes: text('tx_hashes').array().notNull(),
    failure: text('failure'),
    processedAt: instant('processed_at'),
    asset: text('asset').notNull(),
    address: text('address').notNull(),
    amountUnits: units('amount_units').notNull(),
    sentUnits: units('sent_units').notNull(),
    feeUnits: units('fee_units').notNull(),
    feeMicroUsd: units('fee_micro_usd').notNull(),
    energyFeeMicroUsd: units('energy_fee_micro_usd'),
    /**
     * The recipient's gas beyond an ordinary payment's, as quoted; null if an operator lifted the
     * bound.
     */
    extraGas: units('extra_gas').default(sql`'0'`),
    /** The network's fee for a failed transaction, charged to the merchant. */
    wastedFeeUnits: units('wasted_fee_units').notNull().default(sql`'0'`),
    wastedFeeMicroUsd: units('wasted_fee_micro_usd').notNull().default(sql`'0'`),
    feeBearer: text('fee_bearer').$type<FeeBearer>().notNull(),
    amountMicroUsd: units('amount_micro_usd').notNull(),
    reservedMicroUsd: units('reserved_micro_usd').notNull(),
    ref: text('ref'),
    /** Why an operator has to release it first (HELD_CODES). Null: it may be sent. */
    held: text('held'),
    heldCode: text('held_code').$type<Held['code']>(),
    /** An operator released it: limits do not hold it again. */
    released: boolean('released').notNull().default(false),
    /** An operator allows it although its merchant is barred from payouts. */
    merchantWaived: boolean('merchant_waived').notNull().default(false),
    /** Why the last try to send it failed; null if nothing blocks it. */
    waiting: text('waiting'),
    waitingCode: text('waiting_code').$type<WaitingCode>(),
    /** When it was last found waiting, or its next try: the earliest come first. */
    triedAt: instant('tried_at'),
    /** How often in a row it could not be signed and gave up its nonce. */
    tries: integer('tries').notNull().default(0),
    /** When it got its nonce: it counts for the daily limit. */
    dispatchedAt: instant('let_go_at'),
    createdAt: instant('created_at').notNull(),
    /** domain/chains/last-change.ts. */
    updatedAt: instant('updated_at'),
  },
  (t) => [
    uniqueIndex('payouts_by_seq').on(t.merchantId, t.sandbox, t.seq),
    index('payouts_by_time').on(t.merchantId, t.sandbox, t.createdAt, t.seq),
    index('payouts_by_asset').on(t.merchantId, t.sandbox, t.asset, t.seq),
    index('payouts_by_amount').on(t.merchantId, t.sandbox, t.amountMicroUsd, t.id, t.seq, t.asset),
    index('payouts_by_update')
      .on(t.merchantId, t.sandbox, lastChange(t), t.seq, t.updatedAt, t.processedAt, t.createdAt)
      .where(sql`${t.seq} is not null`),
    // A search across merchants begins with the reference, or the address.
    index('payouts_by_ref').on(t.ref, t.merchantId, t.sandbox, t.seq).where(sql`${t.ref} is not null`),
    index('payouts_by_address').on(sql`lower(${t.address})`, t.merchantId, t.sandbox, t.seq),
    index('payouts_by_transaction')
      .using('gin', t.txHashes)
      .with({ fastupdate: false })
      .where(sql`${t.txHashes} <> '{}'`),
    index('payouts_open').on(t.sandbox, t.id).where(sql`${t.status} in ('pending', 'processing')`),
    // Payouts to send, by asset: new ones by age, then waiting ones, longest untried first.
    index('payouts_to_send').on(t.asset, t.triedAt.asc().nullsFirst(), t.id).where(isToSend(t)),
    // Some of each merchant, however many another has.
    index('payouts_to_send_by_merchant')
      .on(t.asset, t.merchantId, t.triedAt.asc().nullsFirst(), t.id)
      .where(isToSend(t)),
    // Payouts of barred merchants block no others, however many wait.
    index('payouts_of_barred_merchants').on(t.merchantId, t.id).where(sql`${t.waitingCode} = 'merchant'`),
    // What needs attention.
    index('payouts_held_of_merchant')
      .on(t.merchantId, t.sandbox, t.createdAt, t.id)
      .where(sql`${t.held} is not null and ${t.seq} is not null`),
    index('payouts_failed_of_merchant')
      .on(t.merchantId, t.sandbox, t.processedAt, t.id)
      .where(sql`${t.status} = 'failed' and ${t.seq} is not null`),
    index('payouts_let_go').on(t.merchantId, t.dispatchedAt).where(sql`${t.dispatchedAt} is not null`),
    check('payouts_id', isId(t.id)),
    // Of new refunds only. One that was signed may stand beside a later one, because the chain paid
    // it after all or took it back: refusing that would fail for ever. Sending counts them
    // (payment_gone).
    uniqueIndex('payouts_one_refund')
      .on(t.invoiceId)
      .where(sql`${t.invoiceId} is not null and ${t.status} = 'pending' and ${t.txHashes} = '{}'`),
    index('payouts_of_claim').on(t.refundClaimId).where(sql`${t.refundClaimId} is not null`),
    index('payouts_of_invoice').on(t.invoiceId).where(sql`${t.invoiceId} is not null`),
    check('payouts_seq', sql`${t.seq} >= 1 and (${t.seq} is not null) = (${t.kind} = 'payout')`),
    check(
      'payouts_kind',
      sql`${oneOf(t.kind, ['payout', 'refund'])}
        and (${t.kind} = 'refund') = (num_nonnulls(${t.invoiceId}, ${t.refundClaimId}) > 0)`,
    ),
    check('payouts_ordered_by', sql`${t.orderedBy} is null or ${t.kind} = 'refund'`),
    check(
      'payouts_waiting',
      sql`${allOrNone(t.waiting, t.waitingCode, t.triedAt)} and ${oneOf(t.waitingCode, WAITING_CODES)}`,
    ),
    check('payouts_held', sql`${allOrNone(t.held, t.heldCode)} and ${oneOf(t.heldCode, ALL_HELD_CODES)}`),
    check('payouts_held_while_pending', sql`${t.held} is null or ${t.status} = 'pending'`),
    check('payouts_status', oneOf(t.status, PAYOUT_STATUSES)),
    check('payouts_fee_bearer', oneOf(t.feeBearer, FEE_BEARERS)),
    check(
      'payouts_amounts',
      sql`${positive(t.amountUnits, t.sentUnits)} and ${t.sentUnits} <= ${t.amountUnits}
        and ${notNegative(t.feeUnits, t.feeMicroUsd, t.energyFeeMicroUsd, t.amountMicroUsd, t.reservedMicroUsd)}
        and ${notNegative(t.extraGas, t.wastedFeeUnits, t.wastedFeeMicroUsd)}`,
    ),
    check(
      'payouts_processed_when_final',
      sql`(${t.processedAt} is null) = (${t.status} in ('pending', 'processing'))`,
    ),
    check('payouts_failure', sql`(${t.failure} is not null) = (${t.status} = 'failed')`),
    check(
      'payouts_txid',
      sql`(${t.status} not in ('processing', 'success') or ${t.txid} is not null)
        and (${t.txid} is null or ${t.txid} = any (${t.txHashes}))`,
    ),
  ],
);

/**
 * Live payouts that may be sent next: nothing holds them, and their merchant is not known to be
 * barred. The partial indexes have it, so that a query with it uses them.
 */
export function isToSend(t: Record<'sandbox' | 'status' | 'held' | 'waitingCode', AnyPgColumn>): SQL {
  return sql`not ${t.sandbox} and ${t.status} = 'pending' and ${t.held} is null and ${t.waitingCode} is distinct from 'merchant'`;
}

export const uniqIds = pgTable(
  'uniq_ids',
  {
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    uniqId: text('uniq_id').notNull(),
    expiresAt: instant('expires_at').notNull(),
    orderId: text('order_id'),
    batchId: text('batch_id'),
  },
  (t) => [
    primaryKey({ columns: [t.merchantId, t.sandbox, t.uniqId] }),
    index('uniq_ids_by_expiry').on(t.expiresAt),
    check('uniq_ids_result', sql`num_nonnulls(${t.orderId}, ${t.batchId}) = 1`),
  ],
);
