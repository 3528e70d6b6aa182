/** What the chain and our records say of addresses that are to be swept. */
import type { Block } from '../../domain/sending/outgoing.ts';
import { unspendableUnits } from '../../domain/sending/own-money.ts';
import type { DelegationOffer, Sweep, SweepFacts } from '../../domain/sweeps/sweep.ts';
import type { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { hotWalletText } from '../sending/sending-chain.ts';
import { ownMoney } from '../sending/signing/own-money.ts';
import { eachPastOutages } from '../shared/tolerate-outage.ts';
import { estimatesEnough } from './plan-sweeps.ts';
import type { SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/**
 * Without what is known only under the lock of the sweep: what is covered, and the energy that is
 * left to delegate.
 */
export type FoundFacts = Omit<SweepFacts, 'coveredUnits' | 'energy'> & {
  readonly offer: DelegationOffer | null;
};

type UnitsByAsset = ReadonlyMap<string, bigint>;

/**
 * Of sweeps of one asset, by sweep, as of the last block that was read, so that no fee is paid from
 * a payment that was not recorded (safety.md G9). Left out are those of an address whose last move
 * that block lacks, and all where it has left the chain meanwhile; also those of an address that
 * the nodes cannot be asked about, and why is in `failures`. Throws ChainUnavailable.
 */
export async function findFacts(
  deps: SweepNeeds,
  on: TreasuryChain,
  sweeps: readonly Sweep[],
): Promise<{
  readonly facts: ReadonlyMap<string, FoundFacts>;
  readonly failures: readonly ChainUnavailable[];
}> {
  const facts = new Map<string, FoundFacts>();
  const [first] = sweeps;
  const cursor = await deps.unitOfWork.run(({ chains }) => chains.cursor(on.chain));
  if (first === undefined || cursor === null) return { facts, failures: [] };
  const { asset } = first;
  const { nativeAsset } = on.sender;
  const assets = [...new Set([asset, nativeAsset])];
  const hot = hotWalletText(on);
  const price = await on.sender.price({ asset, to: hot });
  const ofAddress = Map.groupBy(sweeps, ({ address }) => address);
  const { balances, failures } = await balancesAt(on, [...ofAddress.keys()], { assets, ...cursor });
  for (const { block, units } of balances) {
    const addresses = [...units.keys()];
    const found = await ownMoney(deps, on, { addresses, assets, block });
    if (found === null) continue;
    const unasked = await eachPastOutages(addresses, async (address) => {
      const own = found.own.get(address);
      if (own === undefined) return;
      const balanceOf = (key: string): bigint => units.get(address)?.get(key) ?? 0n;
      const gasUnits = balanceOf(nativeAsset);
      const undecidedNativeUnits = unspendableUnits(gasUnits, own);
      const native = asset === nativeAsset;
      const undecided = native ? undecidedNativeUnits : (found.undecided.get(address)?.get(asset) ?? 0n);
      const common = {
        native,
        balanceUnits: balanceOf(asset),
        undecidedUnits: undecided,
        gasUnits,
        undecidedNativeUnits,
        maxFeeUnits: on.sender.capabilities.hotWalletPaysFees ? 0n : price.maxUnits,
        enough: estimatesEnough(on.sender),
        reserveUnits: await on.sender.reserveUnits(address),
      };
      for (const { id, status } of ofAddress.get(address) ?? []) {
        const mayDelegate = !native && status !== 'lending' && balanceOf(asset) > 0n;
        const offer = mayDelegate ? await on.sender.energy?.compare({ hot, address, asset }) : null;
        facts.set(id, { ...common, offer: offer ?? null });
      }
    });
    failures.push(...unasked);
  }
  return { facts, failures };
}

/**
 * Balances of the addresses at a height, by the block that the nodes have there: as a rule it is
 * one.
 */
async function balancesAt(
  { sender }: TreasuryChain,
  addresses: readonly string[],
  { assets, height }: { readonly assets: readonly string[]; readonly height: number },
): Promise<{
  readonly balances: readonly { readonly block: Block; readonly units: ReadonlyMap<string, UnitsByAsset> }[];
  readonly failures: ChainUnavailable[];
}> {
  if (sender.balancesOf)
    return { balances: [await sender.balancesOf(addresses, assets, { height })], failures: [] };
  const found = new Map<string, { block: Block; units: Map<string, UnitsByAsset> }>();
  const failures = await eachPastOutages(addresses, async (address) => {
    const { block, units } = await sender.balances(address, assets, { height });
    const alike = found.get(block.hash) ?? { block, units: new Map<string, UnitsByAsset>() };
    alike.units.set(address, units);
    found.set(block.hash, alike);
  });
  return { balances: [...found.values()], failures };
}
