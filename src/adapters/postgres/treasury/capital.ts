/** The operator's own money in the wallets, booked as of a block. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { CapitalRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { capitalBookings as k } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { insertInto, like, nullable, total } from '../statement-parts.ts';
import { unitsOfAddresses, unitsOfHotWallet } from './wallet-units.ts';

const INSERT = statement({ given: getTableColumns(k), text: (values) => insertInto(k, values) });
const { coin: _, ...BOOKING } = getTableColumns(k);
const NEWEST = statement({
  given: { chain: k.chain, asset: k.asset },
  selects: BOOKING,
  text: ({ chain, asset }, select) => sql`
    select ${select} from ${k} where ${k.chain} = ${chain} and ${k.asset} = ${asset} order by ${k.id} desc limit 1`,
});
const PLACE = { chain: k.chain, asset: k.asset, address: nullable(k.address) };
const isAt = ({ chain, asset, address }: Record<keyof typeof PLACE, SQL>) => sql`
  ${k.chain} = ${chain} and ${k.asset} = ${asset} and ${k.address} is not distinct from ${address}`;
const LAST = statement({
  given: PLACE,
  selects: { height: like(k.blockHeight, sql`max(${k.blockHeight})`) as SQL<number | null> },
  text: (place, select) => sql`select ${select} from ${k} where ${isAt(place)}`,
});
const BOOKED = statement({
  given: PLACE,
  selects: { units: total(k.units) },
  text: (place, select) => sql`select ${select} from ${k} where ${isAt(place)} and ${k.coin} is null`,
});

export function capitalRepository(on: Sql): CapitalRepository {
  return {
    async insert({ block, coin, ...booking }) {
      const place = { blockHeight: block.height, blockHash: block.hash };
      await INSERT(on, { ...booking, ...place, coin: coin === null ? null : outpointText(coin) });
    },

    async newest(place) {
      const [row] = await NEWEST(on, place);
      if (row === undefined) return null;
      const { blockHeight: height, blockHash: hash, ...booking } = row;
      return { ...booking, block: { height, hash } };
    },

    lastHeight: async (place) => theOnly(await LAST(on, place), `capital of ${place.asset}`).height,
    unitsBooked: async (place) => theOnly(await BOOKED(on, place), `capital of ${place.asset}`).units,
    unitsOfAddresses: (at) => unitsOfAddresses(on, at),
    unitsOfHotWallet: (at) => unitsOfHotWallet(on, at),
  };
}
