/** Addresses of ours that nothing is swept from, because their owner changed on the chain. */
import type { FreezeRepository } from '../../ports/treasury-repositories.ts';
import type { Sql } from './client.ts';

const FREEZE = `
  insert into frozen_addresses (chain, address, reason, frozen_at) values ($1, $2, $3, $4)
  on conflict (chain, address) do nothing returning address`;
const THAW = 'delete from frozen_addresses where chain = $1 and address = $2 returning address';
const FROZEN = 'select from frozen_addresses where chain = $1 and address = $2';

export function freezeRepository(sql: Sql): FreezeRepository {
  return {
    freeze: async ({ chain, address, reason, at }) =>
      (await sql.query(FREEZE, [chain, address, reason, at])).length === 1,
    thaw: async ({ chain, address }) => (await sql.query(THAW, [chain, address])).length === 1,
    isFrozen: async ({ chain, address }) => (await sql.query(FROZEN, [chain, address])).length === 1,
  };
}
