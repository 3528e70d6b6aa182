/**
 * Counts attempts to sign payouts of wallets whose nonces the chain counts. The signer signs ahead
 * of what is stored, and refuses a payout under another nonce than it signed it under. So an
 * attempt is stored before the signer is asked, and taken back once it is known that it did not
 * sign. While one is open the batch keeps its nonce, if it can be signed again soon.
 */
import type { OutgoingTransfer, TransferBatch } from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { inSets } from '../../shared/in-sets.ts';
import { SET_LOCKS } from '../../shared/try-together.ts';
import type { SendingNeeds } from '../sending-chain.ts';

/** Payments whose attempts are counted together. */
const SET_MAX = 100;

/** Resolves once the attempt is durable. False where nothing is left to sign for the first time. */
export type CountAttempt = (batch: TransferBatch) => Promise<boolean>;

export function attemptCounter(deps: SendingNeeds): CountAttempt {
  const together = inSets(
    SET_MAX,
    (batches: readonly TransferBatch[]) => countAll(deps, batches),
    ({ length }) => length,
  );
  return async (batch) => !isCounted(batch) || together(batch);
}

/** Only payouts are refused under another nonce. */
export const isCounted = ([{ purpose }]: TransferBatch): boolean => purpose === 'payout';

/**
 * Takes one attempt back, or none, and returns whether others are open. In the caller's
 * transaction, which has the batch locked.
 */
export async function hasOpenAttempts(
  { outgoing }: Pick<Repositories, 'outgoing'>,
  batch: TransferBatch,
  { takeBack }: { readonly takeBack: boolean },
): Promise<boolean> {
  const left = batch.map((transfer) => ({
    ...transfer,
    openAttempts: Math.max(0, transfer.openAttempts - (takeBack ? 1 : 0)),
  }));
  if (takeBack) await outgoing.saveAll(left);
  return left.some(({ openAttempts }) => openAttempts > 0);
}

function countAll(
  { unitOfWork }: SendingNeeds,
  batches: readonly TransferBatch[],
): Promise<readonly boolean[]> {
  const ids = batches.map(([{ transferBatchId }]) => transferBatchId);
  return unitOfWork.run(async ({ outgoing }) => {
    const unsigned = (await outgoing.lockBatches(ids)).filter(isUnsigned);
    await outgoing.saveAll(unsigned.map((each) => ({ ...each, openAttempts: each.openAttempts + 1 })));
    const left = new Set(unsigned.map(({ transferBatchId }) => transferBatchId));
    return ids.map((id) => left.has(id));
  }, SET_LOCKS);
}

const isUnsigned = ({ status, takenOut }: OutgoingTransfer): boolean => status === 'allocated' && !takenOut;
