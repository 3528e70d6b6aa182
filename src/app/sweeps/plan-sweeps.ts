/**
 * Finds deposit addresses whose money is worth moving, and plans sweeps of them. Only credited and
 * final money is swept: what is not decided (unmatched, on its way) stays where it is. An address
 * with a payment that the risk check holds is left alone altogether.
 */
import { ACTIVE_SWEEP_STATUSES, type Sweep } from '../../domain/sweeps/sweep.ts';
import type { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Sweepable } from '../../ports/treasury/treasury-queries.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import { eachPastOutages } from '../shared/tolerate-outage.ts';
import { SET_LOCKS, tryTogether } from '../shared/try-together.ts';
import type { SweepCostModel, SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/** Addresses in a page, and pages in a step: the next step goes on where this one ended. */
const PAGE = 500;
const PAGES_PER_STEP = 10;

/**
 * Plans what is worth it, from the next pages of addresses. Returns how many sweeps were planned.
 * Throws the first ChainUnavailable last: what the nodes cannot price keeps no other waiting.
 */
export function planSweeps(
  deps: SweepNeeds,
  on: TreasuryChain,
): (costModel: SweepCostModel, stopping?: AbortSignal) => Promise<number> {
  let after = '';

  return async (costModel, stopping) => {
    const assets = scannedAssetsOf(deps, on.chain);
    const failures: ChainUnavailable[] = [];
    let planned = 0;
    for (let page = 0; page < PAGES_PER_STEP && !stopping?.aborted; page += 1) {
      const { rows, last } = await deps.treasuryQueries.sweepable(on.chain, {
        after,
        limit: PAGE,
        onDemand: false,
      });
      after = last ?? '';
      const scanned = rows.filter(({ asset }) => assets.includes(asset));
      const weighed = await weigh(costModel, scanned);
      failures.push(...weighed.failures);
      const done = await planAll(deps, on, weighed.worthy, { forced: false, stopping });
      planned += done.planned.length;
      if (last === null) break;
    }
    if (failures[0] !== undefined) throw failures[0];
    return planned;
  };
}

/**
 * Plans sweeps that an operator asks for, whatever they cost, also of money that a planned sweep
 * waits with or a failed one did not move. Returns what was planned; a running worker carries it
 * out. What cannot be planned keeps no other from it, and that is thrown last.
 */
export async function requestSweeps(
  deps: SweepNeeds,
  on: TreasuryChain,
  wanted: { asset: string | null; address: string | null },
): Promise<readonly Sweepable[]> {
  // UTXOs are spent where they lie, and pooled money lies in the hot wallet.
  if (on.sender.utxos !== null || on.sender.capabilities.pooled) return [];
  const assets = scannedAssetsOf(deps, on.chain);
  const planned: Sweepable[] = [];
  const failures: unknown[] = [];
  for (let after = ''; ; ) {
    const { rows, last } = await deps.treasuryQueries.sweepable(on.chain, {
      after,
      limit: PAGE,
      onDemand: true,
    });
    const among = rows.filter(
      ({ asset, address }) =>
        assets.includes(asset) &&
        (wanted.asset ?? asset) === asset &&
        (wanted.address ?? address) === address,
    );
    const done = await planAll(deps, on, among, { forced: true });
    planned.push(...done.planned);
    failures.push(...done.failures);
    if (last === null) break;
    after = last;
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} of the sweeps of ${on.chain} could not be planned: ask again`, {
      cause: failures[0],
    });
  return planned;
}

/**
 * Whether the sender's estimate alone is set aside for a sweep's fee: transactions that expire are
 * never replaced, and the estimate covers signing again. Not where a part of the gas may be gone
 * before it is used (TON's rent).
 */
export function estimatesEnough({ capabilities }: TreasuryChain['sender']): boolean {
  return capabilities.expires && (capabilities.uncountedUnits ?? 0n) === 0n;
}

/** Those that are worth it, and those that are not, in their order. */
export async function weigh<Of extends Sweepable>(
  costModel: SweepCostModel,
  all: readonly Of[],
): Promise<{
  readonly worthy: readonly Of[];
  readonly dear: readonly Of[];
  /** Why the nodes could not be asked what the others cost. */
  readonly failures: readonly ChainUnavailable[];
}> {
  const weighed = new Map<Of, boolean>();
  const failures = await eachPastOutages(all, async (one) => {
    weighed.set(one, await costModel.isWorth(one));
  });
  const those = (worth: boolean) => all.filter((one) => weighed.get(one) === worth);
  return { worthy: those(true), dear: those(false), failures };
}

/**
 * Plans sweeps in one transaction. Returns those of which one was planned, or became forced, and
 * why others could not be planned.
 */
async function planAll(
  deps: SweepNeeds,
  on: TreasuryChain,
  all: readonly Sweepable[],
  { forced, stopping }: { forced: boolean; stopping?: AbortSignal | undefined },
): Promise<{ readonly planned: readonly Sweepable[]; readonly failures: readonly unknown[] }> {
  const placeOf = ({ address, asset }: Pick<Sweep, 'address' | 'asset'>) => `${address} ${asset}`;
  const planned = new Set<string>();
  const failures: unknown[] = [];
  const work = async (some: readonly Sweepable[]): Promise<void> => {
    const wanted = some.map(({ address, asset }) =>
      newSweep(deps, { chain: on.chain, address, asset, forced }),
    );
    const found = await deps.unitOfWork.run(({ sweeps }) => sweeps.planAll(wanted), SET_LOCKS);
    for (const sweep of found) planned.add(placeOf(sweep));
  };
  const failed = ({ address, asset }: Sweepable, error: unknown): void => {
    failures.push(error);
    deps.logger.error('sweep.not_planned', { chain: on.chain, address, asset, error: String(error) });
  };
  await tryTogether(all, { work, failed, stopping });
  return { planned: all.filter((one) => planned.has(placeOf(one))), failures };
}

export function newSweep(
  deps: Pick<SweepNeeds, 'ids' | 'clock'>,
  of: Pick<Sweep, 'chain' | 'address' | 'asset' | 'forced'>,
): Sweep {
  return {
    ...of,
    id: deps.ids.id(),
    status: 'planned',
    units: null,
    topupId: null,
    delegationId: null,
    transferId: null,
    undelegationId: null,
    reason: null,
    createdAt: deps.clock.now(),
    endedAt: null,
  };
}

/**
 * Whether a sweep may begin beside the other open ones of its address, `open`: gas is shared, so
 * tokens go before the coin, one by one. A token that waits for something else does not keep the
 * coin waiting.
 */
function mayBegin(sweep: Sweep, nativeAsset: string, open: readonly Sweep[]): boolean {
  const others = open.filter(({ id }) => id !== sweep.id);
  if (others.some(({ status }) => ACTIVE_SWEEP_STATUSES.some((active) => active === status))) return false;
  return sweep.asset !== nativeAsset || others.every(({ reason }) => reason !== null);
}

/** Those that may begin beside the other open ones of their addresses. */
export async function beginnersOf(
  { sweeps }: Pick<Repositories, 'sweeps'>,
  { chain, sender }: TreasuryChain,
  locked: readonly Sweep[],
): Promise<readonly Sweep[]> {
  const addresses = [...new Set(locked.map(({ address }) => address))];
  const open = Map.groupBy(await sweeps.openAt({ chain, addresses }), ({ address }) => address);
  return locked.filter((sweep) => mayBegin(sweep, sender.nativeAsset, open.get(sweep.address) ?? []));
}
