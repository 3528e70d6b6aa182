/** Broadcasts bytes that are signed and stored, unless they must not be on their way any more. */
import { allVoided, type SignedTransaction } from '../../domain/sending/outgoing.ts';
import { batchOf, type SendingChain, type SendingNeeds } from './sending-chain.ts';

/**
 * False when the nodes say that they can never accept the bytes: the nonce is used, or a UTXO is
 * not there. True also where nothing was broadcast. Throws ChainUnavailable.
 */
export async function broadcastStored(
  deps: SendingNeeds,
  on: SendingChain,
  signed: SignedTransaction,
): Promise<boolean> {
  const { raw, txid, broadcastAt } = signed;
  if (await mustBeHeldBack(deps, on, signed)) return true;
  const outcome = await on.sender.broadcast(raw);
  if (outcome.kind === 'refused')
    deps.logger.warn('transfer.not_taken', { chain: on.chain, txid, reason: outcome.reason });
  if (outcome.kind === 'accepted' && broadcastAt === null)
    await deps.unitOfWork.run(({ outgoing }) => outgoing.markBroadcast([txid], deps.clock.now()));
  return outcome.kind !== 'nonce_used';
}

/**
 * Whether signing is stopped and no node has the bytes yet, or the batch was given up where silence
 * lets its bytes expire. Read from the database: both may have changed since the batch was read.
 */
async function mustBeHeldBack(
  { unitOfWork }: SendingNeeds,
  { sender: { capabilities } }: SendingChain,
  { transferBatchId, voids, broadcastAt }: SignedTransaction,
): Promise<boolean> {
  const mayExpire = capabilities.expires && !voids;
  if (broadcastAt !== null && !mayExpire) return false;
  return unitOfWork.run(async (repositories) => {
    if (broadcastAt === null && (await repositories.outgoing.signingStopped()) !== null) return true;
    if (!mayExpire) return false;
    const batch = await batchOf(repositories, transferBatchId);
    if (batch === null) return true;
    return capabilities.nonces === 'counted' ? batch.some(({ voided }) => voided) : allVoided(batch);
  });
}
