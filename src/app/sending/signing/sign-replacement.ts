/**
 * Signs a batch another time: where transactions expire, after the last one is dead; elsewhere, to
 * replace one that waits. A refusal is followed by growing pauses. Where later payments wait for
 * the nonce, the batch is given up at last (safety.md G3, G4).
 */

import { TRIES_MAX } from '../../../domain/payouts/waiting-reasons.ts';
import { allVoided, type TransferBatch } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import { growingPauses } from '../../shared/growing-pauses.ts';
import type { SendingChain, SendingNeeds } from '../sending-chain.ts';
import { giveUpByItself } from './give-up-signed.ts';
import { isRecipientsDoing, refusalOf } from './refused-payout.ts';
import type { SigningResult } from './sign-batch.ts';

export interface SigningAgain {
  /** Signs a batch whose transactions are dead again, unless that was refused a moment ago. */
  sign(batch: TransferBatch, attempt: () => Promise<SigningResult>): Promise<void>;
  /** Counts a refusal to sign again, and gives up the transfer to blame after enough of them. */
  tried(batch: TransferBatch, result: SigningResult): Promise<void>;
}

export function signingAgain(deps: SendingNeeds, on: SendingChain): SigningAgain {
  const { nonces, expires } = on.sender.capabilities;
  const pauses = growingPauses(deps);

  async function tried(batch: TransferBatch, result: SigningResult): Promise<void> {
    if (result.kind !== 'refused' || result.blamed === null) return;
    const [{ transferBatchId, purpose, referenceId }] = batch;
    if (pauses.isPaused(transferBatchId)) return;
    const { blamed, error } = result;
    const recipients = isRecipientsDoing(error);
    // What may still be mined waits for money, nodes and the policy as long as that takes.
    if (!expires && !recipients) return;
    const tries = pauses.begin(transferBatchId);
    if (tries <= TRIES_MAX) return;
    if (nonces === 'counted') {
      const reason = recipients ? refusalOf(error) : failureOf('overdue', error.message);
      await giveUpByItself(deps, on, batch, { reason, which: ({ id }) => id === blamed });
    } else
      deps.logger.error('transfer.unsignable', {
        ...{ chain: on.chain, transferBatchId, purpose, referenceId, tries, reason: error.message },
      });
  }

  return {
    async sign(batch, attempt) {
      // A batch that was given up only uses its nonce up, and does not pause.
      if (!allVoided(batch) && pauses.isPaused(batch[0].transferBatchId)) return;
      await tried(batch, await attempt());
    },
    tried,
  };
}
