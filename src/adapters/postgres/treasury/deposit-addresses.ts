/**
 * Pages of deposit addresses: issued ones, those that ever had a deposit, and those with money to
 * sweep.
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { TreasuryQueries } from '../../../ports/treasury/treasury-queries.ts';
import type { Sql } from '../client/sql.ts';
import { addresses as a, deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { frozenAddresses as f, sweeps as s } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { listOf, total, value } from '../statement-parts.ts';
import {
  IS_ACTIVE_SWEEP,
  IS_CREDITED,
  IS_NOT_MOVED,
  IS_NOT_SWEPT,
  IS_OPEN_SWEEP,
  WITHHELD_STATUSES,
} from '../sweeps/sweep-row.ts';
import { isFrozen } from './frozen-addresses.ts';

const PAGE = { chain: d.chain, after: d.address, limit: value<number>('bigint') };
const notSwept = ({ chain, after, limit }: Record<keyof typeof PAGE, SQL>) => sql`
  from ${d} where ${d.chain} = ${chain} and ${IS_NOT_SWEPT} and ${d.address} > ${after}
  order by ${d.address} limit ${limit}`;
const NOT_SWEPT = statement({
  given: PAGE,
  selects: { address: d.address },
  text: (page, select) => sql`select distinct ${select} ${notSwept(page)}`,
});
const NOT_SWEPT_OR_FAILED = statement({
  given: PAGE,
  selects: { address: d.address },
  text: (page, select) => sql`
    select ${select} from (
      (select distinct ${d.address} ${notSwept(page)})
      union
      (select distinct ${d.address} from ${s}
       join ${d} on ${d.chain} = ${s.chain} and ${d.address} = ${s.address} and ${d.sweptBy} = ${s.id}
       where ${s.chain} = ${page.chain} and ${equals(s.status, 'failed')} and ${d.address} > ${page.after}
       order by ${d.address} limit ${page.limit})) ${d}
    order by ${d.address} limit ${page.limit}`,
});

const e = alias(d, 'e');
const sweepableAt = (which: SQL, beside: SQL) =>
  statement({
    given: { chain: d.chain, addresses: listOf(d.address) },
    selects: { address: d.address, asset: d.asset, units: total(d.units) },
    text: ({ chain, addresses }, select) => sql`
      select ${select} from ${d}
      where ${d.chain} = ${chain} and ${d.address} = any (${addresses}) and ${IS_CREDITED} and (${which})
        and not ${isFrozen(d)}
        and not exists (
          select from ${d} e where ${e.chain} = ${d.chain} and ${e.address} = ${d.address}
            and ${oneOf(e.status, WITHHELD_STATUSES)})
        and not exists (
          select from ${s} where ${s.chain} = ${d.chain} and ${s.address} = ${d.address} and ${s.asset} = ${d.asset}
            and ${beside})
      group by ${d.address}, ${d.asset} order by ${d.address}, ${d.asset}`,
  });
const SWEEPABLE = sweepableAt(IS_NOT_SWEPT, IS_OPEN_SWEEP);
const SWEEPABLE_ON_DEMAND = sweepableAt(IS_NOT_MOVED, IS_ACTIVE_SWEEP);

// Excludes a replaced wallet's addresses: their money is moved by other means, and not compared.
const isOurs = (at: { readonly chain: SQLWrapper; readonly address: SQLWrapper }) => sql`not exists (
  select from ${f} where ${f.chain} = ${at.chain} and ${f.address} = ${at.address} and ${f.formerWallet})`;
const EVER = statement({
  given: PAGE,
  selects: { address: d.address },
  text: ({ chain, after, limit }, select) => sql`
    select distinct ${select} from ${d}
    where ${d.chain} = ${chain} and ${d.address} > ${after} and ${isOurs({ chain, address: d.address })}
    order by ${d.address} limit ${limit}`,
});
const OF_FAMILY = { chain: d.chain, family: a.family, after: a.address, limit: value<number>('bigint') };
const isIssued = ({ chain, family, after }: Record<'chain' | 'family' | 'after', SQL>) => sql`
  ${a.family} = ${family} and ${a.address} > ${after} and ${isOurs({ chain, address: a.address })}`;
const ISSUED = statement({
  given: OF_FAMILY,
  selects: { address: a.address },
  text: ({ limit, ...of }, select) => sql`
    select ${select} from ${a} where ${isIssued(of)} order by ${a.address} limit ${limit}`,
});
const UNPAID = statement({
  given: OF_FAMILY,
  selects: { address: a.address },
  text: ({ limit, ...of }, select) => sql`
    select ${select} from ${a}
    where ${isIssued(of)}
      and not exists (select from ${d} where ${d.chain} = ${of.chain} and ${d.address} = ${a.address})
    order by ${a.address} limit ${limit}`,
});

export function depositAddressQueries(
  on: Sql,
): Pick<TreasuryQueries, 'sweepable' | 'depositAddresses' | 'issuedAddresses' | 'unpaidAddresses'> {
  const only = (rows: readonly { readonly address: string }[]) => rows.map(({ address }) => address);
  return {
    async sweepable(chain, { after, limit, onDemand }) {
      const found = onDemand ? NOT_SWEPT_OR_FAILED : NOT_SWEPT;
      const addresses = only(await found(on, { chain, after, limit }));
      if (addresses.length === 0) return { rows: [], last: null };
      const rows = await (onDemand ? SWEEPABLE_ON_DEMAND : SWEEPABLE)(on, { chain, addresses });
      return { rows, last: addresses.length < limit ? null : (addresses.at(-1) ?? null) };
    },

    depositAddresses: async (chain, page) => only(await EVER(on, { chain, ...page })),
    issuedAddresses: async (of, page) => only(await ISSUED(on, { ...of, ...page })),
    unpaidAddresses: async (of, page) => only(await UNPAID(on, { ...of, ...page })),
  };
}
