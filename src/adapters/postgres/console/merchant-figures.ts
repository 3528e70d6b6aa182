/**
 * Sums of a merchant's days, from the tables that triggers of drizzle/0006_console.sql keep. As
 * with the counts of lists, writers add changes without waiting, a job folds them, and a read adds
 * both up in one snapshot: it is always exact.
 */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { REMOVED } from '../../../domain/console/day-figure.ts';
import type { InvoiceStatus } from '../../../domain/invoices/invoice.ts';
import type { DayFigureRepository, MerchantFigures } from '../../../ports/console/merchant-figures.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { folding } from '../lists/folding.ts';
import { removedWithin } from '../lists/removed-numbers.ts';
import { equals, literals } from '../schema/columns.ts';
import { dayFigureChanges as g, dayFigures as n } from '../schema/console/figures.ts';
import { invoices as i } from '../schema/invoices.ts';
import { listCounts as c, listCountChanges as h, removedInvoices as r } from '../schema/lists.ts';
import { statement } from '../statement.ts';
import { at, columnsOf, like, names } from '../statement-parts.ts';

const { count: _, units: __, microUsd: ___, feeMicroUsd: ____, ...KEY } = getTableColumns(n);
const SCOPE = names(n.merchantId, n.sandbox);
const KEY_NAMES = names(...Object.values(KEY));
const SUMS = { count: n.count, units: n.units, microUsd: n.microUsd, feeMicroUsd: n.feeMicroUsd };
const SUM_NAMES = names(...Object.values(SUMS));
const S = columnsOf('s', { ...KEY, ...SUMS });
const summed = {
  count: sql`sum(${S.count})`.mapWith(Number),
  units: like(n.units, sql`sum(${S.units})`),
  microUsd: like(n.microUsd, sql`sum(${S.microUsd})`),
  feeMicroUsd: like(n.feeMicroUsd, sql`sum(${S.feeMicroUsd})`),
};
const SUM_LIST = sql.join(Object.values(summed), sql`, `);

/** Rows of both tables that fit. */
const stored = (fits: (t: typeof n | typeof g) => SQL) => sql`(
  select ${KEY_NAMES}, ${SUM_NAMES} from ${n} where ${fits(n)}
  union all select ${KEY_NAMES}, ${SUM_NAMES} from ${g} where ${fits(g)}) s`;

const DAY_SUMS = statement({
  given: { merchantId: n.merchantId, sandbox: n.sandbox, first: n.day, last: n.day },
  selects: { day: S.day, figure: S.figure, label: S.label, ...summed },
  text: ({ merchantId, sandbox, first, last }, select) => sql`
    select ${select} from ${stored(
      (t) => sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox}
        and ${t.day} between ${first} and ${last}`,
    )}
    group by ${S.day}, ${S.figure}, ${S.label}
    having (${SUM_LIST}) <> (0, 0, 0, 0) order by ${S.day}, ${S.figure}, ${S.label}`,
});
const BALANCE_BEFORE = statement({
  given: { merchantId: n.merchantId, sandbox: n.sandbox, day: n.day },
  selects: { microUsd: like(n.microUsd, sql`coalesce(sum(${S.microUsd}), 0)`) },
  text: ({ merchantId, sandbox, day }, select) => sql`
    select ${select} from ${stored(
      (t) => sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox} and ${t.day} < ${day}
        and ${equals(t.figure, 'balance')}`,
    )}`,
});

const isRemoved = (t: typeof n | typeof g) =>
  sql`${equals(t.figure, 'invoices')} and ${equals(t.label, REMOVED)}`;
// The numbers of invoices follow their times. So a day's rows are the numbers between its last one
// and the last one before it, less those that were removed; these were counted by their day.
const CREATED = statement({
  given: { merchantId: i.merchantId, sandbox: i.sandbox, first: n.day, last: n.day },
  selects: {
    rowsBefore: sql`coalesce(found.before - gone.before, 0)`.mapWith(Number),
    removed: sql`coalesce(removed.count, 0)`.mapWith(Number),
  },
  text: ({ merchantId, sandbox, first, last }, select) => sql`
    select ${select}
    from generate_series(${first}::date::timestamp, ${last}::date + interval '1 day', interval '1 day') as d (day)
    left join lateral (
      select ${i.seq} as before from ${i}
      where ${i.merchantId} = ${merchantId} and ${i.sandbox} = ${sandbox}
        and ${i.createdAt} < d.day at time zone 'UTC'
      order by ${i.createdAt} desc, ${i.seq} desc limit 1) found on true
    left join lateral (
      select ${removedWithin({ merchantId, sandbox }, { first: sql`1`, last: sql`found.before` })} as before) gone on true
    left join (
      select ${S.day}, sum(${S.count}) as count from ${stored(
        (t) => sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox}
          and ${isRemoved(t)} and ${t.day} >= ${first} and ${t.day} <= ${last}`,
      )} group by ${S.day}) removed on removed.day = d.day::date
    order by d.day`,
});

const BY_STATUS = statement({
  given: { merchantId: c.merchantId, sandbox: c.sandbox },
  selects: { status: sql<InvoiceStatus>`label`, rows: sql`sum(rows)`.mapWith(Number) },
  text: ({ merchantId, sandbox }, select) => {
    const of = (t: typeof c | typeof h) =>
      sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox} and ${equals(t.list, 'invoices')}`;
    return sql`
      select ${select} from (
        select ${names(c.label)}, ${c.value} as rows from ${c} where ${of(c)}
        union all select ${h.label}, ${h.change} from ${h} where ${of(h)}) counted
      group by 1 having sum(rows) <> 0`;
  },
});

export function merchantFigures(on: Sql): MerchantFigures {
  return {
    daySums: ({ merchantId, sandbox }, { first, last }) => DAY_SUMS(on, { merchantId, sandbox, first, last }),
    async createdPerDay({ merchantId, sandbox }, { first, last }) {
      const rows = await CREATED(on, { merchantId, sandbox, first, last });
      return rows
        .slice(1)
        .map(({ rowsBefore }, place) => rowsBefore - rows[place]!.rowsBefore + rows[place]!.removed);
    },
    async invoicesByStatus({ merchantId, sandbox }) {
      const rows = await BY_STATUS(on, { merchantId, sandbox });
      return Object.fromEntries(rows.map(({ status, rows: count }) => [status, count]));
    },
    balanceBefore: async ({ merchantId, sandbox }, day) =>
      theOnly(await BALANCE_BEFORE(on, { merchantId, sandbox, day }), 'a balance').microUsd,
  };
}

const fold = folding({
  ...{ sums: n, changes: g, key: Object.values(KEY) },
  adds: Object.values(SUMS).map((sum) => ({ sum, change: sum })),
});

export function dayFigureRepository(on: Sql): DayFigureRepository {
  return { fold: (limit) => fold(on, limit) };
}

const DIGITS = [n.count, n.units, n.microUsd, n.feeMicroUsd];
const digits = (source: string) =>
  sql.join(
    DIGITS.map((sum) => sql`coalesce(${at(source, sum)}, 0)`),
    sql`, `,
  );

/** For reconciliation: selects `reference, expected, found`. */
export const DAY_FIGURE_CHECK = sql`
  with made (${KEY_NAMES}, ${SUM_NAMES}) as (
    select ${KEY_NAMES}, sum(${names(n.count)}), sum(${names(n.units)}), sum(${names(n.microUsd)}),
      sum(${names(n.feeMicroUsd)})
    from entry_figures group by 1, 2, 3, 4, 5
    union all
    select ${i.merchantId}, ${i.sandbox}, (${i.createdAt} at time zone 'UTC')::date, ${literals(['invoices'])},
      ${i.status}, count(*), 0, 0, 0
    from ${i} where not ${equals(i.status, 'created')} group by 1, 2, 3, 5),
  kept (${KEY_NAMES}, ${SUM_NAMES}) as (
    select ${KEY_NAMES}, ${SUM_LIST} from ${stored((t) => sql`not (${isRemoved(t)})`)} group by ${KEY_NAMES}),
  removed (${SCOPE}, count) as (
    select ${names(r.merchantId, r.sandbox)}, sum(${r.count})::bigint from ${r} group by 1, 2),
  removed_by_day (${SCOPE}, count) as (
    select ${names(n.merchantId, n.sandbox)}, sum(${S.count})::bigint from ${stored(isRemoved)} group by 1, 2)
  select concat_ws(' ', ${names(n.merchantId)}, case when ${names(n.sandbox)} then 'sandbox' else 'live' end,
      ${names(n.day, n.figure, n.label)}) as reference,
    concat_ws(' ', ${digits('made')}) as expected, concat_ws(' ', ${digits('kept')}) as found
  from made full join kept using (${KEY_NAMES})
  where (${digits('made')}) <> (${digits('kept')})
  union all
  select concat_ws(' ', ${names(n.merchantId)}, case when ${names(n.sandbox)} then 'sandbox' else 'live' end,
      'removed invoices'), coalesce(removed.count, 0)::text, coalesce(removed_by_day.count, 0)::text
  from removed full join removed_by_day using (${SCOPE})
  where coalesce(removed.count, 0) <> coalesce(removed_by_day.count, 0)`;
