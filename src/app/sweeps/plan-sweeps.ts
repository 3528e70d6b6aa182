/**
 * Finds deposit addresses whose money is worth moving, and plans sweeps of them. Only credited and
 * final money is swept: what is not decided (unmatched, on its way) stays where it is. An address
 * with a payment that the risk check holds is left alone altogether.
 */
import { ACTIVE_SWEEP_STATUSES, type Sweep } from '../../domain/sweeps/sweep.ts';
import type { Sweepable } from '../../ports/treasury/treasury-queries.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
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
): (costModel: SweepCostModel) => Promise<number> {
  let after = '';

  return async (costModel) => {
    const assets = scannedAssetsOf(deps, on.chain);
    let planned = 0;
    for (let page = 0; page < PAGES_PER_STEP; page += 1) {
      const { rows, last } = await deps.treasuryQueries.sweepable(on.chain, {
        after,
        limit: PAGE,
        onDemand: false,
      });
      after = last ?? '';
      for (const row of rows) {
        if (!assets.includes(row.asset) || !(await costModel.isWorth(row))) continue;
        if (await plan(deps, on, row, { forced: false })) planned += 1;
      }
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
    for (const row of rows) {
      if (!assets.includes(row.asset)) continue;
      if (wanted.asset !== null && row.asset !== wanted.asset) continue;
      if (wanted.address !== null && row.address !== wanted.address) continue;
      if (await plan(deps, on, row, { forced: true })) planned.push(row);
    }
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

function plan(
  deps: SweepNeeds,
  on: TreasuryChain,
  { address, asset }: Sweepable,
  { forced }: { forced: boolean },
): Promise<boolean> {
  return deps.unitOfWork.run((repositories) =>
    repositories.sweeps.plan(newSweep(deps, { chain: on.chain, address, asset, forced })),
  );
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
export function mayBegin(sweep: Sweep, nativeAsset: string, open: readonly Sweep[]): boolean {
  const others = open.filter(({ id }) => id !== sweep.id);
  if (others.some(({ status }) => ACTIVE_SWEEP_STATUSES.some((active) => active === status))) return false;
  return sweep.asset !== nativeAsset || others.every(({ reason }) => reason !== null);
}
