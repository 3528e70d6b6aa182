/** Addresses of ours that nothing is swept from: their owner changed on the chain, or they are of a wallet that was replaced. */
import type { FreezeRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';

const FREEZE = `
  insert into frozen_addresses (chain, address, reason, frozen_at) values ($1, $2, $3, $4)
  on conflict (chain, address) do nothing returning address`;
const THAW =
  'delete from frozen_addresses where chain = $1 and address = $2 and not former_wallet returning address';
const FROZEN = 'select from frozen_addresses where chain = any ($1::text[]) and address = $2 limit 1';
const AMONG = 'select address from frozen_addresses where chain = $1 and address = any ($2::text[])';

export function freezeRepository(sql: Sql): FreezeRepository {
  return {
    freeze: async ({ chain, address, reason, at }) =>
      (await sql.query(FREEZE, [chain, address, reason, at])).length === 1,
    thaw: async ({ chain, address }) => (await sql.query(THAW, [chain, address])).length === 1,
    isFrozen: async ({ chains, address }) => (await sql.query(FROZEN, [chains, address])).length === 1,
    async among({ chain, addresses }) {
      const rows = await sql.query<{ address: string }>(AMONG, [chain, addresses]);
      return new Set(rows.map(({ address }) => address));
    },
  };
}
