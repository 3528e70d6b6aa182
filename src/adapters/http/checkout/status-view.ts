/** The stages of an invoice as its customer sees them: what the page shows and offers. */
import { covers, type InvoiceStatus, receivedUnits } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
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
  /** Whether the page explains what happens to a late payment. */
  readonly late: boolean;
}

const OPEN = { payable: false, open: true, leads: null, late: false } as const;
const ENDED = { ...OPEN, open: false } as const;

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
const REVIEW: Stage = { ...OPEN, name: 'review', tone: 'warn', title: 'reviewTitle', text: 'reviewText' };
const PAID: Stage = {
  ...{ ...ENDED, leads: 'paid-by-itself' },
  ...{ name: 'paid', tone: 'good', title: 'paidTitle', text: 'paidText' },
};
/**
 * A top-up below the suggested amount is complete. The page waits: the customer checks the amount
 * first.
 */
const TOPPED_UP: Stage = { ...PAID, leads: 'paid' };
const EXPIRED: Stage = {
  ...{ ...ENDED, leads: 'cancel', late: true },
  ...{ name: 'expired', tone: 'bad', title: 'expiredTitle', text: 'expiredText' },
};
const LATE: Stage = { ...EXPIRED, name: 'late', title: 'lateTitle', text: 'lateText' };
/** Open: a later block may contain the payment again. */
const FAILED: Stage = {
  ...{ ...OPEN, leads: 'cancel' },
  ...{ name: 'failed', tone: 'bad', title: 'failedTitle', text: 'failedText' },
};
const REFUNDED: Stage = {
  ...ENDED,
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
    return isAll ? SEEN : { ...SEEN, text: isInTime ? 'seenPartText' : 'seenPartLateText' };
  },
  partially_paid({ billingType }, isInTime) {
    if (billingType === 'VARY') return TOPPED_UP;
    return isInTime ? PARTIAL : { ...LATE, open: true };
  },
  success: () => PAID,
  paid_over: () => ({ ...PAID, name: 'over', text: 'overText' }),
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
