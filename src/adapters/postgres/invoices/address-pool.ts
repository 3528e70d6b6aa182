/**
 * Reads the pool of addresses that the signer derived in advance (ports/chains/address-pool.ts).
 */
import { sql } from 'drizzle-orm';
import { AddressesNotDerived, type AddressPool } from '../../../ports/chains/address-pool.ts';
import type { Sql } from '../client/sql.ts';
import { derivedAddresses as d } from '../schema/addresses.ts';
import { statement } from '../statement.ts';

const READ = statement({
  given: { family: d.family, from: d.derivationIndex, below: d.derivationIndex },
  selects: { address: d.address },
  text: ({ family, from, below }, select) => sql`
    select ${select} from ${d}
    where ${d.family} = ${family} and ${d.derivationIndex} >= ${from} and ${d.derivationIndex} < ${below}
    order by ${d.derivationIndex}`,
});

export function postgresAddressPool(on: Sql, family: string): AddressPool {
  return {
    async read({ from, count }) {
      const rows = await READ(on, { family, from, below: from + count });
      if (rows.length === count) return rows.map(({ address }) => address);
      throw new AddressesNotDerived(
        `the signer has not derived the addresses of ${family} up to index ${from + count - 1} yet`,
      );
    },
  };
}
