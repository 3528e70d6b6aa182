/**
 * Payouts that may have been paid already are held for an operator, and forwards that may have been
 * sent already are not sent.
 */
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { removePayment } from '../signing/split-batch.ts';

/**
 * Holds those of these payouts that are pending, and removes their unsigned transfers and those of
 * forwards in these assets: another is planned from what the wallet has then. Claims to
 * refunds in these assets (null: all) end: what they give back may have been paid already. Returns
 * the ids of the payouts that were not held before.
 */
export async function holdBack(
  repositories: Repositories,
  {
    payoutIds,
    ...claims
  }: { readonly payoutIds: readonly string[]; readonly assets: readonly string[] | null; readonly at: Date },
  why: string,
): Promise<readonly string[]> {
  await repositories.refundClaims.endOpen(claims);
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
  const forwards = await repositories.outgoing.unsignedForwards(claims.assets);
  for (const { transferBatchId } of forwards)
    await removePayment(repositories, transferBatchId, {
      which: () => true,
      reason: failureOf('restored', why),
    });
  return held;
}
