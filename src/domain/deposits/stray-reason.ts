/** Why a deposit is unmatched. Programs compare the code. */
import { keysOf } from '../catalog/keys-of.ts';

export const STRAY_REASONS = {
  no_invoice: 'its address belongs to no invoice',
  invoice_removed: 'its invoice expired unpaid, and was removed after its time',
  invoice_closed: 'its invoice did not take payments any more',
  older_than_invoice: 'made before its invoice, or before its address was given out',
  invoice_ended: 'under 2 USD when its invoice ended',
  other_asset: 'another asset than the invoice asked for',
  below_minimum_for_earlier_choice: 'under 2 USD for an earlier choice of its invoice',
  permanent_address_inactive: 'its permanent address is deactivated',
  below_minimum: 'under 2 USD at a permanent address',
  no_rate: 'no exchange rate was known',
  sandbox_address: 'paid to a sandbox address',
  frozen_address: 'its address is frozen: its owner changed, or its wallet was replaced',
  unexplained_balance: 'found by balance reconciliation: no payment explains it',
  came_back_late: 'came back after its invoice had ended or changed its asset',
} as const;
export type StrayReason = keyof typeof STRAY_REASONS;
export const STRAY_REASON_CODES = keysOf(STRAY_REASONS);
