/** What operators do about forwards: ask for one now, and give one up that cannot end. */

import { type AppError, appError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import { isOpenTransfer } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import { lockBatch } from '../../sending/sending-chain.ts';
import { giveUp } from '../../sending/signing/give-up-signed.ts';
import { runResult } from '../../shared/transaction-result.ts';
import type { SweepNeeds } from '../../sweeps/sweep-needs.ts';

/**
 * Plans a forward of what is above what is kept, though it may be below the threshold. A running
 * worker carries it out as soon as nothing bars it, within a day.
 */
export function requestForward(
  { unitOfWork, clock }: Pick<SweepNeeds, 'unitOfWork' | 'clock'>,
  of: { readonly chain: string; readonly asset: string },
): Promise<void> {
  return unitOfWork.run(({ forwardRequests }) => forwardRequests.insert({ ...of, at: clock.now() }));
}

/**
 * Gives up a forward that is on its way, by the id of its transfer: one that was signed is mined
 * all the same, or a transaction that moves nothing uses its nonce up. It is looked for in the same
 * transaction: the audit log has no entry of a look that found nothing to give up.
 */
export function giveUpForward(deps: Pick<SweepNeeds, 'unitOfWork' | 'logger'>) {
  return async (id: string): Promise<Result<OutgoingTransfer, AppError>> => {
    const given = await runResult<OutgoingTransfer, AppError>(deps.unitOfWork, async (repositories) => {
      const [named] = await repositories.outgoing.find([id]);
      if (named?.purpose !== 'forward') return err(appError('NOT_FOUND', `No such forward: ${id}`));
      const locked = await lockBatch(repositories, named.transferBatchId);
      const open = locked?.batch.filter(isOpenTransfer) ?? [];
      const [voided] = await giveUp(repositories, open, failureOf('operator'), { byOperator: true });
      if (voided !== undefined) return ok(voided);
      const [forward] = open;
      return forward === undefined
        ? err(appError('INVALID_TRANSITION', `The forward is ${named.status}: nothing of it is on its way.`))
        : ok(forward);
    });
    if (given.ok) deps.logger.warn('forward.given_up', { chain: given.value.chain, transferId: id });
    return given;
  };
}
