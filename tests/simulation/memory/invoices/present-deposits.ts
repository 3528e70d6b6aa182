/** Deposits that were seen and are not gone again: also pending, held and stray ones. */
import type { DepositStatus } from '../../../../src/domain/deposits/deposit.ts';

export function isThere({ status }: { readonly status: DepositStatus }): boolean {
  return status !== 'dropped' && status !== 'reversed';
}
