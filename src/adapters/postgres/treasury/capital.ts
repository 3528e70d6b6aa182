/** The operator's own money in the wallets, booked as of a block. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { CapitalRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { capitalBookings as k } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { insertInto, like } from '../statement-parts.ts';
import { unitsOfAddresses, unitsOfHotWallet } from './wallet-units.ts';

const INSERT = statement({ given: getTableColumns(k), text: (values) => insertInto(k, values) });
const { coin: _, ...BOOKING } = getTableColumns(k);
const NEWEST = statement({
  given: { chain: k.chain, asset: k.asset },
  selects: BOOKING,
  text: ({ chain, asset }, select) => sql`
    select ${select} from ${k} where ${k.chain} = ${chain} and ${k.asset} = ${asset} order by ${k.id} desc limit 1`,
});
const PLACE = { chain: k.chain, asset: k.asset };
const PLACE_OF_ADDRESS = { ...PLACE, address: k.address };
const isAt = ({ chain, asset, address }: Record<keyof typeof PLACE_OF_ADDRESS, SQL>) => sql`
  ${k.chain} = ${chain} and ${k.asset} = ${asset} and ${k.address} = ${address}`;
const HEIGHT = { height: like(k.blockHeight, sql`max(${k.blockHeight})`) as SQL<number | null> };
// One statement for each of the two indexes.
const LAST_OF_HOT_WALLET = statement({
  given: PLACE,
  selects: HEIGHT,
  text: ({ chain, asset }, select) => sql`
    select ${select} from ${k}
    where ${k.chain} = ${chain} and ${k.asset} = ${asset} and ${k.address} is null and ${k.coin} is null`,
});
const LAST_OF_ADDRESS = statement({
  given: PLACE_OF_ADDRESS,
  selects: HEIGHT,
  text: (place, select) => sql`select ${select} from ${k} where ${isAt(place)}`,
});
const TAKES_BACK = statement({
  given: { ...PLACE_OF_ADDRESS, units: k.units },
  text: ({ units, ...place }) => sql`
    select from ${k} where ${isAt(place)}
    having sum(${k.units}) + ${units} <= 0
      and (sum(${k.units}) + ${units} = 0 or bool_or(${k.units} = -${units}))`,
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

    async lastHeight({ chain, asset, address }) {
      const place = { chain, asset };
      const rows =
        address === null
          ? await LAST_OF_HOT_WALLET(on, place)
          : await LAST_OF_ADDRESS(on, { ...place, address });
      return theOnly(rows, `capital of ${asset}`).height;
    },

    takesBack: async (booking) => (await TAKES_BACK(on, booking)).length > 0,
    unitsOfAddresses: (at) => unitsOfAddresses(on, at),
    unitsOfHotWallet: (at) => unitsOfHotWallet(on, at),
  };
}
