/**
 * Changes of a batch of which nothing is signed: transfers leave it, or it is dissolved. Nonce and
 * UTXOs are free when none is left.
 */
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import type { Failure } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { moveTransfer } from '../sending-chain.ts';

/**
 * Removes transfers from their batch: the others are paid under its nonce, with its UTXOs. The
 * signer may have signed for all of them before (its answer was lost, or thrown away), and refuses
 * a payout under another nonce than it signed it under: so the others stay under this one. In the
 * caller's transaction, which holds the locks of its payouts. Nothing happens to a batch that was
 * signed.
 */
export async function removePayment(
  repositories: Repositories,
  transferBatchId: string,
  { which, reason }: { which: (transfer: OutgoingTransfer) => boolean; reason: Failure },
): Promise<void> {
  const batch = await unsigned(repositories, transferBatchId);
  const leaving = batch.filter(which);
  for (const transfer of leaving) await moveTransfer(repositories, transfer, { type: 'taken_out', reason });
  if (leaving.length > 0 && leaving.length === batch.length)
    await repositories.utxos.release(transferBatchId);
}

/**
 * Dissolves the batch: its payouts may leave in another. One that the signer did sign for is
 * refused there, and held. Locks as for `removePayment`. False when it was signed, or is dissolved
 * already.
 */
export async function dissolveBatch(
  repositories: Repositories,
  transferBatchId: string,
  reason: Failure,
): Promise<boolean> {
  const batch = await unsigned(repositories, transferBatchId);
  for (const transfer of batch) await moveTransfer(repositories, transfer, { type: 'dissolved', reason });
  if (batch.length > 0) await repositories.utxos.release(transferBatchId);
  return batch.length > 0;
}

async function unsigned(
  { outgoing }: Repositories,
  transferBatchId: string,
): Promise<readonly OutgoingTransfer[]> {
  const members = (await outgoing.lockBatch(transferBatchId)).filter(({ takenOut }) => !takenOut);
  return members.every(({ status }) => status === 'allocated') ? members : [];
}
