/** What the chain and our records say of an address that is to be swept. */
import type { Block } from '../../domain/sending/outgoing.ts';
import type { DelegationOffer, Sweep, SweepFacts } from '../../domain/sweeps/sweep.ts';
import { hotWalletText } from '../sending/sending-chain.ts';
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
  const unrecorded = await unrecordedUnits(deps, on, { address, block, units: balanceOf(nativeAsset) });
  const undecided = await undecidedUnits(deps, on, { address, block });
  if (undecided === null) return null;
  const hot = hotWalletText(on);
  const price = await sender.price({ asset, to: hot });
  const native = asset === nativeAsset;
  const mayDelegate = !native && status !== 'lending' && balanceOf(asset) > 0n;
  return {
    native,
    offer: mayDelegate ? ((await sender.energy?.compare({ hot, address, asset })) ?? null) : null,
    balanceUnits: balanceOf(asset),
    gasUnits: balanceOf(nativeAsset),
    undecidedNativeUnits: undecided + unrecorded,
    maxFeeUnits: sender.capabilities.hotWalletPaysFees ? 0n : price.maxUnits,
    enough: estimatesEnough(sender),
    reserveUnits: await sender.reserveUnits(address),
  };
}

/**
 * Native base units that are there and in no record: they may leave with a reorganisation. Zero
 * where addresses gain some without a payment.
 */
async function unrecordedUnits(
  deps: SweepNeeds,
  { chain, sender }: TreasuryChain,
  { address, block, units }: { address: string; block: Block; units: bigint },
): Promise<bigint> {
  if (sender.capabilities.uncountedUnits !== undefined) return 0n;
  const { nativeAsset } = sender;
  const at = { chain, nativeAsset, height: block.height, addresses: [address], apart: [] };
  const rows = await deps.treasuryQueries.unitsOfAddresses(at);
  const recorded = rows.find(({ asset }) => asset === nativeAsset)?.units ?? 0n;
  return units > recorded ? units - recorded : 0n;
}

/**
 * Null where our records are of another block, or where something was moved here in a later one.
 */
function undecidedUnits(
  deps: SweepNeeds,
  { chain, sender }: TreasuryChain,
  { address, block: { height, hash } }: { address: string; block: Block },
): Promise<bigint | null> {
  return deps.unitOfWork.run(async ({ chains, sweeps }) => {
    const place = { chain, address };
    if (((await sweeps.lastMovedAt(place)) ?? 0) > height) return null;
    const undecided = await sweeps.undecidedUnits({ ...place, asset: sender.nativeAsset, height });
    // Asked last: a reorganisation that was recorded before this has taken the block away.
    return (await chains.hasRead(chain, { height, hash })) ? undecided : null;
  });
}
