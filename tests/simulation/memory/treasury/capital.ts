/** The operator's own money in the wallets, in memory. */
import { outpointText } from '../../../../src/domain/chains/outpoint.ts';
import type {
  CapitalPlace,
  CapitalRepository,
} from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { unitsOfAddresses, unitsOfHotWallet } from './wallet-units.ts';

export function capitalRepository(store: MemoryStore): CapitalRepository {
  const { capitalBookings } = store.tables;
  const bookingsOf = ({ chain, asset }: { chain: string; asset: string }) =>
    capitalBookings.by('chain', chain).filter((booking) => booking.asset === asset);
  const bookingsAt = (place: CapitalPlace) =>
    bookingsOf(place).filter(({ address, coin }) => address === place.address && coin === null);
  return {
    async insert({ id, chain, asset, units, block, note, at, coin, address }) {
      const place = { blockHeight: block.height, blockHash: block.hash };
      const spent = coin === null ? null : outpointText(coin);
      capitalBookings.insert({ id, chain, asset, units, ...place, note, at, coin: spent, address });
    },

    async newest(place) {
      const [row] = bookingsOf(place).sort((a, b) => byText(b.id, a.id));
      if (row === undefined) return null;
      const { blockHeight: height, blockHash: hash, coin: _, ...booking } = row;
      return { ...booking, block: { height, hash } };
    },

    lastHeight: async (place) =>
      bookingsAt(place).reduce<number | null>(
        (highest, { blockHeight }) => (highest === null ? blockHeight : Math.max(highest, blockHeight)),
        null,
      ),

    async takesBack({ units: given, ...place }) {
      const bookings = bookingsAt(place);
      const left = bookings.reduce((sum, { units }) => sum + units, given);
      return (
        bookings.length > 0 && (left === 0n || (left < 0n && bookings.some(({ units }) => units === -given)))
      );
    },

    unitsOfAddresses: async (at) => unitsOfAddresses(store, at),
    unitsOfHotWallet: async (at) => unitsOfHotWallet(store, at),
  };
}
