/**
 * Finds deposit addresses whose money is worth moving and plans sweeps of them. Only what is credited and final is swept, and
 * nothing of an address where any deposit is not decided (held, stray, rejected, on its way): it is left alone altogether.
 */

import { fiatForUnits } from '../domain/rate.ts';
import { ACTIVE_SWEEP_STATUSES, feeRoom, isWorthSweeping, type Sweep } from '../domain/sweep.ts';
import type { SendingPrice } from '../ports/chain-sender.ts';
import type { Sweepable } from '../ports/treasury-queries.ts';
import type { AppDependencies } from './dependencies.ts';
import { usdPrice } from './deposit-postings.ts';
import type { SendingChain, SendingNeeds } from './sending.ts';

/** Addresses in a page, and pages in a step: the next step goes on where this one ended. */
const PAGE = 500;
const PAGES_PER_STEP = 10;

export type SweepNeeds = SendingNeeds & Pick<AppDependencies, 'treasuryQueries' | 'unscannedAssets'>;
/** What the treasury asks of a chain: no signer, so that operators' scripts can do it. */
export type TreasuryChain = Pick<SendingChain, 'chain' | 'family' | 'sender' | 'deriver'>;

/** Assets of a chain that its nodes can be asked for: switched on, and of a contract that fits the catalog. */
export function assetsOf(
  deps: Pick<AppDependencies, 'catalog' | 'unscannedAssets'>,
  chain: string,
): readonly string[] {
  return deps.catalog.all
    .filter((asset) => asset.chain === chain && asset.enabled && !deps.unscannedAssets.has(asset.key))
    .map(({ key }) => key);
}

/** Plans what is worth it; each call looks at the next pages of addresses. Answers how many sweeps were planned. */
export function planSweeps(
  deps: SweepNeeds,
  on: TreasuryChain,
  /** Millionths of what a sweep brings that it may cost. */
  { sharePpm }: { sharePpm: bigint },
): () => Promise<number> {
  let after = '';

  return async () => {
    const assets = assetsOf(deps, on.chain);
    const needed = await assetsInNeed(deps, on, assets);
    const cost = sweepCosts(deps, on);
    let planned = 0;
    for (let page = 0; page < PAGES_PER_STEP; page += 1) {
      const { rows, last } = await deps.treasuryQueries.sweepable(on.chain, {
        after,
        limit: PAGE,
        failedToo: false,
      });
      after = last ?? '';
      for (const row of rows) {
        if (!assets.includes(row.asset)) continue;
        const figures = await cost(row);
        if (figures === null) continue;
        if (!isWorthSweeping({ ...figures, sharePpm, needed: needed.has(row.asset) })) continue;
        if (await plan(deps, on, row, { forced: false })) planned += 1;
      }
      if (last === null) break;
    }
    return planned;
  };
}

/** What an operator asks for: whatever it costs, and also what an earlier sweep failed to move. A running worker carries it out. */
export async function requestSweeps(
  deps: SweepNeeds,
  on: TreasuryChain,
  wanted: { asset: string | null; address: string | null },
): Promise<readonly Sweepable[]> {
  const assets = assetsOf(deps, on.chain);
  const planned: Sweepable[] = [];
  for (let after = ''; ; ) {
    const { rows, last } = await deps.treasuryQueries.sweepable(on.chain, {
      after,
      limit: PAGE,
      failedToo: true,
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
    transferId: null,
    reason: null,
    createdAt: deps.clock.now(),
    endedAt: null,
  };
}

/** Assets that payouts wait for: their own, and the chain's coin, which pays the fees. */
async function assetsInNeed(
  deps: SweepNeeds,
  on: TreasuryChain,
  assets: readonly string[],
): Promise<ReadonlySet<string>> {
  const waiting = await deps.treasuryQueries.waitingForLiquidity(assets);
  const needed = new Set(waiting.map(({ asset }) => asset));
  if (needed.size > 0) needed.add(on.sender.nativeAsset);
  return needed;
}

/**
 * What a sweep brings and costs, in micro-USD; a token's with the transaction that brings its gas. Null while there is no
 * price, and for what cannot pay its own fee. The nodes are asked once per asset.
 */
function sweepCosts(deps: SweepNeeds, on: TreasuryChain) {
  const fees = new Map<string, SendingPrice>();
  const native = deps.catalog.require(on.sender.nativeAsset);
  const feeOf = async (asset: string): Promise<SendingPrice> => {
    const known = fees.get(asset) ?? (await on.sender.price({ asset, to: null }));
    fees.set(asset, known);
    return known;
  };
  return async ({ asset: key, units }: Sweepable) => {
    const asset = deps.catalog.require(key);
    const price = usdPrice(deps, asset, false);
    const nativePrice = usdPrice(deps, native, false);
    if (price === null || nativePrice === null) return null;
    const fee = await feeOf(key);
    const isNative = key === native.key;
    const moved = isNative ? units - feeRoom(fee.maxUnits) : units;
    if (moved <= 0n) return null;
    const feeUnits = fee.expectedUnits + (isNative ? 0n : (await feeOf(native.key)).expectedUnits);
    return {
      valueMicroUsd: fiatForUnits(moved, price, asset, 'floor'),
      costMicroUsd: fiatForUnits(feeUnits, nativePrice, native, 'ceil'),
    };
  };
}

/** Whether a planned sweep may begin beside the others of its address: gas is shared, so tokens go before the coin, one by one. */
export function mayBegin(sweep: Sweep, nativeAsset: string, others: readonly Sweep[]): boolean {
  if (others.some(({ status }) => ACTIVE_SWEEP_STATUSES.some((active) => active === status))) return false;
  return sweep.asset !== nativeAsset || others.length === 0;
}
