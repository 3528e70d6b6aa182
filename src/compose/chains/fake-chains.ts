/** Chains in memory, for CHAINS=fake and for tests that share them among services. */
import { type FakeChain, fakeChain } from '../../adapters/chains/fake/fake-chain.ts';
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { CHAINS } from '../../domain/catalog/chain.ts';
import { isUtxo, type UtxoFamily } from '../../domain/catalog/family.ts';
import type { ChangeAddresses } from '../../ports/chains/change-addresses.ts';
import type { Clock } from '../../ports/runtime/clock.ts';

/**
 * By name, with every asset of the catalog. `change`: where our change goes on UTXO chains, or
 * nothing for fake addresses. `only`: these chains, or nothing for all.
 */
export function fakeChains({
  catalog,
  clock,
  change = new Map(),
  only,
}: {
  readonly catalog: AssetCatalog;
  readonly clock: Clock;
  readonly change?: ReadonlyMap<UtxoFamily, ChangeAddresses>;
  readonly only?: readonly string[];
}): ReadonlyMap<string, FakeChain> {
  return new Map(
    CHAINS.filter(({ name }) => only?.includes(name) ?? true).map(({ name, family, confirmations }) => {
      const ownChange = isUtxo(family) ? change.get(family) : undefined;
      const tokens = [...catalog.all, ...catalog.unlisted].filter(
        ({ chain, type }) => chain === name && type === 'token',
      );
      const assets = [catalog.nativeOf(name), ...tokens].map(({ key, decimals }) => ({
        asset: key,
        decimals,
      }));
      const made = fakeChain({
        ...{ chain: name, family, assets, clock, confirmations },
        ...(ownChange === undefined ? {} : { change: ownChange }),
      });
      return [name, made];
    }),
  );
}
