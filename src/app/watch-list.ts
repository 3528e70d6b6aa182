/** What a scanner asks about addresses: answered from the database at the moment of the question, so no instance misses a new address. */
import type { Chain } from '../domain/chain.ts';
import type { WatchList } from '../ports/chain-scanner.ts';
import type { AppDependencies } from './dependencies.ts';

/** A full block asks about thousands of addresses: shared among connections, the answer comes in a fraction of the time. */
const SHARES = 4;
const SHARE_MIN = 500;

export function watchList(
  deps: Pick<AppDependencies, 'unitOfWork' | 'operatorQueries' | 'catalog'>,
  chain: Chain,
  /** Also watched, normalized: where the operator's money arrives on a chain of coins. */
  hotWallet: string | null,
): WatchList {
  const native = deps.catalog.all.find((asset) => asset.chain === chain.name && asset.type === 'native');
  return {
    async known(addresses) {
      if (addresses.length === 0) return new Set();
      const found = await Promise.all(
        shares(addresses).map((share) =>
          deps.unitOfWork.run((repositories) => repositories.addresses.find(chain.family, share)),
        ),
      );
      const known = new Set(found.flat().map((issued) => issued.address));
      if (hotWallet !== null && addresses.includes(hotWallet)) known.add(hotWallet);
      return known;
    },
    async expectingNative() {
      return native
        ? deps.operatorQueries.addressesExpecting({ family: chain.family, asset: native.key })
        : [];
    },
    // Live addresses have the family's name as that of their deriver (address-allocator.ts).
    reservedIndexes: () =>
      deps.unitOfWork.run((repositories) => repositories.addresses.reservedIndexes(chain.family)),
  };
}

function shares(addresses: readonly string[]): readonly (readonly string[])[] {
  const size = Math.max(SHARE_MIN, Math.ceil(addresses.length / SHARES));
  return Array.from({ length: Math.ceil(addresses.length / size) }, (_, share) =>
    addresses.slice(share * size, (share + 1) * size),
  );
}
