/** The addresses that must be followed at a source without whole blocks. */
import { type SQL, sql } from 'drizzle-orm';
import type { OperatorQueries } from '../../../ports/operator-queries.ts';
import type { Sql } from '../client/sql.ts';
import { STILL_PAYABLE } from '../invoices/expiry.ts';
import { addresses as a, permanentAddresses as p } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { utxos as c } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import { at, value } from '../statement-parts.ts';

const ASSET = { family: a.family, asset: value<string>('text') };
const ADDRESS = { address: a.address };
// The two conditions on the status match partial indexes; a partly paid VARY invoice has ended.
const expecting = ({ family, asset }: Record<keyof typeof ASSET, SQL>, select: SQL): SQL => sql`
  select ${select} from ${a} join ${i} on ${i.id} = ${a.invoiceId}
  where ${a.family} = ${family} and not ${i.sandbox}
    and (${i.asset} = ${asset} or (${equals(i.status, 'created')}
      and ${i.earlierChoices}::jsonb @> jsonb_build_array(jsonb_build_object('asset', ${asset}))))
    and ${STILL_PAYABLE}
  union
  select ${a.address} from ${a} join ${i} on ${i.id} = ${a.invoiceId}
  where ${a.family} = ${family} and not ${i.sandbox} and ${i.asset} = ${asset} and ${equals(i.status, 'confirming')}
  union
  select ${a.address} from ${a} join ${p} on ${p.id} = ${a.permanentAddressId}
  where ${a.family} = ${family} and not ${a.sandbox} and ${p.active}`;
const EXPECTING = statement({ given: ASSET, selects: ADDRESS, text: expecting });

// Ids of invoices sort by time (ports/runtime/id-source.ts). The last so many are read, which
// include those of other families.
const TO_FOLLOW = statement({
  given: { ...ASSET, chain: c.chain, newest: value<number>('bigint'), coins: value<number>('bigint') },
  selects: ADDRESS,
  text: ({ family, asset, chain, newest, coins }, select) => sql`
    ${expecting({ family, asset }, select)}
    union
    select address from (
      select address from (
        select ${a.address}, ${a.family}, ${a.invoiceId} from ${a} where ${a.invoiceId} is not null
        order by ${a.invoiceId} desc limit 5 * ${newest}) looked_at
      where ${at('looked_at', a.family)} = ${family} order by ${at('looked_at', a.invoiceId)} desc limit ${newest}) newest
    union
    select address from (
      select ${a.address} from ${p} join ${a} on ${a.permanentAddressId} = ${p.id}
      where ${p.family} = ${family} and not ${p.sandbox} and not ${p.active}
      order by ${p.deactivatedAt} desc limit ${newest}) gone
    union
    select address from (
      select ${c.address} from ${c}
      where ${c.chain} = ${chain} and ${c.claimedBy} is null and ${c.blockHeight} is not null
      order by ${c.units} desc limit ${coins}) coins`,
});

export function followedAddresses(
  on: Sql,
): Pick<OperatorQueries, 'addressesExpecting' | 'addressesToFollow'> {
  return {
    addressesExpecting: async (asset) => (await EXPECTING(on, asset)).map(({ address }) => address),
    addressesToFollow: async (what) => (await TO_FOLLOW(on, what)).map(({ address }) => address),
  };
}
