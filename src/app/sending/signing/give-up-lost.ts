/**
 * Gives up a signed batch of a UTXO chain that cannot be mined, since a reorganisation removed a
 * UTXO that it spends (safety.md U7). That UTXO might come back, so nobody may be paid again yet:
 * the other UTXOs are moved to ourselves, and once that is final the payments have failed for good.
 */

import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { lockBatch, moveTransfer, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { giveUp } from './give-up-signed.ts';

/** Nothing happens when all its UTXOs are in a block, or none of them is. */
export function giveUpLost(
  deps: SendingNeeds,
  { chain }: SendingChain,
  transferBatchId: string,
): Promise<void> {
  return deps.unitOfWork.run(async (repositories) => {
    const locked = await lockBatch(repositories, transferBatchId);
    if (locked === null) return;
    const { batch } = locked;
    const [lead] = batch;
    if (lead.purpose === 'bump') return endChild(repositories, lead);
    const lost = await repositories.utxos.lostOf(transferBatchId);
    if (lost.length === 0) return;
    const all = await repositories.utxos.ofBatch(transferBatchId);
    const fields = { chain, transferBatchId, utxos: lost.map(outpointText) };
    if (lost.length === all.length) {
      deps.logger.error('transfer.coins_lost', fields);
      return;
    }
    await giveUp(repositories, batch, failureOf('coin_lost'));
    deps.logger.error('transfer.given_up_lost_coin', fields);
  });
}

/**
 * A child spends the change of a transaction. It can never be mined once the batch that it was to
 * help has ended without that transaction.
 */
async function endChild(repositories: Repositories, child: OutgoingTransfer): Promise<void> {
  const { utxos, outgoing } = repositories;
  const [change] = await utxos.ofBatch(child.transferBatchId);
  const helped = await outgoing.ofBatch(child.referenceId);
  const ended = helped.every(({ status }) => status === 'confirmed' || status === 'failed');
  if (!ended || helped.some(({ txid }) => txid === change?.txid)) return;
  const superseded = { type: 'superseded', reason: failureOf('coin_lost') } as const;
  if ((await moveTransfer(repositories, child, superseded)) === null) return;
  await utxos.release(child.transferBatchId);
}
