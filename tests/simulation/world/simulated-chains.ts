/** The fake chains that the processes of a history share. */
import { type FakeChain, fakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import type { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { CHAINS } from '../../../src/domain/catalog/chain.ts';
import type { Clock } from '../../../src/ports/runtime/clock.ts';

export function simulatedChains(
  catalog: AssetCatalog,
  { clock, names }: { clock: Clock; names: readonly string[] },
): ReadonlyMap<string, FakeChain> {
  return new Map(
    CHAINS.filter(({ name }) => names.includes(name)).map(({ name, family, confirmations }) => [
      name,
      fakeChain({
        ...{ chain: name, family, clock, confirmations },
        assets: [
          catalog.nativeOf(name),
          ...catalog.all.filter((asset) => asset.chain === name && asset.type === 'token'),
        ].map(({ key, decimals }) => ({ asset: key, decimals })),
      }),
    ]),
  );
}
