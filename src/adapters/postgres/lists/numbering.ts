/**
 * Dense numbers within a merchant's lists. A number is taken under its counter's row lock and commits with its row, so the
 * numbers have no gaps, and `at` never runs backwards along them. Counters are locked after all other rows, those of events last.
 */
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';

export type Stream = 'invoices' | 'payouts' | 'ledger' | 'notifications' | 'events';

const NEXT = `
  update counters set value = value + 1, last_at = greatest(last_at, $4)
  where merchant_id = $1 and sandbox = $2 and stream = $3
  returning value as seq, last_at as at`;

/**
 * CTEs that take the numbers of many rows in one statement. They read `wanted (merchant_id, sandbox,
 * stream, lines, latest)`: how many rows, and the latest of their times, a row for each counter. They
 * give `counter (merchant_id, sandbox, stream, value, last_at)`: the numbers follow `value`, and no
 * row's time may be before `last_at`. Both are read under the lock, so that nobody else takes these
 * numbers, and neither ever falls. Locks are taken in one order, so that two sets cannot wait for
 * each other. An unknown merchant is missing from `counter`.
 */
export const TAKE_NUMBERS = `
  counter as materialized (
    select c.merchant_id, c.sandbox, c.stream, c.value, c.last_at, w.lines, w.latest
    from counters c join wanted w using (merchant_id, sandbox, stream)
    order by c.merchant_id, c.sandbox, c.stream for no key update of c),
  counted as (
    update counters c set value = k.value + k.lines, last_at = greatest(k.last_at, k.latest)
    from counter k
    where c.merchant_id = k.merchant_id and c.sandbox = k.sandbox and c.stream = k.stream)`;

/** The next number, and the time of its row: `at`, or the time of the row before it when that is later. */
export async function nextNumber(
  sql: Sql,
  of: { merchantId: string; sandbox: boolean; stream: Stream; at: Date },
): Promise<{ seq: string; at: Date }> {
  const rows = await sql.query<{ seq: string; at: Date }>(NEXT, [
    of.merchantId,
    of.sandbox,
    of.stream,
    of.at,
  ]);
  return theOnly(rows, `counter ${of.stream} of merchant ${of.merchantId}`);
}
