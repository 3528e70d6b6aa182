/** States in words, with their tones. */
import type { ApprovalKind, ApprovalStatus } from '../../../../domain/accounts/approval.ts';
import type { InvoiceStatus } from '../../../../domain/invoices/invoice.ts';
import type { FeeBearer } from '../../../../domain/money/fee.ts';
import type { PayoutStatus } from '../../../../domain/payouts/payout.ts';
import type { ClaimStatus } from '../../../../domain/payouts/refund-claim.ts';
import type { Markup } from '../../checkout/page/html.ts';
import { badge, type Tone } from './parts.ts';

type Words<Code extends string> = Readonly<Record<Code, readonly [text: string, tone: Tone]>>;

const INVOICES: Words<InvoiceStatus> = {
  created: ['waiting', 'plain'],
  confirming: ['confirming', 'calm'],
  partially_paid: ['partly paid', 'warn'],
  paid_over: ['overpaid', 'warn'],
  success: ['paid', 'good'],
  failed: ['failed', 'bad'],
  high_risk: ['high risk', 'bad'],
  expired: ['expired', 'plain'],
  cancelled: ['cancelled', 'plain'],
  refunded: ['refunded', 'plain'],
};
const PAYOUTS: Words<PayoutStatus> = {
  pending: ['pending', 'calm'],
  processing: ['being sent', 'calm'],
  success: ['paid', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'plain'],
};
const CLAIMS: Words<ClaimStatus> = {
  open: ['waits for the customer', 'calm'],
  confirmed: ['confirmed', 'calm'],
  sent: ['being sent', 'calm'],
  paid: ['paid', 'good'],
  expired: ['expired', 'plain'],
  withdrawn: ['withdrawn', 'plain'],
};
const APPROVALS: Words<ApprovalStatus> = {
  waiting: ['waits', 'warn'],
  approved: ['approved', 'calm'],
  done: ['done', 'good'],
  failed: ['failed', 'bad'],
  refused: ['refused', 'bad'],
  expired: ['expired', 'plain'],
  withdrawn: ['withdrawn', 'plain'],
};

export const APPROVAL_NAMES: Readonly<Record<ApprovalKind, string>> = {
  payout: 'Payout',
  payout_batch: 'Batch of payouts',
  refund_offer: 'Refund',
  approval_limit: 'Limit of approvals',
  allowed_subnets: 'Addresses allowed to pay out',
  payout_release: 'Release of a held payout',
  restored_release: 'Release of payouts held after a restore',
  operator_refund_offer: 'Refund offered by an operator',
  operator_refund: 'Refund sent by an operator',
  capital_booking: 'Booking of owner funding',
};

export const invoiceBadge = (status: InvoiceStatus): Markup => badge(...INVOICES[status]);
export const payoutBadge = (status: PayoutStatus): Markup => badge(...PAYOUTS[status]);
export const claimBadge = (status: ClaimStatus): Markup => badge(...CLAIMS[status]);
export const approvalBadge = (status: ApprovalStatus): Markup => badge(...APPROVALS[status]);
export const invoiceWord = (status: InvoiceStatus): string => INVOICES[status][0];
/** For the merchant. */
export const bearerWord = (bearer: FeeBearer): string => (bearer === 'client' ? 'the customer' : 'you');
