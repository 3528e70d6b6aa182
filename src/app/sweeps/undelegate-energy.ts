/**
 * Energy that was lent to a deposit address is taken back when its sweep has come to its end, whatever that was: the sweep stays
 * open until the chain has the return, and what of it came to nothing is ordered again. It ends also when nothing is lent any more
 * (somebody took it back by hand), and when an operator leaves it lent.
 */
import { allocatedTransfer, decideOutgoing, type OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { closedSweep, type Sweep } from '../../domain/sweeps/sweep.ts';
import { sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import { hotWalletOf, hotWalletText } from '../sending/sending-chain.ts';
import { lockedSweep } from './start-sweeps.ts';
import type { SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/** A loan, or what is to be moved by it, that takes longer is given up: the energy may serve others. */
const LOAN_MS = 60 * 60 * 1000;

/** The next thing to do for a sweep that only has its loan to take back: it ends when the loan never came to be, or is back. */
export async function undelegateEnergy(
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
  if (lend === null || lend.status === 'failed' || reclaim?.status === 'confirmed' || isLeft(reclaim))
    return close(deps, expected);
  if (stopped || lend.status !== 'confirmed') return;
  const onItsWay = reclaim !== null && reclaim.status !== 'failed';
  if (onItsWay && !isLate(deps, reclaim)) return;
  const lent = await stillLent(on, lend);
  if (onItsWay) {
    if (lent < reclaim.units) await giveUp(deps, expected, reclaim, 'loan_gone');
    return;
  }
  if (lent === 0n) {
    deps.logger.warn('sweep.energy_gone', {
      chain: on.chain,
      sweepId: expected.id,
      address: expected.address,
    });
    return close(deps, expected);
  }
  await orderReturn(deps, on, expected, { address: lend.to, units: lent });
}

/** Of the loan's units those that are lent still: what an operator lends beside it is his. */
async function stillLent(on: TreasuryChain, { to, block, units }: OutgoingTransfer): Promise<bigint> {
  const loan = { hot: hotWalletText(on), address: to, height: block?.height ?? 0 };
  const told = (await on.sender.energy?.lent(loan)) ?? null;
  return told !== null && told < units ? told : units;
}

async function orderReturn(
  deps: SweepNeeds,
  on: TreasuryChain,
  expected: Sweep,
  { address: to, units }: { address: string; units: bigint },
): Promise<void> {
  const { chain, sender } = on;
  const wallet = hotWalletOf(on);
  const atLeast = await sender.nextNonce(wallet);
  await lockedSweep(deps, expected, async (repositories, sweep) => {
    // Another worker may have been first.
    if (sweep.undelegationId !== expected.undelegationId || (await repositories.outgoing.signingStopped()))
      return;
    const nonce = await repositories.outgoing.takeNonce({ chain, address: wallet, atLeast });
    const id = deps.ids.id();
    const transfer = allocatedTransfer({
      ...{ id, chain, wallet, nonce },
      purpose: 'reclaim',
      referenceId: sweep.id,
      asset: sender.nativeAsset,
      ...{ to, units },
      createdAt: deps.clock.now(),
    });
    await repositories.outgoing.insert(transfer);
    await repositories.sweeps.save({ ...sweep, undelegationId: id });
  });
}

/** Gives up a loan, or the sweep that it was for, that is on its way for too long: prices or the stake may have changed since. */
export async function giveUpLate(
  deps: SweepNeeds,
  expected: Sweep,
  transfer: OutgoingTransfer,
): Promise<void> {
  if (isLate(deps, transfer)) await giveUp(deps, expected, transfer, 'loan_late');
}

const isLate = ({ clock }: Pick<SweepNeeds, 'clock'>, { voided, createdAt }: OutgoingTransfer): boolean =>
  !voided && clock.now().getTime() - createdAt.getTime() >= LOAN_MS;

/** Whether an operator left lent what it was to take back. */
const isLeft = (reclaim: OutgoingTransfer | null): boolean =>
  reclaim?.status === 'failed' && reclaim.voided && reclaim.failure?.code === 'operator';

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
    const next =
      transfer === null ? null : decideOutgoing(transfer, { type: 'voided', reason: failureOf(code) });
    if (transfer === null || next === null) return;
    await repositories.outgoing.save({ ...transfer, ...next });
    // What becomes of a loan says nothing of the money that was moved by it.
    if (transfer.purpose !== 'reclaim')
      await repositories.sweeps.save({ ...sweep, reason: sweepReason(code) });
  });
}
