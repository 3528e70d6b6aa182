/**
 * A sweep that had ended goes on when a reorganisation made its transfer, or its delegation, open
 * again. Until that is settled once more, or given up, nothing else moves money of the address.
 */
import { isOpenTransfer } from '../../domain/sending/outgoing.ts';
import {
  ACTIVE_SWEEP_STATUSES,
  OPEN_SWEEP_STATUSES,
  type Sweep,
  type SweepStatus,
} from '../../domain/sweeps/sweep.ts';
import { sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { SweepNeeds } from './sweep-needs.ts';

export async function reopenSweeps(deps: SweepNeeds, chain: string): Promise<void> {
  const undone = await deps.unitOfWork.run((repositories) => repositories.sweeps.undone(chain));
  for (const { id, address, asset } of undone) {
    const reopened = await deps.unitOfWork.run((repositories) => reopen(deps, repositories, id));
    if (reopened)
      deps.logger.error('sweep.reopened', {
        chain,
        sweepId: id,
        address,
        asset,
      });
  }
}

/**
 * False while another sweep of the address is on its way. Its transfer comes after this one's, so
 * that does not last.
 */
async function reopen(deps: SweepNeeds, repositories: Repositories, id: string): Promise<boolean> {
  const sweep = await repositories.sweeps.lock(id);
  if (!sweep || isOneOf(OPEN_SWEEP_STATUSES, sweep)) return false;
  await repositories.outgoing.lockWallet(sweep);
  const others = await repositories.sweeps.openAt({ chain: sweep.chain, addresses: [sweep.address] });
  if (others.some((other) => isOneOf(ACTIVE_SWEEP_STATUSES, other))) return false;
  const planned = others.find(({ asset }) => asset === sweep.asset);
  if (planned) {
    await repositories.sweeps.uncover([planned]);
    const reason = sweepReason('earlier_reopened');
    await repositories.sweeps.save({ ...planned, status: 'failed', reason, endedAt: deps.clock.now() });
  }
  await repositories.sweeps.save({ ...sweep, ...(await reopened(repositories, sweep)), endedAt: null });
  return true;
}

/**
 * The step whose transfer is open. A sweep that only takes its energy back ends as it had ended.
 */
async function reopened(
  { outgoing }: Repositories,
  { delegationId, transferId, undelegationId }: Sweep,
): Promise<Pick<Sweep, 'status'> & Partial<Pick<Sweep, 'reason'>>> {
  const [transfer] = transferId === null ? [] : await outgoing.find([transferId]);
  const reason = sweepReason('reorganised');
  if (delegationId === null || (transfer !== undefined && isOpenTransfer(transfer)))
    return { status: 'sweeping', reason };
  return transferId === null && undelegationId === null
    ? { status: 'lending', reason }
    : { status: 'reclaiming' };
}

function isOneOf(statuses: readonly SweepStatus[], { status }: Sweep): boolean {
  return statuses.includes(status);
}
