/**
 * Orders the next transfer of a sweep that is planned, or whose gas or energy is final. Chain and
 * records as they are now decide which it is, and it is stored in one transaction with the sweep. A
 * sweep that cannot go on is planned and says why; others need not wait for it.
 */
import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import {
  type DelegationOffer,
  nextSweepStep,
  type Sweep,
  type SweepFacts,
  type SweepStep,
  usesDelegation,
} from '../../domain/sweeps/sweep.ts';
import { type SweepReason, sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import { nonceFinder } from '../sending/nonces/next-nonce.ts';
import { aheadOfUs } from '../sending/nonces/nonce-ahead.ts';
import { hotWalletOf, hotWalletText, insertTransfer } from '../sending/sending-chain.ts';
import { spendableBalanceOf, type WalletSnapshot } from '../sending/spendable-balance.ts';
import { endUnmoved, lockedSweep, recordWait, setBack } from './change-sweep.ts';
import { mayBegin } from './plan-sweeps.ts';
import { type FoundFacts, findFacts } from './sweep-facts.ts';
import type { StepLookups, SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/** Sweeps with a transfer on its way at a time: payouts wait among the open transfers. */
const ACTIVE_MAX = 100;

/** What starts the sweeps of a chain. */
export interface SweepStarter {
  readonly deps: SweepNeeds;
  readonly on: TreasuryChain;
  readonly limits: Pick<PayoutLimits, 'floorUnits'>;
  readonly nextNonce: (wallet: string) => Promise<NonceFrom>;
}

type OrderedStep = Extract<SweepStep, { units: bigint }>;

/** What was found before the sweep is locked. */
interface Found {
  readonly facts: FoundFacts;
  /** Null where the step seemed to need nothing of it. */
  readonly hotWallet: WalletSnapshot | null;
  readonly from: NonceFrom;
}

export function sweepStarter(
  deps: SweepNeeds,
  on: TreasuryChain,
  limits: Pick<PayoutLimits, 'floorUnits'>,
): SweepStarter {
  return { deps, on, limits, nextNonce: nonceFinder(deps, on, { aheadOfUs: aheadOfUs(deps, on) }) };
}

/** Throws ChainUnavailable. */
export async function startSweep(starter: SweepStarter, sweep: Sweep, lookups: StepLookups): Promise<void> {
  const { deps, on, nextNonce } = starter;
  if (sweep.status === 'planned' && !(await mayStartOrRecord(starter, sweep, lookups))) return;
  const facts = await findFacts(deps, on, sweep);
  if (facts === null) return;
  // What is covered is known only under the lock. Whether gas is missing does not depend on it.
  const energy = energyOf(sweep, facts.offer, 0n);
  const likely = nextSweepStep({ ...facts, energy, coveredUnits: facts.balanceUnits });
  const isServed = likely.kind === 'top_up' || likely.kind === 'lend';
  const hotWallet = isServed ? await lookups.hotWallet() : null;
  const from = await nextNonce(isServed ? hotWalletOf(on) : sweep.address);
  await lockedSweep(deps, sweep, (repositories, current) =>
    startLocked(starter, repositories, current, { facts, hotWallet, from }),
  );
}

/**
 * Whether a planned sweep may start. If it is withheld or not worth it, the sweep records that.
 * Asked before the nodes are, since most planned sweeps wait. The sweep may be old: its cost is
 * compared again, unless an operator asked for it.
 */
async function mayStartOrRecord(
  { deps, on }: SweepStarter,
  expected: Sweep,
  { costModel }: StepLookups,
): Promise<boolean> {
  const { nativeAsset } = on.sender;
  const units = await lockedSweep(deps, expected, async (repositories, sweep) => {
    if ((await repositories.sweeps.countActive(on.chain)) >= ACTIVE_MAX) return null;
    if (!mayBegin(sweep, nativeAsset, await repositories.sweeps.openAt(sweep))) return null;
    // Tokens need gas of the hot wallet first, as a rule.
    if (sweep.asset !== nativeAsset && (await hasNoPlace(deps, on, repositories))) return null;
    if (!(await repositories.sweeps.isWithheld(sweep))) return repositories.sweeps.coverable(sweep);
    await recordWait(repositories, sweep, sweepReason('withheld'));
    return null;
  });
  if (units === null) return false;
  if (expected.forced || units === 0n) return true;
  const { address, asset } = expected;
  if (await (await costModel()).isWorth({ address, asset, units })) return true;
  await lockedSweep(deps, expected, (repositories, sweep) =>
    recordWait(repositories, sweep, sweepReason('not_worth_it')),
  );
  return false;
}

/**
 * Whether as many batches of the hot wallet are on their way as may be. One place is left for a
 * payout that needs it.
 */
export async function hasNoPlace(
  deps: SweepNeeds,
  on: TreasuryChain,
  { outgoing, payouts }: Pick<Repositories, 'outgoing' | 'payouts'>,
): Promise<boolean> {
  const { chain, sender } = on;
  const most = sender.capabilities.batchesAtOnce;
  if (!Number.isFinite(most)) return false;
  const reserved = (await payouts.anyReady(scannedAssetsOf(deps, chain))) ? 1 : 0;
  return (await outgoing.batchesOnTheWay({ chain, address: hotWalletOf(on) })) + reserved >= most;
}

async function startLocked(
  starter: SweepStarter,
  repositories: Repositories,
  sweep: Sweep,
  found: Found,
): Promise<void> {
  const { deps, on } = starter;
  const { outgoing, sweeps } = repositories;
  if (await outgoing.signingStopped()) return;
  await outgoing.lockWallet(sweep);
  if (!mayBegin(sweep, on.sender.nativeAsset, await sweeps.openAt(sweep))) return;
  const back = (reason: SweepReason) => setBack(deps, repositories, sweep, reason);
  if (await sweeps.isWithheld(sweep)) return back(sweepReason('withheld'));
  const coveredUnits = await sweeps.cover(sweep);
  const committed = await committedStake(on, repositories, found.hotWallet);
  const energy = energyOf(sweep, found.facts.offer, committed);
  const next = nextSweepStep({ ...found.facts, energy, coveredUnits });
  switch (next.kind) {
    case 'nothing':
      // Its deposits stay tied to it, or it would be planned again and again. An operator's is not.
      if (sweep.forced) await sweeps.uncover(sweep);
      return endUnmoved(deps, repositories, sweep, sweepReason('empty'));
    case 'too_dear':
    case 'undecided':
      return back(sweepReason(next.kind));
    case 'top_up':
    case 'lend': {
      const missing = await whatIsMissing(starter, repositories, sweep, { next, found });
      return missing === null ? order(starter, repositories, sweep, { next, found }) : back(missing);
    }
    case 'sweep':
      return order(starter, repositories, sweep, { next, found });
  }
}

/** Stake that is to be delegated for other sweeps, asked under the lock of the hot wallet. */
async function committedStake(
  on: TreasuryChain,
  { outgoing }: Repositories,
  hotWallet: WalletSnapshot | null,
): Promise<bigint> {
  if (hotWallet === null || on.sender.energy === undefined) return 0n;
  const hot = { chain: on.chain, address: hotWalletOf(on) };
  await outgoing.lockWallet(hot);
  return outgoing.delegatedSince({ ...hot, height: hotWallet.height });
}

/**
 * Why the hot wallet cannot serve the address now; null when it can. Asked under its lock: payouts
 * spend the same money, and leave the same way. A delegation costs only its fee.
 */
async function whatIsMissing(
  { deps, on, limits }: SweepStarter,
  repositories: Repositories,
  { status }: Sweep,
  { next, found: { facts, hotWallet } }: { next: OrderedStep; found: Found },
): Promise<SweepReason | null> {
  // Gas is sent once.
  if (next.kind === 'top_up' && status === 'topping_up')
    return sweepReason(facts.offer === null ? 'fees_rose' : 'loan_gone');
  if (hotWallet === null) return sweepReason('gas_unknown');
  const hot = { chain: on.chain, address: hotWalletOf(on) };
  await repositories.outgoing.lockWallet(hot);
  if (await hasNoPlace(deps, on, repositories)) return sweepReason('no_place');
  const committed = await repositories.outgoing.commitmentsSince({ ...hot, since: hotWallet.since });
  const spendable = spendableBalanceOf(hotWallet, committed, limits);
  const sentUnits = next.kind === 'lend' ? 0n : next.units;
  const shortfall = spendable.shortfall({ asset: on.sender.nativeAsset, sentUnits });
  return shortfall === null ? null : sweepReason('liquidity', shortfall);
}

/** What each step orders, and what it makes of the sweep. */
const ORDERS: {
  readonly [Kind in OrderedStep['kind']]: {
    readonly purpose: 'topup' | 'lend' | 'sweep';
    readonly fromHotWallet: boolean;
    readonly changes: (id: string, units: bigint) => Partial<Sweep>;
  };
} = {
  top_up: { purpose: 'topup', fromHotWallet: true, changes: (id) => ({ status: 'topping_up', topupId: id }) },
  lend: { purpose: 'lend', fromHotWallet: true, changes: (id) => ({ status: 'lending', delegationId: id }) },
  sweep: {
    purpose: 'sweep',
    fromHotWallet: false,
    changes: (id, units) => ({ status: 'sweeping', transferId: id, units }),
  },
};

async function order(
  { deps, on }: SweepStarter,
  repositories: Repositories,
  sweep: Sweep,
  { next: { kind, units }, found: { from } }: { next: OrderedStep; found: Found },
): Promise<void> {
  const { purpose, fromHotWallet, changes } = ORDERS[kind];
  const { chain, address } = sweep;
  const id = deps.ids.id();
  await insertTransfer(repositories, {
    id,
    chain,
    purpose,
    referenceId: sweep.id,
    ...(fromHotWallet
      ? { wallet: hotWalletOf(on), asset: on.sender.nativeAsset, to: address }
      : { wallet: address, asset: sweep.asset, to: hotWalletText(on) }),
    units,
    from,
    createdAt: deps.clock.now(),
  });
  await repositories.sweeps.save({ ...sweep, reason: null, ...changes(id, units) });
}

function energyOf(
  { status }: Sweep,
  offer: DelegationOffer | null,
  committedUnits: bigint,
): SweepFacts['energy'] {
  if (status === 'lending') return 'delegated';
  if (offer === null || offer.lend === null || !usesDelegation(offer, committedUnits)) return null;
  return { stakeUnits: offer.lend.stakeUnits, activates: offer.activates };
}
