/**
 * What the service writes for a backlog of a merchant, in plain SQL: sets, a transaction for each.
 * Nothing is decided here.
 */
import type { SQL } from 'bun';
import { PAID_INVOICE_EXAMPLE } from '../../src/adapters/http/invoices/invoice-view.ts';
import { packed } from '../../src/adapters/postgres/client/packed-text.ts';

/** As large as the worker's steps. */
const EXPIRED_AT_ONCE = 2_000;
const REPLAYED_AT_ONCE = 500;

/** Repeats a statement with the merchant's id and the size of a set until it changes nothing. */
async function untilDone(sql: SQL, statement: string, merchantId: string, atOnce: number): Promise<void> {
  let changed: number;
  do ({ count: changed } = await sql.unsafe(statement, [merchantId, atOnce]));
  while (changed > 0);
}

export function expireInSets(sql: SQL, merchantId: string): Promise<void> {
  return untilDone(
    sql,
    `update invoices set status = 'expired', version = version + 1, processed_at = now(), updated_at = now()
     where id = any (array(
       select id from invoices where merchant_id = $1 and status = 'created' order by expires_at, id limit $2))`,
    merchantId,
    EXPIRED_AT_ONCE,
  );
}

/** Ids of long ago, and times of the service's precision: a replay comes after what it replays. */
const GIVEN_UP = `
  insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, packed_body, told_status)
  select '00' || substr(md5('w' || id), 1, 22), id, merchant_id, sandbox, null, notify_url, $2::bytea, status
  from invoices where merchant_id = $1`;
const QUEUED = `
  insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, dead_at, attempts)
  select id, merchant_id, sandbox, url, now(), date_trunc('milliseconds', now()), 10 from webhook_deliveries where merchant_id = $1`;

/**
 * Leaves in the queue one webhook of each of the merchant's invoices, which its receiver refused
 * for good.
 */
export async function giveUpAll(sql: SQL, merchantId: string): Promise<void> {
  await sql.unsafe('delete from webhook_queue');
  await sql.unsafe(GIVEN_UP, [merchantId, packed(JSON.stringify(PAID_INVOICE_EXAMPLE))]);
  await sql.unsafe(QUEUED, [merchantId]);
}

export function replayInSets(sql: SQL, merchantId: string): Promise<void> {
  return untilDone(
    sql,
    `with dead as materialized (
       select d.id, d.invoice_id, d.sandbox, d.url, d.told_status, d.packed_body
       from webhook_queue q join webhook_deliveries d on d.id = q.delivery_id
       where q.merchant_id = $1 and q.dead_at is not null and not exists (
         select from webhook_deliveries later
         where later.invoice_id = d.invoice_id and later.invoice_version is null and later.id <> d.id)
       order by q.dead_at, q.delivery_id limit $2),
     delivery as (
       insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, url, packed_body, told_status)
       select substr(md5('r' || id), 1, 24), invoice_id, $1, sandbox, url, packed_body, told_status from dead
       returning id, merchant_id, sandbox, url)
     insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts)
     select id, merchant_id, sandbox, url, now(), 0 from delivery`,
    merchantId,
    REPLAYED_AT_ONCE,
  );
}
