/**
 * Takes nonces back from payouts whose merchant may not be paid out any more (safety.md G7). While
 * nothing is signed they leave their batch, and wait like any other payout of that merchant.
 */
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { barred, recordWaitingReason } from '../payout-dispatch.ts';
import { lockBatch, type SendingNeeds } from '../sending-chain.ts';
import { removePayment } from './split-batch.ts';

/** True when some left: the batch has changed. Signed transfers are left alone. */
export async function recallBarred(
  deps: SendingNeeds,
  repositories: Repositories,
  transferBatchId: string,
): Promise<boolean> {
  const why = await repositories.payouts.barredIn([transferBatchId]);
  if (why.size === 0) return false;
  const locked = await lockBatch(repositories, transferBatchId);
  if (locked === null) return true;
  const isBarred = ({ status, referenceId }: OutgoingTransfer) =>
    status === 'allocated' && why.has(referenceId);
  await removePayment(repositories, transferBatchId, { which: isBarred, reason: REASON });
  for (const payout of locked.payouts) {
    const bar = why.get(payout.id);
    if (bar !== undefined && payout.status === 'pending' && payout.held === null)
      await recordWaitingReason(deps, repositories, payout, barred(bar));
  }
  return locked.batch.some(isBarred);
}

const REASON = failureOf('merchant_barred');
