/** From what amount money out needs a second person. Micro-USD; null: never. */
import type { Merchant } from '../../../domain/merchants/merchant.ts';

/** The merchant's own limit. */
export function approvalLimitOf(merchant: Merchant): bigint | null {
  return (
    (merchant as Merchant & { readonly approvalAboveMicroUsd?: bigint | null }).approvalAboveMicroUsd ?? null
  );
}
