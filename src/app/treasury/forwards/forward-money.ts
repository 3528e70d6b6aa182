/**
 * What the hot wallet can forward of an asset. Only final and settled money counts: the lower of
 * what the chain shows, and of what our records had at the last final block. So neither a payment
 * that a reorganisation may remove, nor money that nobody booked, is forwarded.
 */
import { smaller } from '../../../domain/money/larger.ts';
import { feeBudget } from '../../../domain/sweeps/sweep.ts';
import type { ForwardMoney } from '../../../domain/treasury/forward.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { scannedAssetsOf } from '../../catalog/assets-of-chain.ts';
import { hotWalletOf } from '../../sending/sending-chain.ts';
import {
  type SpendableBalance,
  snapshotWallet,
  spendableBalanceOf,
  type WalletSnapshot,
} from '../../sending/spendable-balance.ts';
import { undecidedUnits } from '../../sending/unidentified-units.ts';
import { estimatesEnough } from '../../sweeps/plan-sweeps.ts';
import type { Forwarding, WantedForward } from './forwarding.ts';

/** The hot wallet before it is locked. */
export interface SeenMoney {
  /** By the nodes. */
  readonly seen: WalletSnapshot;
  /** By our records at the last final block. */
  readonly recorded: WalletSnapshot;
  /** What the forward itself may cost, in native base units. */
  readonly feeUnits: bigint;
  /** What the gas of the dearest token's sweep may cost, and sending it. */
  readonly gasUnits: bigint;
}

export interface LockedMoney extends ForwardMoney {
  /** Native base units that are left for the fee, where it is not paid in the asset itself. */
  readonly nativeUnits: bigint;
}

/**
 * Null where the nodes show too little, before the records are read: that takes longer. Rejects
 * with ChainUnavailable.
 */
export async function seeMoney(
  forwarding: Forwarding,
  { asset, rule, requested, cold }: WantedForward,
): Promise<SeenMoney | null> {
  const { deps, on } = forwarding;
  const { sender, chain } = on;
  const { nativeAsset, capabilities } = sender;
  const pooled = capabilities.pooled ?? false;
  const wallet = hotWalletOf(on);
  const cursor = await deps.unitOfWork.run(({ chains }) => chains.cursor(chain));
  if (cursor === null || cursor.finalizedHeight < 0)
    throw new ChainUnavailable(`${chain} has no final block that was read`);
  // Where deposits lie in the hot wallet, a later block may have one that is not known yet.
  const seen = await snapshotWallet(on, wallet, [asset], pooled ? { height: cursor.height } : undefined);
  const least = requested ? rule.keepUnits : rule.aboveUnits;
  if ((seen.units.get(asset) ?? 0n) <= least) return null;
  const feeUnits = await feesOf(forwarding, seen);
  const priced = { ...seen, feeUnits };
  const height = cursor.finalizedHeight;
  const at = { chain, nativeAsset, height, wallet, apart: [], pooled };
  const units = new Map(await deps.treasuryQueries.unitsOfHotWallet(at));
  units.set(nativeAsset, (units.get(nativeAsset) ?? 0n) - (await sender.reserveUnits(wallet)));
  const { maxUnits } = await sender.price({ asset, to: cold, from: wallet });
  const dearest = [...feeUnits.values()].reduce((most, fee) => (fee > most ? fee : most), 0n);
  return {
    seen: priced,
    recorded: { ...priced, height, since: { height }, units },
    feeUnits: feeBudget(maxUnits, { enough: estimatesEnough(sender) }),
    gasUnits: 2n * feeBudget(dearest, { enough: false }),
  };
}

/** What is set aside for a payment in each asset: payouts and other forwards may wait in all. */
async function feesOf(
  { deps, on: { chain, sender } }: Forwarding,
  { feeUnits }: WalletSnapshot,
): Promise<ReadonlyMap<string, bigint>> {
  const fees = new Map(feeUnits);
  for (const asset of scannedAssetsOf(deps, chain))
    if (!fees.has(asset)) fees.set(asset, (await sender.price({ asset, to: null })).maxUnits);
  return fees;
}

/** The same under the lock of the wallet: payouts spend the same money, and come first. */
export async function lockedMoney(
  { deps, on, limits }: Forwarding,
  repositories: Repositories,
  asset: string,
  { seen, recorded, feeUnits, gasUnits }: SeenMoney,
): Promise<LockedMoney> {
  const { chain, sender } = on;
  const { nativeAsset } = sender;
  const wallet = { chain, address: hotWalletOf(on) };
  const balanceOf = async (view: WalletSnapshot): Promise<SpendableBalance> => {
    const committed = await repositories.outgoing.commitmentsSince({ ...wallet, since: view.since });
    const withheld = sender.capabilities.pooled ? await undecidedUnits(repositories, { ...view, chain }) : 0n;
    return spendableBalanceOf(view, committed, limits, withheld);
  };
  const [bySeen, byRecords] = [await balanceOf(seen), await balanceOf(recorded)];
  const spendable = (key: string): bigint => smaller(bySeen.left(key), byRecords.left(key));
  const owed = await repositories.payouts.unallocated(scannedAssetsOf(deps, chain));
  const sweeps = await repositories.sweeps.countWantingGas({ chain, nativeAsset });
  const usualFee = seen.feeUnits.get(nativeAsset) ?? 0n;
  const fees = owed.reduce(
    (sum, { asset: key, count }) => sum + BigInt(count) * (seen.feeUnits.get(key) ?? usualFee),
    BigInt(sweeps) * gasUnits,
  );
  const owedOf = (key: string): bigint => owed.find((row) => row.asset === key)?.units ?? 0n;
  const isNative = asset === nativeAsset;
  return {
    spendableUnits: spendable(asset),
    waitingUnits: owedOf(asset) + (isNative ? fees : 0n),
    feeUnits: isNative ? feeUnits : 0n,
    nativeUnits: spendable(nativeAsset) - owedOf(nativeAsset) - fees,
  };
}
