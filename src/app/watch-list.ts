/** What a scanner asks about addresses: answered from the database at the moment of the question, so no instance misses a new address. */
import type { Chain } from '../domain/chain.ts';
import type { WatchList } from '../ports/chain-scanner.ts';
import type { AppDependencies } from './dependencies.ts';

export function watchList(
  deps: Pick<AppDependencies, 'unitOfWork' | 'operatorQueries' | 'catalog'>,
  chain: Chain,
): WatchList {
  const native = deps.catalog.all.find((asset) => asset.chain === chain.name && asset.type === 'native');
  return {
    async known(addresses) {
      if (addresses.length === 0) return new Set();
      const issued = await deps.unitOfWork.run((repositories) =>
        repositories.addresses.find(chain.family, addresses),
      );
      return new Set(issued.map((address) => address.address));
    },
    async expectingNative() {
      return native
        ? deps.operatorQueries.addressesExpecting({ family: chain.family, asset: native.key })
        : [];
    },
  };
}
