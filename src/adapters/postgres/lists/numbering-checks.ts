/**
 * Reconciliation's checks of the lists' dense numbers: each selects `reference, expected, found`.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { equals } from '../schema/columns.ts';
import { invoices } from '../schema/invoices.ts';
import { ledgerEntries } from '../schema/ledger.ts';
import { counters as c, type Stream } from '../schema/merchants.ts';
import { payouts } from '../schema/payouts.ts';
import { webhookDeliveries as d, webhookAttempts } from '../schema/webhooks.ts';
import { names } from '../statement-parts.ts';

export const NUMBERING_CHECKS: Readonly<Record<string, SQL>> = {
  'invoices are numbered without gaps': numbering('invoices', invoices, invoices.seq, invoices.createdAt),
  'payouts are numbered without gaps': numbering('payouts', payouts, payouts.seq, payouts.createdAt),
  'the ledger feed is numbered without gaps': numbering(
    'ledger',
    ledgerEntries,
    ledgerEntries.feedSeq,
    ledgerEntries.at,
  ),
  // Attempts are numbered as they end, so the times they were sent may cross.
  'attempts are numbered without gaps': numbering(
    'notifications',
    webhookAttempts,
    webhookAttempts.seq,
    null,
  ),
  // Replays repeat a number.
  'events are numbered without gaps': numbering(
    'events',
    d,
    sql`case when ${d.eventAt} is not null then ${d.eventSeq} end`,
    d.eventAt,
  ),
};

/** Numbers run from 1 to the counter's value without a gap, and times never decrease along them. */
function numbering(
  stream: Stream,
  table: PgTable & { readonly merchantId: AnyColumn; readonly sandbox: AnyColumn },
  key: AnyColumn | SQL,
  time: AnyColumn | null,
): SQL {
  const scope = names(c.merchantId, c.sandbox);
  const backwards =
    time === null ? sql`false` : sql`${time} < lag(${time}) over (partition by ${scope} order by ${key})`;
  return sql`
    with numbered as (
      select ${table.merchantId}, ${table.sandbox}, ${key} as seq, ${backwards} as backwards
      from ${table} where ${key} is not null),
    counted as (
      select ${scope}, count(*) as rows, max(seq) as last, bool_or(backwards) as backwards
      from numbered group by ${scope})
    select ${c.merchantId} || case when ${c.sandbox} then ' sandbox' else ' live' end as reference,
      ${c.value}::text as expected,
      format('%s rows up to %s%s', coalesce(n.rows, 0), coalesce(n.last, 0),
        case when n.backwards then ', times running backwards' else '' end) as found
    from ${c} left join counted n using (${scope})
    where ${equals(c.stream, stream)} and (${c.value} <> coalesce(n.rows, 0)
      or ${c.value} <> coalesce(n.last, 0) or coalesce(n.backwards, false))`;
}
