/**
 * Finds deposit addresses whose money is worth moving, and plans sweeps of them. Only credited and
 * final money is swept: what is not decided (unmatched, on its way) stays where it is. An address
 * with a payment that the risk check holds is left alone altogether.
 */
import { ACTIVE_SWEEP_STATUSES, type Sweep } from '../../domain/sweeps/sweep.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Sweepable } from '../../ports/treasury/treasury-queries.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import { inLanes } from '../shared/in-lanes.ts';
import { SET_LOCKS, tryTogether } from '../shared/try-together.ts';
import type { SweepCostModel, SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/** Addresses in a page, and pages in a step: the next step goes on where this one ended. */
const PAGE = 500;
const PAGES_PER_STEP = 10;

/**
 * Plans what is worth it, from the next pages of addresses. Returns how many sweeps were planned.
 */
export function planSweeps(
  deps: SweepNeeds,
  on: TreasuryChain,
): (costModel: SweepCostModel, stopping?: AbortSignal) => Promise<number> {
  let after = '';

  return async (costModel, stopping) => {
    const assets = scannedAssetsOf(deps, on.chain);
    let planned = 0;
    for (let page = 0; page < PAGES_PER_STEP && !stopping?.aborted; page += 1) {
      const { rows, last } = await deps.treasuryQueries.sweepable(on.chain, {
        after,
        limit: PAGE,
        onDemand: false,
      });
      after = last ?? '';
      const scanned = rows.filter(({ asset }) => assets.includes(asset));
      const worthy = await worthOf(costModel, scanned);
      planned += (await planAll(deps, on, worthy, { forced: false, stopping })).length;
      if (last === null) break;
    }
    return planned;
  };
}

/**
 * Plans sweeps that an operator asks for, whatever they cost, also of money that a planned sweep
 * waits with or a failed one did not move. Returns what was planned; a running worker carries it
 * out.
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
    planned.push(...(await planAll(deps, on, among, { forced: true })));
    if (last === null) return planned;
    after = last;
  }
}

/**
 * Whether the sender's estimate alone is set aside for a sweep's fee: transactions that expire are
 * never replaced, and the estimate covers signing again. Not where a part of the gas may be gone
 * before it is used (TON's rent).
 */
export function estimatesEnough({ capabilities }: TreasuryChain['sender']): boolean {
  return capabilities.expires && (capabilities.uncountedUnits ?? 0n) === 0n;
}

/** Those that are worth it, in their order. */
export async function worthOf<Of extends Sweepable>(
  costModel: SweepCostModel,
  all: readonly Of[],
): Promise<readonly Of[]> {
  const worthy = new Set<Of>();
  await inLanes(all, async (one) => {
    if (await costModel.isWorth(one)) worthy.add(one);
  });
  return all.filter((one) => worthy.has(one));
}

/** Plans sweeps in one transaction. Returns those of which one was planned, or became forced. */
async function planAll(
  deps: SweepNeeds,
  on: TreasuryChain,
  all: readonly Sweepable[],
  { forced, stopping }: { forced: boolean; stopping?: AbortSignal | undefined },
): Promise<readonly Sweepable[]> {
  const placeOf = ({ address, asset }: Pick<Sweep, 'address' | 'asset'>) => `${address} ${asset}`;
  const planned = new Set<string>();
  const work = async (some: readonly Sweepable[]): Promise<void> => {
    const wanted = some.map(({ address, asset }) =>
      newSweep(deps, { chain: on.chain, address, asset, forced }),
    );
    const found = await deps.unitOfWork.run(({ sweeps }) => sweeps.planAll(wanted), SET_LOCKS);
    for (const sweep of found) planned.add(placeOf(sweep));
  };
  const failed = ({ address, asset }: Sweepable, error: unknown): void =>
    deps.logger.error('sweep.not_planned', { chain: on.chain, address, asset, error: String(error) });
  await tryTogether(all, { work, failed, stopping });
  return all.filter((one) => planned.has(placeOf(one)));
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
