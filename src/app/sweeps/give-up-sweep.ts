/**
 * Gives up a sweep, or one of its transfers, that cannot come to an end without an operator. What
 * was signed may have been seen by others, so a transaction that moves nothing uses its nonce up;
 * until that is final the transfer counts as on its way.
 */

import { type AppError, appError } from '../../domain/errors.ts';
import { mulDiv } from '../../domain/money/decimal.ts';
import { larger } from '../../domain/money/larger.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import type { OutgoingPurpose } from '../../domain/sending/outgoing-purpose.ts';
import { endedSweep, type Sweep } from '../../domain/sweeps/sweep.ts';
import { sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { moveTransfer } from '../sending/sending-chain.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { SweepNeeds, TreasuryChain } from './sweep-needs.ts';

const GIVEN_UP_HERE: readonly OutgoingPurpose[] = ['sweep', 'topup', 'lend', 'reclaim'];

export interface GivenUp {
  readonly sweep: Sweep;
  /** Whose nonce is to be used up; null when nothing was on its way. */
  readonly transfer: OutgoingTransfer | null;
}

/**
 * By the id of a sweep it gives up the transfer that is on its way, or the plan; by the id of a
 * transfer, that one. It may be repeated: the return of delegated energy is given up only by its
 * own id.
 */
export function giveUpSweep(
  deps: Pick<SweepNeeds, 'unitOfWork' | 'clock' | 'logger'>,
): (id: string) => Promise<Result<GivenUp, AppError>> {
  return async (id) => {
    const given = await runResult(deps.unitOfWork, async (repositories) => {
      const [named] = await repositories.outgoing.find([id]);
      if (named && !GIVEN_UP_HERE.includes(named.purpose))
        return err(
          appError(
            'INVALID_TRANSITION',
            `The transfer is a ${named.purpose} and no sweep or top-up: see bun run payouts.`,
          ),
        );
      const sweep = await repositories.sweeps.lock(named?.referenceId ?? id);
      if (!sweep) return err(appError('NOT_FOUND', `No such sweep or transfer of one: ${id}`));
      return giveUp(
        repositories,
        sweep,
        named ? [named.id] : [sweep.transferId, sweep.delegationId, sweep.topupId],
      );
    });
    if (given.ok)
      deps.logger.warn('sweep.given_up', {
        sweepId: given.value.sweep.id,
        transferId: given.value.transfer?.id ?? null,
      });
    return given;
  };

  async function giveUp(
    repositories: Repositories,
    sweep: Sweep,
    candidates: readonly (string | null)[],
  ): Promise<Result<GivenUp, AppError>> {
    const voided = await voidFirstOpen(repositories, candidates);
    if (voided !== null) {
      // A sweep that had ended, and could not be opened again, did not move its money after all.
      const ended = sweep.status === 'done' && voided.purpose === 'sweep';
      // A sweep that only takes its energy back keeps the reason of what became of its money.
      const reason = sweep.status === 'reclaiming' ? sweep.reason : sweepReason('operator');
      const changed: Sweep = { ...sweep, status: ended ? 'failed' : sweep.status, reason };
      await repositories.sweeps.save(changed);
      return ok({ sweep: changed, transfer: voided });
    }
    if (sweep.status === 'reclaiming')
      return err(
        appError(
          'INVALID_TRANSITION',
          `All that is left to do of the sweep is to take its energy back: to leave that delegated, give up the transfer ${sweep.undelegationId ?? 'that is ordered for it next'}.`,
        ),
      );
    if (sweep.status !== 'planned' && sweep.status !== 'topping_up' && sweep.status !== 'lending')
      return err(
        appError('INVALID_TRANSITION', `Nothing of the sweep is on its way: it is ${sweep.status}.`),
      );
    // Its deposits stay tied to it, or it would be planned again.
    await repositories.sweeps.cover([sweep]);
    const ended = endedSweep(sweep, sweepReason('operator'), deps.clock.now());
    await repositories.sweeps.save(ended);
    return ok({ sweep: ended, transfer: null });
  }
}

/** Voids the first transfer that is open, and returns it; null where none is. */
async function voidFirstOpen(
  repositories: Repositories,
  candidates: readonly (string | null)[],
): Promise<OutgoingTransfer | null> {
  for (const id of candidates) {
    const transfer = id === null ? null : await repositories.outgoing.lock(id);
    if (transfer?.status !== 'allocated' && transfer?.status !== 'signed') continue;
    const voiding = { type: 'voided', reason: failureOf('operator') } as const;
    return (await moveTransfer(repositories, transfer, voiding)) ?? transfer;
  }
  return null;
}

export interface GasForVoid {
  readonly asset: string;
  readonly hasUnits: bigint;
  /** An estimate: present prices, or a tenth above what was offered for the nonce before. */
  readonly neededUnits: bigint;
}

/**
 * What the wallet of a transfer has for the transaction that uses its nonce up. Throws
 * ChainUnavailable.
 */
export async function gasForVoid(
  { unitOfWork }: Pick<SweepNeeds, 'unitOfWork'>,
  { sender }: Pick<TreasuryChain, 'sender'>,
  { wallet, transferBatchId }: OutgoingTransfer,
): Promise<GasForVoid> {
  const signed = await unitOfWork.run((repositories) => repositories.outgoing.signedOf([transferBatchId]));
  const asset = sender.nativeAsset;
  const { units } = await sender.balances(wallet, [asset]);
  const { maxUnits } = await sender.price({ asset, to: null });
  const outbid = mulDiv(signed.at(-1)?.maxFeeUnits ?? 0n, 11n, 10n, 'ceil');
  return { asset, hasUnits: units.get(asset) ?? 0n, neededUnits: larger(outbid, maxUnits) };
}
