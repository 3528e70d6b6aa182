/**
 * Dense numbers within a merchant's lists. A number is taken under its counter's row lock and
 * commits with its row, so the numbers have no gaps, and `at` never decreases along them. Counters
 * are locked after all other rows, those of events last.
 */
import { sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { counters as c, type Stream } from '../schema/merchants.ts';
import { statement } from '../statement.ts';
import { at, names, set } from '../statement-parts.ts';

const NEXT = statement({
  given: { merchantId: c.merchantId, sandbox: c.sandbox, stream: c.stream, latest: c.lastAt },
  selects: { seq: c.value, at: c.lastAt },
  text: ({ merchantId, sandbox, stream, latest }, select) => sql`
    update ${c} set ${set(c, {
      value: sql<bigint>`${c.value} + 1`,
      lastAt: sql<Date>`greatest(${c.lastAt}, ${latest})`,
    })}
    where ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox} and ${c.stream} = ${stream}
    returning ${select}`,
});

/**
 * CTEs that take the numbers of many rows in one statement. They read `wanted (merchant_id,
 * sandbox, stream, lines, latest)`: a row per counter with the number of rows and their latest
 * time. They give `counter (merchant_id, sandbox, stream, value, last_at)`: the numbers follow
 * `value`, and no row's time may be before `last_at`. Both are read under the lock, so that no
 * other transaction takes these numbers, and neither ever falls. Locks are taken in one order, so
 * that two sets cannot wait for each other. An unknown merchant is missing from `counter`.
 */
export const TAKE_NUMBERS = sql`
  counter as materialized (
    select ${c.merchantId}, ${c.sandbox}, ${c.stream}, ${c.value}, ${c.lastAt}, wanted.lines, wanted.latest
    from ${c} join wanted using (${names(c.merchantId, c.sandbox, c.stream)})
    order by ${c.merchantId}, ${c.sandbox}, ${c.stream} for no key update of ${c}),
  counted as (
    update ${c} set ${set(c, {
      value: sql<bigint>`${at('counter', c.value)} + counter.lines`,
      lastAt: sql<Date>`greatest(${at('counter', c.lastAt)}, counter.latest)`,
    })}
    from counter
    where ${c.merchantId} = ${at('counter', c.merchantId)} and ${c.sandbox} = ${at('counter', c.sandbox)}
      and ${c.stream} = ${at('counter', c.stream)})`;
/** The columns of `counter` in TAKE_NUMBERS. */
export const COUNTER = { value: at('counter', c.value), lastAt: at('counter', c.lastAt) };

/**
 * The next number and the time of its row: `latest`, or the previous row's time if that is later.
 */
export async function nextNumber(
  on: Sql,
  of: { merchantId: string; sandbox: boolean; stream: Stream; latest: Date },
): Promise<{ seq: bigint; at: Date }> {
  return theOnly(await NEXT(on, of), `counter ${of.stream} of merchant ${of.merchantId}`);
}
