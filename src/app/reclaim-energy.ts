/**
 * Energy that was lent to a deposit address is taken back when its sweep has come to its end, whatever that was: the sweep stays
 * open until the chain has the return, and what of it came to nothing is ordered again.
 */
import { allocatedTransfer, decideOutgoing, type OutgoingTransfer } from '../domain/outgoing.ts';
import { closedSweep, type Sweep } from '../domain/sweep.ts';
import { lockedSweep } from './begin-sweeps.ts';
import type { SweepNeeds, TreasuryChain } from './plan-sweeps.ts';
import { hotWalletOf } from './sending.ts';

/** A loan, or what is to be moved by it, that takes longer is given up: the energy may serve others. */
const LOAN_MS = 60 * 60 * 1000;
export const LATE = 'it took too long for the energy that was to be lent';

/** The next thing to do for a sweep that only has its loan to take back: it ends when the loan never came to be, or is back. */
export async function reclaimEnergy(
  deps: SweepNeeds,
  on: TreasuryChain,
  expected: Sweep,
  {
    lend,
    reclaim,
    stopped,
  }: {
    lend: OutgoingTransfer | null;
    reclaim: OutgoingTransfer | null;
    stopped: boolean;
  },
): Promise<void> {
  if (lend === null || lend.status === 'failed' || reclaim?.status === 'confirmed') {
    await lockedSweep(deps, expected, (repositories, sweep) =>
      repositories.sweeps.save(closedSweep(sweep, deps.clock.now())),
    );
    return;
  }
  const onItsWay = reclaim !== null && reclaim.status !== 'failed';
  if (stopped || lend.status !== 'confirmed' || onItsWay) return;
  const { chain, sender } = on;
  const wallet = hotWalletOf(on);
  const atLeast = await sender.nextSequence(wallet);
  await lockedSweep(deps, expected, async (repositories, sweep) => {
    // Another worker may have been first.
    if (sweep.reclaimId !== expected.reclaimId || (await repositories.outgoing.signingStopped())) return;
    const sequence = await repositories.outgoing.takeSequence({ chain, address: wallet, atLeast });
    const id = deps.ids.id();
    const transfer = allocatedTransfer({
      ...{ id, chain, wallet, sequence },
      purpose: 'reclaim',
      referenceId: sweep.id,
      asset: sender.nativeAsset,
      to: lend.to,
      units: lend.units,
      createdAt: deps.clock.now(),
    });
    await repositories.outgoing.insert(transfer);
    await repositories.sweeps.save({ ...sweep, reclaimId: id });
  });
}

/** Gives up a loan, or the sweep that it was for, that is on its way for too long: prices or the stake may have changed since. */
export async function giveUpLate(
  deps: SweepNeeds,
  expected: Sweep,
  { id, voided, createdAt }: OutgoingTransfer,
): Promise<void> {
  if (voided || deps.clock.now().getTime() - createdAt.getTime() < LOAN_MS) return;
  await lockedSweep(deps, expected, async (repositories, sweep) => {
    const transfer = await repositories.outgoing.lock(id);
    const next = transfer === null ? null : decideOutgoing(transfer, { type: 'voided', reason: LATE });
    if (transfer === null || next === null) return;
    await repositories.outgoing.save({ ...transfer, ...next });
    await repositories.sweeps.save({ ...sweep, reason: LATE });
  });
}
