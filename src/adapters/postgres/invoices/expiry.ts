/**
 * Invoices whose time has passed, found by an index of what may end now and ended many at a time: what cannot end yet, since
 * its chain is behind, is not even looked at (safety.md W3).
 */
import { CHAINS } from '../../../domain/catalog/chain.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { ExpiryQuery } from '../../../ports/invoices/invoice-repository.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Sql } from '../client/sql.ts';
import { prefixed } from '../client/statements.ts';
import { EXPIRY_CHAIN } from './expiry-chain.ts';
import { INVOICE_COLUMNS, type InvoiceRow, invoiceFromRow } from './invoice-row.ts';

// $1 now; $2 and $3 the chains, and until when each was read: invoices on it that expire later must wait. Of one that is
// not watched that is now. $5 what the chain that was read furthest says of the time: a clock that is ahead must not end those
// without an asset either (safety.md K7).
const CHAIN = `
  chain as materialized (select * from unnest($2::text[], $3::timestamptz[]) as c (name, read_until))`;

/** The whole rule, of an invoice `i`. A payment for an earlier choice counts too, while nothing else was paid (app/deposits/record-transfer.ts). */
const IS_OVER = `
  i.expires_at <= $1 and (i.sandbox or i.asset is not null or i.expires_at <= $5) and (i.sandbox or not exists (
    select from chain where chain.read_until < i.expires_at
      and (chain.name = split_part(i.asset, '_', 2)
        or (i.status = 'created' and chain.name in (
          select split_part(choice ->> 'asset', '_', 2)
          from jsonb_array_elements(i.earlier_choices::jsonb) as earlier (choice))))))`;

/** `due`: the ids of up to $4 invoices that are over, oldest first, from the part of the index that was read far enough. */
const due = (status: string): string => `
  ${CHAIN},
  due as materialized (
    select i.id from (select '' as name, $1::timestamptz as read_until union all select * from chain) as c
    cross join lateral (
      select i.id, i.expires_at from invoices i
      where (${EXPIRY_CHAIN}) = c.name and i.expires_at <= c.read_until and ${status} and ${IS_OVER}
      order by i.expires_at, i.id limit $4) i
    order by i.expires_at, i.id limit $4)`;

// The lock looks at the rule again: an invoice may have been paid, or its asset changed, since it was found.
const locked = (status: string, columns: string): string => `
  select ${columns} from invoices i
  where i.id = any (array(select id from due)) and ${status} and ${IS_OVER}
  order by i.expires_at, i.id for no key update of i skip locked`;

const UNPAID = `i.status = 'created'`;
const PARTLY_PAID = `i.status = 'partially_paid' and i.billing_type = 'STATIC'`;

// domain/invoices/invoice.ts, ttlPassed: no webhook tells of it, so nothing of these invoices need be read.
const EXPIRE_UNPAID = `
  with ${due(UNPAID)},
  locked as materialized (${locked(UNPAID, 'i.id, i.expires_at')}),
  ended as (
    update invoices i set status = 'expired', version = i.version + 1, processed_at = $1,
      updated_at = greatest($1, i.updated_at, i.created_at)
    where i.id = any (array(select id from locked)) returning i.id)
  select l.id from ended join locked l using (id) order by l.expires_at, l.id`;

const LOCK_PARTLY_PAID = `with ${due(PARTLY_PAID)} ${locked(PARTLY_PAID, prefixed('i', INVOICE_COLUMNS))}`;

// The planner underrates how many invoices are over, and would read and sort all of them for each step: in the order of the
// index it reads a step's.
const IN_ORDER = `
  select set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`;

/** Within a transaction of its own, as lockOverduePartlyPaid: it decides on plans for the rest of it. */
export async function expireUnpaid(sql: Sql, query: ExpiryQuery): Promise<readonly string[]> {
  await sql.query(IN_ORDER);
  const rows = await sql.query<{ id: string }>(EXPIRE_UNPAID, parametersOf(query));
  return rows.map((row) => row.id);
}

export async function lockOverduePartlyPaid(sql: Sql, query: ExpiryQuery): Promise<readonly Invoice[]> {
  await sql.query(IN_ORDER);
  return (await sql.query<InvoiceRow>(LOCK_PARTLY_PAID, parametersOf(query))).map(invoiceFromRow);
}

function parametersOf({ now, coveredUntil, limit }: ExpiryQuery): SqlParameter[] {
  const readUntil = CHAINS.map(({ name }) => {
    const covered = coveredUntil.get(name);
    return covered === undefined ? now : (covered ?? '-infinity');
  });
  const latest = [...coveredUntil.values()].reduce(
    (a, b) => ((a?.getTime() ?? 0) < (b?.getTime() ?? 0) ? b : a),
    null,
  );
  return [now, CHAINS.map(({ name }) => name), readUntil, limit, latest ?? now];
}
