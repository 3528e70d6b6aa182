/**
 * Webhooks and events are written with the last statement of the transaction that made them, at most one per (invoice, version). So a
 * merchant's counter of events is locked after everything else, in one order, and for no longer than a commit: numbers come in the order of
 * commits, and no two transactions can wait for each other because of them.
 */
import { destinationOf } from '../../../domain/webhooks/webhook-url.ts';
import type { NewDelivery, WebhookOutbox } from '../../../ports/webhooks/webhook-outbox.ts';
import type { Sql } from '../client/sql.ts';
import { TAKE_NUMBERS } from '../lists/numbering.ts';
import { asText } from '../statement.ts';
import { eventsToTellAgain, queueAgain } from './events-again.ts';

// What is there already takes no number. The invoice is locked by this transaction: nobody else writes the same one meanwhile.
// A merchant that a process of before events were numbered created has no counter of them: the first event opens it. Of two at once
// the later waits for the earlier, and goes on from its numbers.
const WRITE = `
  with given as materialized (
    select * from json_to_recordset($1::json) as g (
      position integer, id text, invoice_id text, payout_id text, merchant_id text, sandbox boolean, invoice_version integer,
      url text, opening text, format text, foreign_body text, destination text, due_at timestamptz, event_at timestamptz)
    where not exists (
      select from webhook_deliveries d where d.invoice_id = g.invoice_id and d.invoice_version = g.invoice_version)),
  wanted as materialized (
    select merchant_id, sandbox, 'events' as stream, count(*) as lines, max(event_at) as latest
    from given where event_at is not null group by 1, 2),
  ${asText(TAKE_NUMBERS)},
  opened as (
    insert into counters as c (merchant_id, sandbox, stream, value, last_at)
    select merchant_id, sandbox, stream, lines, latest from wanted
    where (merchant_id, sandbox) not in (select merchant_id, sandbox from counter) order by merchant_id, sandbox
    on conflict (merchant_id, sandbox, stream) do update
    set value = c.value + excluded.value, last_at = greatest(c.last_at, excluded.last_at)
    returning merchant_id, sandbox, value, last_at),
  numbers as (
    select merchant_id, sandbox, value, last_at from counter
    union all
    select merchant_id, sandbox, o.value - w.lines, o.last_at from opened o join wanted w using (merchant_id, sandbox)),
  told as (
    select g.*, case when g.event_at is not null then c.value + row_number() over place else (
        select d.event_seq from webhook_deliveries d where d.invoice_id = g.invoice_id and d.invoice_version is not null
        order by d.invoice_version desc limit 1) end as seq,
      case when g.event_at is not null then greatest(c.last_at, max(g.event_at) over place) end as at
    from given g left join numbers c
      on g.event_at is not null and c.merchant_id = g.merchant_id and c.sandbox = g.sandbox
    window place as (partition by g.merchant_id, g.sandbox, g.event_at is not null order by g.position)),
  delivery as (
    insert into webhook_deliveries
      (id, invoice_id, payout_id, merchant_id, sandbox, invoice_version, url, format, foreign_body, body, event_seq, event_at)
    select id, invoice_id, payout_id, merchant_id, sandbox, invoice_version, url, format, foreign_body,
      opening || ',"event_seq":' || coalesce(seq::text, 'null') || '}', seq, at
    from told)
  insert into webhook_queue (delivery_id, merchant_id, destination, due_at, attempts)
  select id, merchant_id, destination, due_at, 0 from given where url is not null`;

/** `flush` writes what was enqueued: the transaction's last statement. */
export function webhookOutbox(sql: Sql): { readonly outbox: WebhookOutbox; flush(): Promise<void> } {
  const kept: NewDelivery[] = [];
  return {
    outbox: {
      enqueue: async (delivery) => void kept.push(delivery),
      toTellAgain: (scope, wanted, most) => eventsToTellAgain(sql, scope, wanted, most),
      tellAgain: (deliveries, dueAt) => queueAgain(sql, deliveries, dueAt),
    },
    async flush() {
      if (kept.length > 0) await sql.query(WRITE, [JSON.stringify(kept.map(rowOf))]);
    },
  };
}

function rowOf(delivery: NewDelivery, position: number): Record<string, unknown> {
  return {
    position,
    id: delivery.id,
    invoice_id: delivery.invoiceId,
    payout_id: delivery.payoutId,
    merchant_id: delivery.merchantId,
    sandbox: delivery.sandbox,
    invoice_version: delivery.invoiceVersion,
    url: delivery.url,
    // Without its closing brace, which follows the number: to take it off there would cost more than all the rest.
    opening: delivery.body.slice(0, -1),
    format: delivery.foreign?.format ?? 'native_v2',
    foreign_body: delivery.foreign?.body ?? null,
    destination: delivery.url === null ? null : destinationOf(delivery.url),
    due_at: delivery.dueAt,
    event_at: delivery.eventAt,
  };
}
