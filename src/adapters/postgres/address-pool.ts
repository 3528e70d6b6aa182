/** The pool of addresses that the signer derived ahead (ports/address-pool.ts), as it is read. */
import { AddressesNotDerived, type AddressPool } from '../../ports/address-pool.ts';
import type { Sql } from './client.ts';

const READ = `
  select address from derived_addresses
  where family = $1 and derivation_index >= $2 and derivation_index < $2::bigint + $3
  order by derivation_index`;

export function postgresAddressPool(sql: Sql, family: string): AddressPool {
  return {
    async read({ from, count }) {
      const rows = await sql.query<{ address: string }>(READ, [family, from, count]);
      if (rows.length === count) return rows.map(({ address }) => address);
      throw new AddressesNotDerived(
        `the signer has not derived the addresses of ${family} up to index ${from + count - 1} yet`,
      );
    },
  };
}
