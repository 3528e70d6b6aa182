/**
 * Batches that keep their nonce for a while, though the nodes cannot tell whether a payment of them
 * would succeed. The signer may have signed for it before (signing-attempts.ts): under another
 * nonce it would refuse the payment, and an operator would have to release it.
 */
import { boundedMap } from '../../../domain/bounded-map.ts';
import type { OutgoingTransfer, TransferBatch } from '../../../domain/sending/outgoing.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { SendingRefused } from '../../../ports/sending/chain-sender.ts';
import { NOTES_MAX } from '../../shared/notes-max.ts';
import type { SignRefusal } from './refused-payout.ts';

/**
 * Since the first refusal. All batches of the wallet behind it wait as long (safety.md G4); the
 * first refusals of several come in the same step, so their times run side by side.
 */
const KEPT_MS = 2 * 60_000;

export interface KeptNonces {
  /** Whether the refused batch, as it is stored, keeps its nonce for now. */
  keeps(batch: TransferBatch, error: SignRefusal): boolean;
}

export const KEEPS_NONE: KeptNonces = { keeps: () => false };

/** Each process counts from the first refusal that it sees. */
export function keptNonces(clock: Clock): KeptNonces {
  /** Milliseconds of the first refusal, by batch. */
  const refusedAt = boundedMap<string, number>(NOTES_MAX);
  return {
    keeps(batch, error) {
      if (!(error instanceof SendingRefused) || error.because !== 'unclear') return false;
      if (!batch.some(mayBeSigned)) return false;
      const [{ transferBatchId }] = batch;
      const now = clock.now().getTime();
      const first = refusedAt.get(transferBatchId) ?? now;
      refusedAt.set(transferBatchId, first);
      return Math.abs(now - first) < KEPT_MS;
    },
  };
}

const mayBeSigned = ({ status, voided, openAttempts }: OutgoingTransfer): boolean =>
  status === 'allocated' && !voided && openAttempts > 0;
