/** The operator's own money in hot wallets, booked as of a block. */
import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { CapitalRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { insertInto, theOnly } from '../client/statements.ts';
import { unitsOfHotWallet } from './wallet-units.ts';

const INSERT = insertInto('capital_bookings', [
  'id',
  'chain',
  'asset',
  'units',
  'block_height',
  'block_hash',
  'note',
  'at',
  'coin',
]);
const LAST = 'select max(block_height) as height from capital_bookings where chain = $1 and asset = $2';

export function capitalRepository(sql: Sql): CapitalRepository {
  return {
    async insert({ id, chain, asset, units, block, note, at, coin }) {
      const place = [block.height, block.hash];
      const outpoint = coin === null ? null : outpointText(coin);
      await sql.query(INSERT, [id, chain, asset, units.toString(), ...place, note, at, outpoint]);
    },

    async lastHeight({ chain, asset }) {
      const rows = await sql.query<{ height: string | null }>(LAST, [chain, asset]);
      const { height } = theOnly(rows, `capital of ${asset}`);
      return height === null ? null : Number(height);
    },

    unitsOfHotWallet: (at) => unitsOfHotWallet(sql, at),
  };
}
