/** Webhook rows are written in the transition's own transaction, at most one per (invoice, version). */
import { destinationOf } from '../../domain/webhook-url.ts';
import type { NewDelivery, WebhookOutbox } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';

const ENQUEUE = `
  with given as materialized (
    select * from json_to_recordset($1::json) as g (
      id text, invoice_id text, merchant_id text, sandbox boolean, invoice_version integer, url text, body text,
      destination text, due_at timestamptz)),
  delivery as (
    insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, body)
    select id, invoice_id, merchant_id, sandbox, invoice_version, url, body from given
    on conflict (invoice_id, invoice_version) where invoice_version is not null do nothing
    returning id, merchant_id)
  insert into webhook_queue (delivery_id, merchant_id, destination, due_at, attempts)
  select d.id, d.merchant_id, g.destination, g.due_at, 0 from delivery d join given g using (id)`;

export function webhookOutbox(sql: Sql): WebhookOutbox {
  const enqueueAll = async (deliveries: readonly NewDelivery[]): Promise<void> => {
    if (deliveries.length > 0) await sql.query(ENQUEUE, [JSON.stringify(deliveries.map(rowOf))]);
  };
  return { enqueue: (delivery) => enqueueAll([delivery]), enqueueAll };
}

function rowOf(delivery: NewDelivery): Record<string, unknown> {
  return {
    id: delivery.id,
    invoice_id: delivery.invoiceId,
    merchant_id: delivery.merchantId,
    sandbox: delivery.sandbox,
    invoice_version: delivery.invoiceVersion,
    url: delivery.url,
    body: delivery.body,
    destination: destinationOf(delivery.url),
    due_at: delivery.dueAt,
  };
}
