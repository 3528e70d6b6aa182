/**
 * Sums that writers never wait for: they add changes to a table beside it, and a job folds these
 * into the sums. A read adds both up in one snapshot.
 */
import { type AnyColumn, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { statement } from '../statement.ts';
import { at, commas, names, value } from '../statement-parts.ts';

interface Folded {
  readonly sums: PgTable;
  readonly changes: PgTable;
  /** The key of the sums; the changes have the same names. */
  readonly key: readonly AnyColumn[];
  /** Each sum, with the column of its changes. */
  readonly adds: readonly { readonly sum: AnyColumn; readonly change: AnyColumn }[];
}

/**
 * Takes up to `limit` changes, and returns how many. Several workers may fold in parallel: each
 * takes other changes, and all lock the sums in one order.
 */
export function folding({ sums, changes, key, adds }: Folded): (on: Sql, limit: number) => Promise<number> {
  const keys = names(...key);
  const totals = names(...adds.map(({ sum }) => sum));
  const fold = statement({
    given: { limit: value<number>('bigint') },
    selects: { taken: sql`count(*)`.mapWith(Number) },
    text: ({ limit }, select) => sql`
      with taken as (
        delete from ${changes}
        where ctid = any (array(select ctid from ${changes} limit ${limit} for update skip locked))
        returning ${keys}, ${names(...adds.map(({ change }) => change))}),
      folded as (
        insert into ${sums} (${keys}, ${totals})
        select ${keys}, ${commas(adds.map(({ change }) => sql`sum(${at('taken', change)})`))}
        from taken group by ${keys} order by ${keys}
        on conflict (${keys}) do update set ${commas(
          adds.map(({ sum }) => sql`${names(sum)} = ${sum} + ${at('excluded', sum)}`),
        )})
      select ${select} from taken`,
  });
  return async (on, limit) => theOnly(await fold(on, { limit }), 'folding of changes').taken;
}
