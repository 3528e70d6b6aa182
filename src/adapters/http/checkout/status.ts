/** The invoice's state in the customer's words, and what the page offers in it. */
import type { InvoiceState } from '../../../domain/invoice.ts';
import { unreachable } from '../../../domain/result.ts';

export interface Wording {
  readonly tone: 'waiting' | 'good' | 'warn' | 'bad';
  readonly title: string;
  readonly text: string;
  /** Whether the customer may (still) pay. */
  readonly payable: boolean;
  /** Whether the page watches for changes. */
  readonly open: boolean;
  readonly leads: 'paid' | 'cancel' | null;
}

/** An invoice whose time is over invites no payment, even before the expiry was recorded. */
export function wordingOf(invoice: InvoiceState, now: Date): Wording {
  const inTime = now.getTime() < invoice.expiresAt.getTime();
  switch (invoice.status) {
    case 'created':
      if (!inTime) return EXPIRED;
      return invoice.price === null
        ? waiting('Choose a currency', 'The amount is fixed when you choose.')
        : waiting('Waiting for your payment', 'This page updates by itself.');
    case 'confirming':
      return {
        tone: 'waiting',
        title: 'Payment seen',
        text: 'It is being confirmed by the network. You need not do anything.',
        payable: false,
        open: true,
        leads: null,
      };
    case 'partially_paid':
      if (invoice.billingType === 'VARY') return PAID;
      return {
        tone: 'warn',
        title: 'A part has arrived',
        text: inTime ? 'Please send the rest to the same address.' : 'The time for the rest is over.',
        payable: inTime,
        open: true,
        leads: null,
      };
    case 'success':
      return PAID;
    case 'paid_over':
      return { ...PAID, text: 'You sent more than was asked. Contact the merchant about the difference.' };
    case 'failed':
      return ended(
        'bad',
        'The payment did not go through',
        'The network dropped it. Contact the merchant if money left your wallet.',
        'cancel',
      );
    case 'high_risk':
      return ended('warn', 'The payment is being reviewed', 'The merchant will get back to you.', null);
    case 'expired':
      return EXPIRED;
    case 'cancelled':
      return ended(
        'bad',
        'The time is over',
        'Only a part of the amount arrived. Contact the merchant about it.',
        'cancel',
      );
    case 'refunded':
      return ended('good', 'Refunded', 'The merchant has refunded this payment.', null);
    default:
      return unreachable(invoice.status);
  }
}

function waiting(title: string, text: string): Wording {
  return { tone: 'waiting', title, text, payable: true, open: true, leads: 'cancel' };
}

function ended(tone: Wording['tone'], title: string, text: string, leads: Wording['leads']): Wording {
  return { tone, title, text, payable: false, open: false, leads };
}

const PAID = ended('good', 'Paid', 'Thank you. The merchant has been told.', 'paid');
const EXPIRED = ended(
  'bad',
  'This invoice has expired',
  'Do not pay it any more. Ask the merchant for a new one.',
  'cancel',
);
