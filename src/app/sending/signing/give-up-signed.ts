/**
 * Gives up a signed payment that cannot go on (safety.md G3). A transaction that moves nothing uses
 * its nonce up, or its bytes expire. All stay known, and the chain decides: the payment was made,
 * or it was not and the balance is back.
 */
import type { OutgoingTransfer, TransferBatch } from '../../../domain/sending/outgoing.ts';
import type { Failure } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { lockBatch, moveTransfer, type SendingChain, type SendingNeeds } from '../sending-chain.ts';

/**
 * Returns the transfers that were given up now. In the caller's transaction, which has them locked.
 * `byOperator`: what pays them is replaced at once, although it may be mined at any moment. A fee
 * bump is requested for that; any other give-up withdraws such a request.
 */
export async function giveUp(
  repositories: Repositories,
  transfers: readonly OutgoingTransfer[],
  reason: Failure,
  { byOperator = false }: { byOperator?: boolean } = {},
): Promise<readonly OutgoingTransfer[]> {
  const given: OutgoingTransfer[] = [];
  for (const transfer of transfers) {
    const marked = { ...transfer, feeBumpRequested: byOperator };
    const voided = await moveTransfer(repositories, marked, { type: 'voided', reason });
    if (voided !== null) given.push(voided);
  }
  return given;
}

/**
 * Gives up signed transfers of a batch without an operator's order, and raises an alarm. `which`:
 * by default all of them.
 */
export function giveUpByItself(
  deps: SendingNeeds,
  { chain }: Pick<SendingChain, 'chain'>,
  [{ transferBatchId }]: TransferBatch,
  { reason, which = () => true }: { reason: Failure; which?: (transfer: OutgoingTransfer) => boolean },
): Promise<void> {
  return deps.unitOfWork.run(async (repositories) => {
    const locked = await lockBatch(repositories, transferBatchId);
    const signed = locked?.batch.filter((transfer) => transfer.status === 'signed' && which(transfer)) ?? [];
    logGivenUp(deps, chain, await giveUp(repositories, signed, reason));
  });
}

export function logGivenUp(
  { logger }: Pick<SendingNeeds, 'logger'>,
  chain: string,
  given: readonly OutgoingTransfer[],
): void {
  for (const { transferBatchId, id: transferId, purpose, referenceId, wallet, nonce, failure } of given)
    logger.error('transfer.given_up', {
      ...{ chain, transferBatchId, transferId, purpose, referenceId, wallet },
      ...{ nonce: String(nonce), code: failure?.code, reason: failure?.text },
    });
}
