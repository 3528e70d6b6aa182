/**
 * Orders the next transfers of sweeps of one asset, each of another address. Chain and records as
 * they are now decide which transfers those are, and they are stored in one transaction with the
 * sweeps.
 */
import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import {
  type DelegationOffer,
  nextSweepStep,
  type Sweep,
  type SweepFacts,
  usesDelegation,
} from '../../domain/sweeps/sweep.ts';
import { type SweepReason, sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import { type NonceFinders, nonceFinders } from '../sending/nonces/next-nonce.ts';
import { aheadOfUs } from '../sending/nonces/nonce-ahead.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import {
  type SpendableBalance,
  spendableBalanceOf,
  type WalletSnapshot,
} from '../sending/spendable-balance.ts';
import { endUnmoved, lockedSweeps, type SweepChanges, setBack } from './change-sweep.ts';
import { insertOrders, type OrderedStep, type SweepOrder } from './insert-orders.ts';
import { beginnersOf } from './plan-sweeps.ts';
import { type FoundFacts, findFacts } from './sweep-facts.ts';
import type { StepLookups, SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/** Sweeps with a transfer on its way at a time: payouts wait among the open transfers. */
export const ACTIVE_MAX = 100;

/** What starts the sweeps of a chain. */
export interface SweepStarter {
  readonly deps: SweepNeeds;
  readonly on: TreasuryChain;
  readonly limits: Pick<PayoutLimits, 'floorUnits'>;
  readonly nonces: NonceFinders;
}

/** What was found before the sweeps are locked. */
interface Found {
  /** By sweep. */
  readonly facts: ReadonlyMap<string, FoundFacts>;
  /** Null where no step seemed to need anything of it. */
  readonly hotWallet: { readonly snapshot: WalletSnapshot; readonly from: NonceFrom } | null;
  /** By address, where it seemed to send something itself. */
  readonly nonces: ReadonlyMap<string, NonceFrom>;
}

/** What the hot wallet may still do for sweeps, under its lock. */
interface HotWallet {
  readonly from: NonceFrom;
  readonly spendable: SpendableBalance;
  /** Stake that is to be delegated for other sweeps. */
  delegatedUnits: bigint;
  places: number;
}

export function sweepStarter(
  deps: SweepNeeds,
  on: TreasuryChain,
  limits: Pick<PayoutLimits, 'floorUnits'>,
): SweepStarter {
  return { deps, on, limits, nonces: nonceFinders(deps, on, { aheadOfUs: aheadOfUs(deps, on) }) };
}

/**
 * Returns why some wallets cannot be asked about, or their answers not be relied on: their sweeps
 * wait. Throws ChainUnavailable where that concerns all of them.
 */
export async function orderSweeps(
  starter: SweepStarter,
  sweeps: readonly Sweep[],
  lookups: StepLookups,
): Promise<readonly ChainUnavailable[]> {
  const { deps, on, nonces } = starter;
  const { facts, failures: unasked } = await findFacts(deps, on, sweeps);
  const known = sweeps.filter(({ id }) => facts.has(id));
  if (known.length === 0) return unasked;
  const isServed = (sweep: Sweep): boolean => seemsServed(sweep, facts.get(sweep.id));
  const hotWallet = known.some(isServed)
    ? { snapshot: await lookups.hotWallet(), from: await nonces.of(hotWalletOf(on)) }
    : null;
  // Where energy is delegated, what is left of the stake decides under the lock.
  const senders = on.sender.energy === undefined ? known.filter((sweep) => !isServed(sweep)) : known;
  const { found, failures } = await nonces.ofEach(senders.map(({ address }) => address));
  const ready = known.filter((sweep) => isServed(sweep) || found.has(sweep.address));
  await lockedSweeps(deps, ready, (repositories, locked, changes) =>
    orderLocked(starter, { repositories, changes }, locked, { facts, hotWallet, nonces: found }),
  );
  return [...unasked, ...failures];
}

/**
 * Whether the hot wallet seems to be needed. What is covered is known only under the lock. Whether
 * gas is missing does not depend on it.
 */
function seemsServed(sweep: Sweep, facts: FoundFacts | undefined): boolean {
  if (facts === undefined) return false;
  const energy = energyOf(sweep, facts.offer, 0n);
  const { kind } = nextSweepStep({ ...facts, energy, coveredUnits: facts.balanceUnits });
  return kind === 'top_up' || kind === 'lend';
}

/**
 * Whether as many batches of the hot wallet are on their way as may be. One place is left for a
 * payout that needs it.
 */
export async function hasNoPlace(
  deps: SweepNeeds,
  on: TreasuryChain,
  repositories: Pick<Repositories, 'outgoing' | 'payouts'>,
): Promise<boolean> {
  return (await placesLeft(deps, on, repositories)) <= 0;
}

/** How many batches of the hot wallet may still begin, but for that place. */
export async function placesLeft(
  deps: SweepNeeds,
  on: TreasuryChain,
  { outgoing, payouts }: Pick<Repositories, 'outgoing' | 'payouts'>,
): Promise<number> {
  const { chain, sender } = on;
  const most = sender.capabilities.batchesAtOnce;
  if (!Number.isFinite(most)) return most;
  const reserved = (await payouts.anyReady(scannedAssetsOf(deps, chain))) ? 1 : 0;
  return most - reserved - (await outgoing.batchesOnTheWay({ chain, address: hotWalletOf(on) }));
}

interface Writing {
  readonly repositories: Repositories;
  readonly changes: SweepChanges;
}

async function orderLocked(
  starter: SweepStarter,
  { repositories, changes }: Writing,
  locked: readonly Sweep[],
  found: Found,
): Promise<void> {
  const { deps, on } = starter;
  const { chain } = on;
  const { outgoing, sweeps } = repositories;
  if (locked.length === 0 || (await outgoing.signingStopped())) return;
  await outgoing.lockWallets(
    chain,
    locked.map(({ address }) => address),
  );
  const begin = await beginnersOf(repositories, on, locked);
  const addresses = begin.map(({ address }) => address);
  const withheld = await sweeps.withheldAmong({ chain, addresses });
  let room = ACTIVE_MAX - (await sweeps.countActive(chain));
  const going: Sweep[] = [];
  for (const sweep of begin) {
    if (withheld.has(sweep.address)) setBack(deps, changes, sweep, sweepReason('withheld'));
    else if (sweep.status !== 'planned') going.push(sweep);
    else if (room > 0) {
      room -= 1;
      going.push(sweep);
    }
  }
  // Nobody locks a deposit after the hot wallet: payouts, which wait for it, keep balances locked.
  await sweeps.uncover(begin.filter(({ address }) => withheld.has(address)));
  const covered = await sweeps.cover(going);
  const hot = await lockHotWallet(starter, repositories, found.hotWallet);
  const orders = going.flatMap((sweep) => {
    const coveredUnits = covered.get(sweep.id) ?? 0n;
    return decide(starter, changes, sweep, { found, hot, coveredUnits }) ?? [];
  });
  await insertOrders(deps, on, repositories, changes, orders);
}

/** Locked last: payouts spend the same money, and leave the same way. */
async function lockHotWallet(
  { deps, on, limits }: SweepStarter,
  repositories: Repositories,
  seen: Found['hotWallet'],
): Promise<HotWallet | null> {
  if (seen === null) return null;
  const { outgoing } = repositories;
  const wallet = { chain: on.chain, address: hotWalletOf(on) };
  await outgoing.lockWallet(wallet);
  const { snapshot, from } = seen;
  const { height, since } = snapshot;
  return {
    from,
    spendable: spendableBalanceOf(snapshot, await outgoing.commitmentsSince({ ...wallet, since }), limits),
    delegatedUnits:
      on.sender.energy === undefined ? 0n : await outgoing.delegatedSince({ ...wallet, height }),
    places: await placesLeft(deps, on, repositories),
  };
}

function factsOf({ facts }: Found, { id }: Sweep): FoundFacts {
  const found = facts.get(id);
  if (found === undefined) throw new Error(`nothing was found of sweep ${id}`);
  return found;
}

/** What is to be ordered for a covered sweep; null where it cannot go on, and says why. */
function decide(
  { deps, on }: SweepStarter,
  changes: SweepChanges,
  sweep: Sweep,
  {
    found,
    hot,
    coveredUnits,
  }: { readonly found: Found; readonly hot: HotWallet | null; readonly coveredUnits: bigint },
): SweepOrder | null {
  const facts = factsOf(found, sweep);
  const energy = energyOf(sweep, facts.offer, hot?.delegatedUnits ?? 0n);
  const step = nextSweepStep({ ...facts, energy, coveredUnits });
  const back = (reason: SweepReason): null => {
    setBack(deps, changes, sweep, reason);
    return null;
  };
  switch (step.kind) {
    case 'nothing':
      // Its deposits stay tied to it, or it would be planned again and again. An operator's is not.
      if (sweep.forced) changes.uncover(sweep);
      endUnmoved(deps, changes, sweep, sweepReason('empty'));
      return null;
    case 'too_dear':
    case 'undecided':
      return back(sweepReason(step.kind));
    case 'top_up':
    case 'lend': {
      if (hot === null) return back(whyNotServed(sweep, step.kind, facts) ?? sweepReason('gas_unknown'));
      const missing = whyNotServed(sweep, step.kind, facts) ?? whatIsMissing(on, hot, step);
      return missing === null ? { sweep, step, from: hot.from } : back(missing);
    }
    case 'sweep': {
      const from = found.nonces.get(sweep.address);
      if (from === undefined) throw new Error(`no nonce of ${sweep.address} was asked for`);
      return { sweep, step, from };
    }
  }
}

/** Gas is sent once. */
function whyNotServed(
  { status }: Sweep,
  kind: OrderedStep['kind'],
  { offer }: FoundFacts,
): SweepReason | null {
  if (kind !== 'top_up' || status !== 'topping_up') return null;
  return sweepReason(offer === null ? 'fees_rose' : 'loan_gone');
}

/**
 * Why the hot wallet cannot serve an address now; null when it can, and then that is counted. A
 * delegation costs only its fee.
 */
function whatIsMissing(
  { sender }: TreasuryChain,
  hot: HotWallet,
  { kind, units }: OrderedStep,
): SweepReason | null {
  if (hot.places <= 0) return sweepReason('no_place');
  const need = { asset: sender.nativeAsset, sentUnits: kind === 'lend' ? 0n : units };
  const shortfall = hot.spendable.shortfall(need);
  if (shortfall !== null) return sweepReason('liquidity', shortfall);
  hot.spendable.reserve(need);
  hot.places -= 1;
  if (kind === 'lend') hot.delegatedUnits += units;
  return null;
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
