/**
 * Takes delegated energy back when the sweep that it was for has come to its end, whatever that
 * was. The sweep stays open until the chain has the return; a return that came to nothing is
 * ordered again. The sweep also ends when nothing is delegated any more (somebody took it back by
 * hand), and when an operator leaves the energy where it is.
 */
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { closedSweep, type Sweep } from '../../domain/sweeps/sweep.ts';
import { sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import { hotWalletOf, hotWalletText, insertTransfer, moveTransfer } from '../sending/sending-chain.ts';
import { lockedSweep } from './change-sweep.ts';
import type { SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/**
 * A delegation, or a sweep with delegated energy, that takes longer is given up: the energy may
 * serve others.
 */
const LATE_MS = 60 * 60 * 1000;

interface EnergyTransfers {
  readonly delegation: OutgoingTransfer | null;
  /** The newest that takes it back. */
  readonly undelegation: OutgoingTransfer | null;
  /** An operator stopped signing. */
  readonly stopped: boolean;
}

/**
 * The next thing to do for a sweep that only has its energy to take back. Throws ChainUnavailable.
 */
export async function undelegateEnergy(
  deps: SweepNeeds,
  on: TreasuryChain,
  expected: Sweep,
  { delegation, undelegation, stopped }: EnergyTransfers,
): Promise<void> {
  if (delegation === null || delegation.status === 'failed') return close(deps, expected);
  if (undelegation?.status === 'confirmed' || isLeftByOperator(undelegation)) return close(deps, expected);
  if (stopped || delegation.status !== 'confirmed') return;
  const isOnItsWay = undelegation !== null && undelegation.status !== 'failed';
  if (isOnItsWay && !isLate(deps, undelegation)) return;
  const units = await stillDelegated(on, delegation);
  if (isOnItsWay) {
    if (units < undelegation.units) await giveUp(deps, expected, undelegation, 'loan_gone');
  } else if (units > 0n) await orderReturn(deps, on, expected, { address: delegation.to, units });
  else {
    const { chain, id: sweepId, address } = expected;
    deps.logger.warn('sweep.energy_gone', { chain, sweepId, address });
    await close(deps, expected);
  }
}

/**
 * The delegation's units that still are delegated, without what an operator delegates beside them.
 */
async function stillDelegated(on: TreasuryChain, { to, block, units }: OutgoingTransfer): Promise<bigint> {
  const delegation = { hot: hotWalletText(on), address: to, height: block?.height ?? 0 };
  const reported = (await on.sender.energy?.delegated(delegation)) ?? null;
  return reported !== null && reported < units ? reported : units;
}

async function orderReturn(
  deps: SweepNeeds,
  on: TreasuryChain,
  expected: Sweep,
  { address: to, units }: { address: string; units: bigint },
): Promise<void> {
  const { chain, sender } = on;
  const wallet = hotWalletOf(on);
  const from = { atLeast: await sender.nextNonce(wallet) };
  await lockedSweep(deps, expected, async (repositories, sweep) => {
    // Another worker may have been first.
    if (sweep.undelegationId !== expected.undelegationId) return;
    if (await repositories.outgoing.signingStopped()) return;
    const id = deps.ids.id();
    await insertTransfer(repositories, {
      id,
      chain,
      wallet,
      from,
      purpose: 'reclaim',
      referenceId: sweep.id,
      asset: sender.nativeAsset,
      to,
      units,
      createdAt: deps.clock.now(),
    });
    await repositories.sweeps.save({ ...sweep, undelegationId: id });
  });
}

/**
 * Gives up a delegation, or the sweep that it was for, that is on its way for too long: prices or
 * the stake may have changed since.
 */
export async function giveUpLate(
  deps: SweepNeeds,
  expected: Sweep,
  transfer: OutgoingTransfer,
): Promise<void> {
  if (isLate(deps, transfer)) await giveUp(deps, expected, transfer, 'loan_late');
}

const isLate = ({ clock }: Pick<SweepNeeds, 'clock'>, { voided, createdAt }: OutgoingTransfer): boolean =>
  !voided && clock.now().getTime() - createdAt.getTime() >= LATE_MS;

/** Whether an operator gave the return up, and so left the energy delegated. */
const isLeftByOperator = (undelegation: OutgoingTransfer | null): boolean =>
  undelegation?.status === 'failed' && undelegation.voided && undelegation.failure?.code === 'operator';

async function close(deps: SweepNeeds, expected: Sweep): Promise<void> {
  await lockedSweep(deps, expected, (repositories, sweep) =>
    repositories.sweeps.save(closedSweep(sweep, deps.clock.now())),
  );
}

async function giveUp(
  deps: SweepNeeds,
  expected: Sweep,
  { id }: OutgoingTransfer,
  code: 'loan_late' | 'loan_gone',
): Promise<void> {
  await lockedSweep(deps, expected, async (repositories, sweep) => {
    const transfer = await repositories.outgoing.lock(id);
    const voiding = { type: 'voided', reason: failureOf(code) } as const;
    if (transfer === null || (await moveTransfer(repositories, transfer, voiding)) === null) return;
    // What becomes of the return says nothing of the money that was moved.
    if (transfer.purpose !== 'reclaim')
      await repositories.sweeps.save({ ...sweep, reason: sweepReason(code) });
  });
}
