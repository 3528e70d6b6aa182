/**
 * Where the chain does not count nonces, a transaction that an older backup shows as expired may
 * have been signed again, and mined, since. It is not signed again once the chain showed a
 * transaction of the wallet that is not known here (safety.md K4).
 */
import type { SignedTransaction } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { lockBatch, type SendingChain } from '../sending-chain.ts';
import { giveUp } from './give-up-signed.ts';

/**
 * True when the batch was signed before, and such a transaction was noted since. Its payouts are
 * given up, and held as soon as what was signed for them is proven dead (settle-transfer.ts).
 */
export async function recallRestored(
  repositories: Repositories,
  { chain, sender: { capabilities } }: Pick<SendingChain, 'chain' | 'sender'>,
  [first]: readonly SignedTransaction[],
): Promise<boolean> {
  if (first === undefined || capabilities.nonces !== 'independent' || !capabilities.expires) return false;
  if (!(await repositories.unknown.paidSince(chain, first.signedAt))) return false;
  const locked = await lockBatch(repositories, first.transferBatchId);
  await giveUp(repositories, locked?.batch ?? [], failureOf('restored'));
  return true;
}
