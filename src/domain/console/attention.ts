/** What needs a merchant's attention, and why. Pure. */
import type { StrayReason } from '../deposits/stray-reason.ts';

export const ATTENTION_CODES = [
  /** An invoice was paid in part. */
  'partial',
  /** An invoice was paid too much. */
  'over',
  /** A payment came after its invoice had ended. */
  'late',
  /** A payment in another asset than its invoice asked for. */
  'wrong_asset',
  /** A payment that is too small to be credited. */
  'small',
  /** A payment that no invoice takes, for another reason. */
  'unmatched',
  /** The risk check holds a payment. */
  'high_risk',
  /** A customer was offered a refund and has not said where the money goes. */
  'refund_open',
  /** An operator has to release a payout. */
  'held_payout',
  'failed_payout',
  /** The merchant's server did not take a webhook, and no further attempt is made. */
  'webhook_given_up',
] as const;
export type AttentionCode = (typeof ATTENTION_CODES)[number];

/**
 * What ended by itself is shown for so long: partly and overpaid invoices, failed payouts, and
 * webhooks that were given up. What holds money (unmatched deposits, held payouts) is shown until
 * somebody decides.
 */
export const ATTENTION_DAYS = 90;

export const ATTENTION_OF_STRAY: Readonly<Record<StrayReason, AttentionCode>> = {
  no_invoice: 'unmatched',
  invoice_removed: 'late',
  invoice_closed: 'late',
  older_than_invoice: 'unmatched',
  invoice_ended: 'small',
  other_asset: 'wrong_asset',
  below_minimum_for_earlier_choice: 'small',
  permanent_address_inactive: 'unmatched',
  below_minimum: 'small',
  no_rate: 'unmatched',
  sandbox_address: 'unmatched',
  frozen_address: 'unmatched',
  unexplained_balance: 'unmatched',
  came_back_late: 'late',
};
