/**
 * What comes next for a sweep that is planned, or whose gas or energy is final: decided by what the chain and our records say now, and
 * ordered in one transaction with the state of the sweep. What cannot go is planned and says why; it keeps no place from others.
 */

import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import { isSame } from '../../domain/reason.ts';
import { allocatedTransfer, type Block } from '../../domain/sending/outgoing.ts';
import {
  type DelegationOffer,
  endedSweep,
  nextSweepStep,
  type Sweep,
  type SweepFacts,
  type SweepStep,
  usesDelegation,
} from '../../domain/sweeps/sweep.ts';
import { type SweepReason, sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { nonceFinder } from '../sending/nonces/next-nonce.ts';
import { aheadOfUs } from '../sending/nonces/nonce-ahead.ts';
import { hotWalletOf, hotWalletText } from '../sending/sending-chain.ts';
import { spendableBalanceOf, type WalletSnapshot } from '../sending/spendable-balance.ts';
import { assetsOf, estimatesEnough, mayBegin, newSweep } from './plan-sweeps.ts';
import type { SweepCostModel, SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/** Sweeps with a transfer on its way at a time: payouts wait for their turn among the open transfers. */
const ACTIVE_MAX = 100;

type Found = Omit<SweepFacts, 'coveredUnits' | 'energy'> & { readonly offer: DelegationOffer | null };

/** What a step looks up once, when the first sweep needs it. */
export interface StepMeans {
  /** The hot wallet, which gives gas and lends energy. */
  gas(): Promise<WalletSnapshot>;
  scales(): Promise<SweepCostModel>;
}

export function sweepBeginner(
  deps: SweepNeeds,
  on: TreasuryChain,
  limits: Pick<PayoutLimits, 'floorUnits'>,
): (sweep: Sweep, means: StepMeans) => Promise<void> {
  const { chain, sender } = on;
  const { nativeAsset } = sender;
  const hot = hotWalletOf(on);
  const nextNonce = nonceFinder(deps, on, { aheadOfUs: aheadOfUs(deps, on) });

  async function begin(sweep: Sweep, means: StepMeans): Promise<void> {
    if (sweep.status === 'planned' && !(await isDispatchable(sweep, means))) return;
    const found = await lookAt(sweep);
    if (found === null) return;
    // How much is covered is known only under the lock; whether gas is lacking does not depend on it.
    const energy = energyOf(sweep, found.offer, 0n);
    const likely = nextSweepStep({ ...found, energy, coveredUnits: found.balanceUnits });
    const serves = likely.kind === 'top_up' || likely.kind === 'lend';
    const gas = serves ? await means.gas() : null;
    const from = await nextNonce(serves ? hot : sweep.address);
    await lockedSweep(deps, sweep, (repositories, current) =>
      beginLocked(repositories, current, { found, gas, from }),
    );
  }

  /** Whether what the hot wallet may have on its way is on its way: one place is left free while a payout needs it. */
  async function hasNoPlace({ outgoing, payouts }: Repositories): Promise<boolean> {
    const most = sender.ways.batchesAtOnce;
    if (!Number.isFinite(most)) return false;
    const ready = (await payouts.anyReady(assetsOf(deps, chain))) ? 1 : 0;
    return (await outgoing.batchesOnTheWay({ chain, address: hot })) + ready >= most;
  }

  /** Asked before the nodes are: most planned sweeps wait. It may have waited for long, so it is weighed again, unless an operator wants it. */
  async function isDispatchable(expected: Sweep, { scales }: StepMeans): Promise<boolean> {
    const units = await lockedSweep(deps, expected, async (repositories, sweep) => {
      if ((await repositories.sweeps.countActive(chain)) >= ACTIVE_MAX) return null;
      if (!mayBegin(sweep, nativeAsset, await repositories.sweeps.openAt(sweep))) return null;
      // Tokens need gas of the hot wallet first, as a rule.
      if (sweep.asset !== nativeAsset && (await hasNoPlace(repositories))) return null;
      if (!(await repositories.sweeps.isWithheld(sweep))) return repositories.sweeps.coverable(sweep);
      await wait(repositories, sweep, sweepReason('withheld'));
      return null;
    });
    if (units === null) return false;
    if (expected.forced || units === 0n) return true;
    if (await (await scales()).isWorth({ address: expected.address, asset: expected.asset, units }))
      return true;
    await lockedSweep(deps, expected, (repositories, sweep) =>
      wait(repositories, sweep, sweepReason('not_worth_it')),
    );
    return false;
  }

  /**
   * As of the last block that was read, so that no fee is paid from a payment that nobody recorded (safety.md G9). Null when that block
   * has left the chain meanwhile, and while what was moved here before is not in it.
   */
  async function lookAt({ asset, address, status }: Sweep): Promise<Found | null> {
    const cursor = await deps.unitOfWork.run((repositories) => repositories.chains.cursor(chain));
    if (cursor === null) return null;
    const assets = [...new Set([asset, nativeAsset])];
    const { block, units } = await sender.balances(address, assets, { height: cursor.height });
    const unrecorded = await unrecordedCoins(address, block, balanceOf(units, nativeAsset));
    const undecided = await undecidedAt(address, block);
    if (undecided === null) return null;
    const price = await sender.price({ asset, to: hotWalletText(on) });
    const native = asset === nativeAsset;
    const asks = !native && status !== 'lending' && balanceOf(units, asset) > 0n;
    return {
      native,
      offer: asks
        ? ((await sender.energy?.compare({ hot: hotWalletText(on), address, asset })) ?? null)
        : null,
      balanceUnits: balanceOf(units, asset),
      gasUnits: balanceOf(units, nativeAsset),
      undecidedUtxos: undecided + unrecorded,
      maxFeeUnits: sender.ways.hotWalletPaysFees ? 0n : price.maxUnits,
      enough: estimatesEnough(sender),
      reserveUnits: await sender.reserveUnits(address),
    };
  }

  /** Coins that are there and that nobody recorded: they may leave with a reorganisation. None where addresses gain some by themselves. */
  async function unrecordedCoins(address: string, { height }: Block, coins: bigint): Promise<bigint> {
    if (sender.ways.uncountedUnits !== undefined) return 0n;
    const at = { chain, nativeAsset, height, addresses: [address], apart: [] };
    const rows = await deps.treasuryQueries.unitsOfAddresses(at);
    const recorded = rows.find(({ asset }) => asset === nativeAsset)?.units ?? 0n;
    return coins > recorded ? coins - recorded : 0n;
  }

  /** Null where our records are not those of the block, or lack what we moved after it. */
  function undecidedAt(address: string, { height, hash }: Block): Promise<bigint | null> {
    return deps.unitOfWork.run(async ({ chains, sweeps }) => {
      const place = { chain, address };
      if (((await sweeps.lastMovedAt(place)) ?? 0) > height) return null;
      const undecided = await sweeps.undecidedUnits({ ...place, asset: nativeAsset, height });
      // Asked last: a reorganisation that was recorded before this has taken the block away.
      return (await chains.hasRead(chain, { height, hash })) ? undecided : null;
    });
  }

  async function beginLocked(
    repositories: Repositories,
    sweep: Sweep,
    { found, gas, from }: { found: Found; gas: WalletSnapshot | null; from: NonceFrom },
  ): Promise<void> {
    const { address } = sweep;
    if (await repositories.outgoing.signingStopped()) return;
    await repositories.outgoing.lockWallet({ chain, address });
    if (!mayBegin(sweep, nativeAsset, await repositories.sweeps.openAt({ chain, address }))) return;
    if (await repositories.sweeps.isWithheld(sweep))
      return setBack(deps, repositories, sweep, sweepReason('withheld'));
    const coveredUnits = await repositories.sweeps.cover(sweep);
    const energy = energyOf(sweep, found.offer, await promisedStake(repositories, gas));
    const next = nextSweepStep({ ...found, energy, coveredUnits });
    if (next.kind === 'nothing') {
      // By itself it would be planned again and again for money that is not there; an operator's is not.
      if (sweep.forced) await repositories.sweeps.uncover(sweep);
      await endEmpty(deps, repositories, sweep, sweepReason('empty'));
    } else if (next.kind === 'too_dear') {
      await setBack(deps, repositories, sweep, sweepReason('too_dear'));
    } else if (next.kind === 'top_up' && sweep.status === 'topping_up') {
      const rose = found.offer === null;
      await setBack(deps, repositories, sweep, sweepReason(rose ? 'fees_rose' : 'loan_gone'));
    } else {
      const lacking = next.kind === 'sweep' ? null : await lackingGas(repositories, gas, next);
      if (lacking === null) await order(repositories, sweep, next, from);
      else await setBack(deps, repositories, sweep, lacking);
    }
  }

  /** Stake that other sweeps are to be lent, under the hot wallet's lock. */
  async function promisedStake(repositories: Repositories, gas: WalletSnapshot | null): Promise<bigint> {
    if (gas === null || sender.energy === undefined) return 0n;
    await repositories.outgoing.lockWallet({ chain, address: hot });
    return repositories.outgoing.lentSince({ chain, address: hot, height: gas.height });
  }

  /** Asked under the hot wallet's lock: payouts spend the same money, and leave the same way. A loan costs its fee. */
  async function lackingGas(
    repositories: Repositories,
    gas: WalletSnapshot | null,
    { kind, units }: Extract<SweepStep, { units: bigint }>,
  ): Promise<SweepReason | null> {
    if (gas === null) return sweepReason('gas_unknown');
    await repositories.outgoing.lockWallet({ chain, address: hot });
    if (await hasNoPlace(repositories)) return sweepReason('no_place');
    const promised = await repositories.outgoing.promised({ chain, address: hot, since: gas.since });
    const sentUnits = kind === 'lend' ? 0n : units;
    const lacking = spendableBalanceOf(gas, promised, limits).lacking({ asset: nativeAsset, sentUnits });
    return lacking === null ? null : sweepReason('liquidity', lacking);
  }

  async function order(
    repositories: Repositories,
    sweep: Sweep,
    next: Extract<SweepStep, { units: bigint }>,
    from: NonceFrom,
  ): Promise<void> {
    const { address } = sweep;
    const serves = next.kind !== 'sweep';
    const wallet = serves ? hot : address;
    const nonce = await repositories.outgoing.takeNonce({ chain, address: wallet, ...from });
    const id = deps.ids.id();
    const transfer = allocatedTransfer({
      id,
      chain,
      wallet,
      nonce,
      purpose: PURPOSES[next.kind],
      referenceId: sweep.id,
      asset: serves ? nativeAsset : sweep.asset,
      to: serves ? address : hotWalletText(on),
      units: next.units,
      createdAt: deps.clock.now(),
    });
    await repositories.outgoing.insert(transfer);
    await repositories.sweeps.save({ ...sweep, reason: null, ...movedOn(next, id) });
  }

  return begin;
}

const PURPOSES = { top_up: 'topup', lend: 'lend', sweep: 'sweep' } as const;

/** What of a sweep is different when the transfer of its next step is ordered. */
function movedOn({ kind, units }: Extract<SweepStep, { units: bigint }>, id: string): Partial<Sweep> {
  switch (kind) {
    case 'top_up':
      return { status: 'topping_up', topupId: id };
    case 'lend':
      return { status: 'lending', delegationId: id };
    case 'sweep':
      return { status: 'sweeping', transferId: id, units };
  }
}

function energyOf(
  { status }: Sweep,
  offer: DelegationOffer | null,
  promisedUnits: bigint,
): SweepFacts['energy'] {
  if (status === 'lending') return 'lent';
  if (offer === null || offer.lend === null || !usesDelegation(offer, promisedUnits)) return null;
  return { stakeUnits: offer.lend.stakeUnits, activates: offer.activates };
}

const balanceOf = (units: ReadonlyMap<string, bigint>, asset: string): bigint => units.get(asset) ?? 0n;

/** It waits as a planned one does, and lets its place and its deposits go: one that had gas sent ends, and is planned again. */
export async function setBack(
  deps: Pick<SweepNeeds, 'ids' | 'clock' | 'logger'>,
  repositories: Repositories,
  sweep: Sweep,
  reason: SweepReason,
): Promise<void> {
  await repositories.sweeps.uncover(sweep);
  if (sweep.status === 'planned') return wait(repositories, sweep, reason);
  await endEmpty(deps, repositories, sweep, reason);
  // Not while it is open to take energy back: it is found and planned like any other after that.
  await repositories.sweeps.plan({ ...newSweep(deps, sweep), reason });
}

async function wait(repositories: Repositories, sweep: Sweep, reason: SweepReason): Promise<void> {
  if (!isSame(sweep.reason, reason)) await repositories.sweeps.save({ ...sweep, reason });
}

function endEmpty(
  deps: Pick<SweepNeeds, 'clock' | 'logger'>,
  repositories: Repositories,
  sweep: Sweep,
  reason: SweepReason,
): Promise<void> {
  const { chain, id: sweepId, address, asset } = sweep;
  deps.logger.warn('sweep.ended_unmoved', {
    ...{ chain, sweepId, address, asset },
    reasonCode: reason.code,
    reason: reason.text,
  });
  return repositories.sweeps.save(endedSweep(sweep, reason, deps.clock.now()));
}

/** Runs `work` on the sweep if it still is what it was when the nodes were asked; null otherwise. */
export function lockedSweep<T>(
  deps: Pick<SweepNeeds, 'unitOfWork'>,
  expected: Sweep,
  work: (repositories: Repositories, sweep: Sweep) => Promise<T>,
): Promise<T | null> {
  return deps.unitOfWork.run(async (repositories) => {
    const sweep = await repositories.sweeps.lock(expected.id);
    return sweep?.status === expected.status ? work(repositories, sweep) : null;
  });
}
