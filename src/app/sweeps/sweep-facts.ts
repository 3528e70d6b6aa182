/** What the chain and our records say of an address that is to be swept. */
import { unspendableUnits } from '../../domain/sending/own-money.ts';
import type { DelegationOffer, Sweep, SweepFacts } from '../../domain/sweeps/sweep.ts';
import { hotWalletText } from '../sending/sending-chain.ts';
import { ownMoney } from '../sending/signing/own-money.ts';
import { undecidedUnits } from '../sending/signing/undecided-units.ts';
import { estimatesEnough } from './plan-sweeps.ts';
import type { SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/**
 * Without what is known only under the lock of the sweep: what is covered, and the energy that is
 * left to delegate.
 */
export type FoundFacts = Omit<SweepFacts, 'coveredUnits' | 'energy'> & {
  readonly offer: DelegationOffer | null;
};

/**
 * As of the last block that was read, so that no fee is paid from a payment that was not recorded
 * (safety.md G9). Null when that block has left the chain meanwhile, and while it lacks what was
 * moved here before. Throws ChainUnavailable.
 */
export async function findFacts(
  deps: SweepNeeds,
  on: TreasuryChain,
  { asset, address, status }: Sweep,
): Promise<FoundFacts | null> {
  const { chain, sender } = on;
  const { nativeAsset } = sender;
  const cursor = await deps.unitOfWork.run(({ chains }) => chains.cursor(chain));
  if (cursor === null) return null;
  const assets = [...new Set([asset, nativeAsset])];
  const { block, units } = await sender.balances(address, assets, { height: cursor.height });
  const balanceOf = (key: string): bigint => units.get(key) ?? 0n;
  const own = await ownMoney(deps, on, { address, block });
  if (own === null) return null;
  const gasUnits = balanceOf(nativeAsset);
  const undecidedNativeUnits = unspendableUnits(gasUnits, own);
  const hot = hotWalletText(on);
  const price = await sender.price({ asset, to: hot });
  const native = asset === nativeAsset;
  const undecided = native
    ? undecidedNativeUnits
    : await deps.unitOfWork.run((repositories) =>
        undecidedUnits(repositories, on, { address, asset }, block),
      );
  if (undecided === null) return null;
  const mayDelegate = !native && status !== 'lending' && balanceOf(asset) > 0n;
  return {
    native,
    offer: mayDelegate ? ((await sender.energy?.compare({ hot, address, asset })) ?? null) : null,
    balanceUnits: balanceOf(asset),
    undecidedUnits: undecided,
    gasUnits,
    undecidedNativeUnits,
    maxFeeUnits: sender.capabilities.hotWalletPaysFees ? 0n : price.maxUnits,
    enough: estimatesEnough(sender),
    reserveUnits: await sender.reserveUnits(address),
  };
}
