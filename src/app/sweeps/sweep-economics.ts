/** Whether sweeps pay, at present prices: when they are planned, and right before they start. */
import { fiatForUnits } from '../../domain/rates/rate.ts';
import { feeBudget, isWorthSweeping } from '../../domain/sweeps/sweep.ts';
import type { SendingPrice } from '../../ports/sending/chain-sender.ts';
import { usdPrice } from '../rates/usd-price.ts';
import { hotWalletText } from '../sending/sending-chain.ts';
import { estimatesEnough } from './plan-sweeps.ts';
import type { SweepCostModel, SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/**
 * For one step: what payouts wait for and what sending costs is looked up once. `sharePpm`:
 * millionths of what a sweep brings that it may cost.
 */
export async function openCostModel(
  deps: SweepNeeds,
  on: TreasuryChain,
  { sharePpm, assets }: { sharePpm: bigint; assets: readonly string[] },
): Promise<SweepCostModel> {
  const { sender } = on;
  const native = deps.catalog.require(sender.nativeAsset);
  const needed = await assetsInNeed(deps, on, assets);
  const fees = new Map<string, Promise<SendingPrice>>();
  const feeOf = (asset: string): Promise<SendingPrice> => {
    const known = fees.get(asset) ?? sender.price({ asset, to: hotWalletText(on) });
    fees.set(asset, known);
    return known;
  };
  let gas: Promise<SendingPrice> | null = null;
  const gasAt = (address: string): Promise<SendingPrice> => {
    const { addressesAlike = false } = sender.capabilities;
    const found = (addressesAlike ? gas : null) ?? sender.price({ asset: native.key, to: address });
    gas = found;
    return found;
  };
  return {
    async isWorth({ address, asset: key, units }) {
      const asset = deps.catalog.require(key);
      const price = usdPrice(deps, asset, false);
      const nativePrice = usdPrice(deps, native, false);
      if (price === null || nativePrice === null) return false;
      const fee = await feeOf(key);
      const isNative = key === native.key;
      const { hotWalletPaysFees } = sender.capabilities;
      const moved =
        isNative && !hotWalletPaysFees
          ? units - feeBudget(fee.maxUnits, { enough: estimatesEnough(sender) })
          : units;
      if (moved <= 0n) return false;
      const paysAt = (feeUnits: bigint): boolean =>
        isWorthSweeping({
          valueMicroUsd: fiatForUnits(moved, price, asset, 'floor'),
          costMicroUsd: fiatForUnits(feeUnits, nativePrice, native, 'ceil'),
          sharePpm,
          needed: needed.has(key),
        });
      if (isNative || hotWalletPaysFees || !paysAt(fee.expectedUnits)) return paysAt(fee.expectedUnits);
      // A token also pays for the transaction that brings its gas.
      return paysAt(fee.expectedUnits + (await gasAt(address)).expectedUnits);
    },
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
