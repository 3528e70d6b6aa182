/** What merchants were told of, in order: read by its dense number, so that any place in it costs the same. */
import type { MerchantEvent, Queries, Scope } from '../../../ports/queries.ts';
import type { Sql } from '../client/sql.ts';

// One statement is one snapshot: a number that is committed has all smaller ones beside it (webhook-outbox.ts).
const AFTER = `
  with page as materialized (
    select event_seq, event_at, payout_id, body from webhook_deliveries
    where merchant_id = $1 and sandbox = $2 and event_seq > $3 and event_at is not null
    order by event_seq limit $4)
  select c.value as last, p.event_seq as seq, p.event_at as at, p.body,
    case when p.payout_id is null then 'invoice.' else 'payout.' end || (p.body::json ->> 'status') as type
  from counters c left join page p on true
  where c.merchant_id = $1 and c.sandbox = $2 and c.stream = 'events' order by p.event_seq`;

/** `seq` is null in the one row that carries the last number of an empty page. */
type Row = { readonly last: string } & (
  | { readonly seq: null }
  | { readonly seq: string; readonly at: Date; readonly body: string; readonly type: string }
);

export async function eventsAfter(
  sql: Pick<Sql, 'query'>,
  scope: Scope,
  { after, limit }: Parameters<Queries['events']>[1],
): ReturnType<Queries['events']> {
  const rows = await sql.query<Row>(AFTER, [scope.merchantId, scope.sandbox, after, limit]);
  const events = rows.flatMap((row): MerchantEvent[] =>
    row.seq === null ? [] : [{ seq: Number(row.seq), type: row.type, createdAt: row.at, body: row.body }],
  );
  return { events, last: Number(rows[0]?.last ?? 0) };
}
