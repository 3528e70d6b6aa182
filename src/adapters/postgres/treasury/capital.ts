/** The operator's own money in hot wallets, booked as of a block. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { CapitalRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { capitalBookings as k } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { insertInto, like } from '../statement-parts.ts';
import { unitsOfHotWallet } from './wallet-units.ts';

const INSERT = statement({ given: getTableColumns(k), text: (values) => insertInto(k, values) });
const { coin: _, ...BOOKING } = getTableColumns(k);
const NEWEST = statement({
  given: { chain: k.chain, asset: k.asset },
  selects: BOOKING,
  text: ({ chain, asset }, select) => sql`
    select ${select} from ${k} where ${k.chain} = ${chain} and ${k.asset} = ${asset} order by ${k.id} desc limit 1`,
});
const LAST = statement({
  given: { chain: k.chain, asset: k.asset },
  selects: { height: like(k.blockHeight, sql`max(${k.blockHeight})`) as SQL<number | null> },
  text: ({ chain, asset }, select) =>
    sql`select ${select} from ${k} where ${k.chain} = ${chain} and ${k.asset} = ${asset}`,
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
    unitsOfHotWallet: (at) => unitsOfHotWallet(on, at),
  };
}
