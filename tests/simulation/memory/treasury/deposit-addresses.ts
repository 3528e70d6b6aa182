/** Pages of deposit addresses in memory, with what sweeps may collect there. */
import type { Sweepable, TreasuryQueries } from '../../../../src/ports/treasury/treasury-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import {
  depositsAt,
  isActive,
  isCredited,
  isNotMoved,
  isNotSwept,
  isOpen,
  isWithheld,
  sweepsAt,
} from '../sweeps/sweep-rows.ts';

type Page = Parameters<TreasuryQueries['depositAddresses']>[1];
type AddressQueries = 'sweepable' | 'depositAddresses' | 'issuedAddresses' | 'unpaidAddresses';

export function depositAddressQueries(store: MemoryStore): Pick<TreasuryQueries, AddressQueries> {
  const { deposits, addresses } = store.tables;
  /** A replaced wallet's addresses are not compared with the chain. */
  const isOurs = (chain: string, address: string) =>
    store.tables.frozenAddresses.find(chain, address)?.formerWallet !== true;
  const issued = ({ chain, family }: { chain: string; family: string }): string[] =>
    addresses
      .by('family', family)
      .map(({ address }) => address)
      .filter((address) => isOurs(chain, address));
  return {
    async sweepable(chain, { after, limit, onDemand }) {
      const found = pageOf(notCollected(store, chain, onDemand), { after, limit });
      const rows = found.flatMap((address) => sweepableAt(store, { chain, address }, onDemand));
      return { rows, last: found.length < limit ? null : (found.at(-1) ?? null) };
    },

    depositAddresses: async (chain, page) =>
      pageOf(
        deposits
          .by('chain', chain)
          .map(({ address }) => address)
          .filter((address) => isOurs(chain, address)),
        page,
      ),
    issuedAddresses: async (of, page) => pageOf(issued(of), page),
    unpaidAddresses: async (of, page) =>
      pageOf(
        issued(of).filter(
          (address) => !deposits.by('address', address).some(({ chain }) => chain === of.chain),
        ),
        page,
      ),
  };
}

/** With a deposit that no sweep took; on demand also with one of a sweep that failed. */
function notCollected({ tables }: MemoryStore, chain: string, onDemand: boolean): string[] {
  const found: string[] = [];
  for (const deposit of tables.deposits.by('chain', chain)) {
    const { address, sweptBy } = deposit;
    if (isNotSwept(deposit)) found.push(address);
    else if (onDemand && sweptBy !== null) {
      const sweep = tables.sweeps.find(sweptBy);
      if (sweep?.status === 'failed' && sweep.chain === chain && sweep.address === address)
        found.push(address);
    }
  }
  return found;
}

function sweepableAt(
  store: MemoryStore,
  place: { chain: string; address: string },
  onDemand: boolean,
): Sweepable[] {
  const { chain, address } = place;
  const there = depositsAt(store, place);
  if (store.tables.frozenAddresses.find(chain, address) !== undefined || there.some(isWithheld)) return [];
  const inTheWay = onDemand ? isActive : isOpen;
  const busy = new Set(
    sweepsAt(store, place)
      .filter(inTheWay)
      .map(({ asset }) => asset),
  );
  const sums = new Map<string, bigint>();
  for (const deposit of there) {
    const isWanted = onDemand ? isNotMoved(store, deposit) : isNotSwept(deposit);
    if (isWanted && isCredited(deposit) && !busy.has(deposit.asset))
      sums.set(deposit.asset, (sums.get(deposit.asset) ?? 0n) + deposit.units);
  }
  return [...sums]
    .map(([asset, units]) => ({ address, asset, units }))
    .sort((a, b) => byText(a.asset, b.asset));
}

function pageOf(addresses: readonly string[], { after, limit }: Page): string[] {
  const found = new Set<string>();
  for (const address of addresses) if (byText(address, after) > 0) found.add(address);
  return [...found].sort(byText).slice(0, limit);
}
