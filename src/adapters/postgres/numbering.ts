/**
 * Dense numbers within a merchant's lists. A number is taken under its counter's row lock and commits with its row, so the
 * numbers have no gaps, and `at` never runs backwards along them. Counters are locked after all other rows.
 */
import type { Sql } from './client.ts';
import { theOnly } from './statements.ts';

export type Stream = 'invoices' | 'payouts' | 'ledger' | 'notifications';

const NEXT = `
  update counters set value = value + 1, last_at = greatest(last_at, $4)
  where merchant_id = $1 and sandbox = $2 and stream = $3
  returning value as seq, last_at as at`;

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
