/** Claims of customers to refunds. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, text } from 'drizzle-orm/pg-core';
import { FEE_BEARERS, type FeeBearer } from '../../../domain/money/fee.ts';
import {
  CLAIM_STATUSES,
  CLAIM_SUBJECTS,
  type ClaimStatus,
  type ClaimSubject,
} from '../../../domain/payouts/refund-claim.ts';
import { deposits } from './addresses.ts';
import { allOrNone, instant, isId, oneOf, positive, units } from './columns.ts';
import { invoices } from './invoices.ts';
import { merchants } from './merchants.ts';

export const refundClaims = pgTable(
  'refund_claims',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    sandbox: boolean('sandbox').notNull(),
    subject: text('subject').$type<ClaimSubject>().notNull(),
    invoiceId: text('invoice_id').references(() => invoices.id),
    depositId: text('deposit_id').references(() => deposits.id),
    asset: text('asset').notNull(),
    units: units('units').notNull(),
    feeBearer: text('fee_bearer').$type<FeeBearer>().notNull(),
    onCheckout: boolean('on_checkout').notNull(),
    /** The operator who offered it; null: the merchant. */
    orderedBy: text('ordered_by'),
    status: text('status').$type<ClaimStatus>().notNull(),
    address: text('address'),
    /** The payout that pays it: `payouts.refund_claim_id` refers back, also of earlier ones. */
    payoutId: text('payout_id'),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    index('refund_claims_of_invoice').on(t.invoiceId, t.id).where(sql`${t.invoiceId} is not null`),
    // Not unique: the chain may take back, or pay after all, the payout of an earlier claim.
    index('refund_claims_of_deposit').on(t.depositId).where(sql`${t.depositId} is not null`),
    index('refund_claims_of_merchant').on(t.merchantId, t.sandbox, t.status, t.createdAt, t.id),
    index('refund_claims_open').on(t.expiresAt).where(sql`${t.status} = 'open'`),
    check('refund_claims_id', isId(t.id)),
    check('refund_claims_subject', oneOf(t.subject, CLAIM_SUBJECTS)),
    check(
      'refund_claims_of',
      sql`(${t.subject} = 'deposit') = (${t.depositId} is not null)
        and (${t.subject} = 'deposit' or ${t.invoiceId} is not null)`,
    ),
    check('refund_claims_units', positive(t.units)),
    check('refund_claims_fee_bearer', oneOf(t.feeBearer, FEE_BEARERS)),
    check('refund_claims_status', oneOf(t.status, CLAIM_STATUSES)),
    check(
      'refund_claims_confirmed',
      sql`${allOrNone(t.address, t.payoutId)}
        and (${t.payoutId} is not null) = (${t.status} in ('confirmed', 'sent', 'paid'))`,
    ),
  ],
);
