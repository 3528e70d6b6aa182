/**
 * Where transactions expire, each ends within minutes: in a block, or dead and signed again. One
 * that no node has after hours, and that is not proven dead, needs an operator: a node's time was
 * not the chain's, or a node that answers has no history. The alarm is repeated, and the reason is
 * shown beside the payouts.
 */

import { boundedMap } from '../../domain/bounded-map.ts';
import { isAlreadyRecorded } from '../../domain/payouts/waiting-reasons.ts';
import type { SignedTransaction, TransferBatch } from '../../domain/sending/outgoing.ts';
import { NOTES_MAX } from '../shared/notes-max.ts';
import { lockBatch, type SendingChain, type SendingNeeds } from './sending-chain.ts';
import { mayBePaid } from './signing/refused-payout.ts';

const UNSEEN_MS = 2 * 60 * 60 * 1000;

/**
 * To be called with the newest transaction of a batch whenever no node has any of its transactions.
 */
export function staleTransactionAlarm(
  deps: SendingNeeds,
  { chain }: Pick<SendingChain, 'chain'>,
): (batch: TransferBatch, latest: SignedTransaction) => Promise<void> {
  const alarmedAt = boundedMap<string, number>(NOTES_MAX);

  return async ([{ transferBatchId, purpose, voided }], { txid, signedAt, validUntil }) => {
    const now = deps.clock.now();
    const since = Math.max(signedAt.getTime(), alarmedAt.get(transferBatchId) ?? 0);
    if (now.getTime() - since < UNSEEN_MS) return;
    alarmedAt.set(transferBatchId, now.getTime());
    deps.logger.error('transfer.unseen', {
      ...{ chain, transferBatchId, purpose, voided, txid },
      ...{ signedAt: signedAt.toISOString(), validUntil: String(validUntil) },
    });
    const reason = `no node has ${txid} since ${signedAt.toISOString()}, and it is not proven dead`;
    const waiting = { code: 'signing', reason } as const;
    await deps.unitOfWork.run(async (repositories) => {
      const locked = await lockBatch(repositories, transferBatchId);
      for (const payout of locked?.payouts ?? [])
        if (mayBePaid(payout) && !isAlreadyRecorded(payout.waiting, waiting))
          await repositories.payouts.save({ ...payout, waiting: { ...waiting, at: now } });
    });
  };
}
