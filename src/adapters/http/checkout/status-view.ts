/** The stages of an invoice as its customer sees them: what the page shows and offers. */
import { covers, type InvoiceStatus, receivedUnits } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { isDust } from '../../../domain/invoices/itemised-price.ts';
import type { TextKey } from './messages/message-keys.ts';

export type StageName =
  | 'choose'
  | 'waiting'
  | 'seen'
  | 'partial'
  | 'paid'
  | 'over'
  | 'expired'
  | 'late'
  | 'review'
  | 'failed'
  | 'refunded';

export interface Stage {
  readonly name: StageName;
  readonly tone: 'waiting' | 'good' | 'warn' | 'bad';
  readonly title: TextKey;
  readonly text: TextKey;
  /** Whether the customer can pay. */
  readonly payable: boolean;
  /** Whether the invoice can still change. The page then watches it. */
  readonly open: boolean;
  /** Where the customer can go from here. `paid-by-itself`: the page goes there after a moment. */
  readonly leads: 'paid-by-itself' | 'paid' | 'cancel' | null;
  /** What the amount due is called now. */
  readonly amount: TextKey;
  /** Whether the text sends the customer to the merchant. The page then says how to get there. */
  readonly contact: boolean;
  /** Whether the page explains what happens to a late payment. */
  readonly late: boolean;
  /** Whether there is a receipt: the payment is complete. */
  readonly receipt: boolean;
}

const OPEN = {
  ...({ payable: false, open: true, leads: null } as const),
  ...({ amount: 'amountDue', contact: false, late: false, receipt: false } as const),
};
const ENDED = { ...OPEN, open: false } as const;
/** The text sends the customer to the merchant. */
const CONTACT = { contact: true } as const;

const CHOOSE: Stage = {
  ...{ ...OPEN, payable: true, leads: 'cancel' },
  ...{ name: 'choose', tone: 'waiting', title: 'chooseTitle', text: 'chooseText' },
};
const WAITING: Stage = { ...CHOOSE, name: 'waiting', title: 'waitingTitle', text: 'waitingText' };
const SEEN: Stage = { ...OPEN, name: 'seen', tone: 'waiting', title: 'seenTitle', text: 'seenText' };
const PARTIAL: Stage = {
  ...{ ...OPEN, payable: true },
  ...{ name: 'partial', tone: 'warn', title: 'partialTitle', text: 'partialText' },
};
/** Open: the operator's decision changes it. */
const REVIEW: Stage = {
  ...{ ...OPEN, ...CONTACT, amount: 'itemTotal' },
  ...{ name: 'review', tone: 'warn', title: 'reviewTitle', text: 'reviewText' },
};
const PAID: Stage = {
  ...{ ...ENDED, leads: 'paid-by-itself', amount: 'amountSettled', receipt: true },
  ...{ name: 'paid', tone: 'good', title: 'paidTitle', text: 'paidText' },
};
/**
 * A top-up below the suggested amount is complete. The page waits: the customer checks the amount
 * first.
 */
const TOPPED_UP: Stage = { ...PAID, leads: 'paid' };
/** The page waits: it asks the customer to do something. */
const OVER: Stage = { ...TOPPED_UP, ...CONTACT, name: 'over', text: 'overText' };
const EXPIRED: Stage = {
  ...{ ...ENDED, ...CONTACT, leads: 'cancel', amount: 'amountWasDue', late: true },
  ...{ name: 'expired', tone: 'bad', title: 'expiredTitle', text: 'expiredText' },
};
const LATE: Stage = { ...EXPIRED, name: 'late', title: 'lateTitle', text: 'lateText' };
/** Open: a later block may contain the payment again. */
const FAILED: Stage = {
  ...{ ...OPEN, ...CONTACT, leads: 'cancel', amount: 'amountWasDue' },
  ...{ name: 'failed', tone: 'bad', title: 'failedTitle', text: 'failedText' },
};
const REFUNDED: Stage = {
  ...{ ...ENDED, amount: 'amountRefunded', receipt: true },
  ...{ name: 'refunded', tone: 'good', title: 'refundedTitle', text: 'refundedText' },
};

const STAGES: Readonly<Record<InvoiceStatus, (invoice: Invoice, isInTime: boolean) => Stage>> = {
  created({ price }, isInTime) {
    if (!isInTime) return { ...EXPIRED, open: true };
    return price === null ? CHOOSE : WAITING;
  },
  confirming(invoice, isInTime) {
    // A top-up has no amount that it must reach.
    const isAll = invoice.billingType === 'VARY' || covers(invoice, receivedUnits(invoice.funds));
    if (isAll) return SEEN;
    return isInTime ? { ...SEEN, text: 'seenPartText' } : { ...SEEN, ...CONTACT, text: 'seenPartLateText' };
  },
  partially_paid({ billingType }, isInTime) {
    if (billingType === 'VARY') return TOPPED_UP;
    return isInTime ? PARTIAL : { ...LATE, open: true };
  },
  success: () => PAID,
  paid_over: (invoice) => (isDust(invoice) ? PAID : OVER),
  failed: () => FAILED,
  high_risk: () => REVIEW,
  expired: () => EXPIRED,
  cancelled: () => LATE,
  refunded: () => REFUNDED,
};

/** After its time an invoice is not payable, even before its expiry is recorded. */
export function stageOf(invoice: Invoice, now: Date): Stage {
  return STAGES[invoice.status](invoice, now.getTime() < invoice.expiresAt.getTime());
}
