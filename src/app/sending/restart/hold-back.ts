/** Payouts that may have been paid already are held for an operator. */
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { removePayment } from '../signing/split-batch.ts';

/**
 * Holds those of these payouts that are pending, and removes their unsigned transfers. Returns the
 * ids of those that were not held before.
 */
export async function holdBack(
  repositories: Repositories,
  payoutIds: readonly string[],
  why: string,
): Promise<readonly string[]> {
  const held = await repositories.payouts.holdRestored(payoutIds, why);
  for (const id of held) {
    const active = await repositories.outgoing.activeOf('payout', id);
    if (active === null) continue;
    const reason = failureOf('restored', why);
    await removePayment(repositories, active.transferBatchId, {
      which: (transfer) => transfer.id === active.id,
      reason,
    });
  }
  return held;
}
