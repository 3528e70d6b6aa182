/**
 * A scanner's questions about addresses, each answered from the database, so that no instance
 * misses a new address.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import { outputKey } from '../../domain/deposits/deposit.ts';
import type { ChangeAddresses } from '../../ports/chains/change-addresses.ts';
import type { WatchedSpending, WatchList } from '../../ports/chains/watch-list.ts';
import type { AppDependencies } from '../dependencies.ts';
import { owedPayments } from '../payouts/owed-payments.ts';
import { changeIndexes } from './change-indexes.ts';
import { sentTransactions } from './sent-transactions.ts';

/**
 * A full block asks about thousands of addresses: several connections share the question, and
 * answer it sooner.
 */
const SHARES = 4;
const SHARE_MIN = 500;
/**
 * Watched besides addresses that expect a payment, for invoices and deactivated addresses each:
 * servers take some ten thousand at most.
 */
const NEWEST = 2_000;
const COINS = 5_000;

export function watchList(
  deps: SpendingNeeds & Pick<AppDependencies, 'operatorQueries'>,
  chain: Chain,
  /**
   * Normalized. `arrivals`: also watched, the address for the operator's funding on a UTXO chain.
   * `spending`: the addresses whose transactions are reported if this gateway did not sign them,
   * and its change addresses. Null if there are none.
   */
  { arrivals, spending }: { arrivals: string | null; spending: WatchedWallet | null },
): WatchList {
  const native = deps.catalog.all.find((asset) => asset.chain === chain.name && asset.type === 'native');
  const watched = spending === null ? undefined : spendingOf(deps, chain, spending);
  return {
    async known(addresses) {
      if (addresses.length === 0) return new Set();
      const found = await Promise.all(
        shares(addresses).map((share) =>
          deps.unitOfWork.run((repositories) => repositories.addresses.find(chain.family, share)),
        ),
      );
      const known = new Set(found.flat().map((issued) => issued.address));
      if (arrivals !== null && addresses.includes(arrivals)) known.add(arrivals);
      return known;
    },
    async expectingNative() {
      return native
        ? deps.operatorQueries.addressesExpecting({ family: chain.family, asset: native.key })
        : [];
    },
    async following() {
      if (!native) return [];
      const asked = { family: chain.family, chain: chain.name, asset: native.key };
      const own = [arrivals, spending?.wallet ?? null].filter((address) => address !== null);
      const owed = (await watched?.owed()) ?? [];
      return [
        ...new Set([
          ...own,
          ...owed.map(({ to }) => to),
          ...(await deps.operatorQueries.addressesToFollow({ ...asked, newest: NEWEST, coins: COINS })),
        ]),
      ];
    },
    async recorded(payments) {
      if (payments.length === 0) return new Set();
      const found = await deps.unitOfWork.run(({ deposits }) => deposits.findByKeys(chain.name, payments));
      return new Set(found.filter(({ block }) => block !== null).map(outputKey));
    },
    // Live addresses have the family's name as that of their deriver (address-allocator.ts).
    reservedIndexes: () =>
      deps.unitOfWork.run((repositories) => repositories.addresses.reservedIndexes(chain.family)),
    ...(watched === undefined ? {} : { spending: watched }),
  };
}

type SpendingNeeds = Pick<AppDependencies, 'unitOfWork' | 'catalog' | 'liveDerivers'>;

interface WatchedWallet {
  readonly wallet: string;
  readonly change: ChangeAddresses | null;
}

function spendingOf(
  deps: SpendingNeeds,
  { name, family }: Chain,
  { wallet, change }: WatchedWallet,
): WatchedSpending {
  const nextNonce = () =>
    deps.unitOfWork.run(({ outgoing }) => outgoing.nextOf({ chain: name, address: wallet }));
  return {
    wallet,
    change: change === null ? async () => new Map() : changeIndexes(change, nextNonce),
    signed: (txids) => deps.unitOfWork.run(({ outgoing }) => outgoing.ours(txids)),
    ours: (outpoints) => deps.unitOfWork.run(({ utxos }) => utxos.ours(name, outpoints)),
    sent: (height) => sentTransactions(deps, { chain: name, wallet, height }),
    owed: () =>
      owedPayments(deps, name, (address) => deps.liveDerivers.get(family)?.normalize(address) ?? null),
  };
}

function shares(addresses: readonly string[]): readonly (readonly string[])[] {
  const size = Math.max(SHARE_MIN, Math.ceil(addresses.length / SHARES));
  return Array.from({ length: Math.ceil(addresses.length / size) }, (_, share) =>
    addresses.slice(share * size, (share + 1) * size),
  );
}
