/** Webhook rows are written in the transition's own transaction, at most one per (invoice, version). */
import type { WebhookOutbox } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';

const ENQUEUE = `
  with delivery as (
    insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, body)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (invoice_id, invoice_version) where invoice_version is not null do nothing
    returning id, merchant_id)
  insert into webhook_queue (delivery_id, merchant_id, due_at, attempts)
  select id, merchant_id, $8::timestamptz, 0 from delivery`;

export function webhookOutbox(sql: Sql): WebhookOutbox {
  return {
    async enqueue(delivery) {
      await sql.query(ENQUEUE, [
        delivery.id,
        delivery.invoiceId,
        delivery.merchantId,
        delivery.sandbox,
        delivery.invoiceVersion,
        delivery.url,
        delivery.body,
        delivery.dueAt,
      ]);
    },
  };
}
