/**
 * Invoices whose time has passed, found by an index of those that may end now and ended many at a
 * time. Those whose chain is behind are not even read (safety.md W3).
 */
import { type SQL, sql } from 'drizzle-orm';
import { CHAINS } from '../../../domain/catalog/chain.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { DueInvoice, ExpiryQuery } from '../../../ports/invoices/invoice-repository.ts';
import type { Sql } from '../client/sql.ts';
import { equals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { type PlacesOf, statement } from '../statement.ts';
import { listOf, names, set, value } from '../statement-parts.ts';
import { EXPIRY_CHAIN } from './expiry-chain.ts';
import { INVOICE, invoiceFromRow } from './invoice-row.ts';

/**
 * `readUntil`: until when each chain was read; invoices on it that expire later must wait. For a
 * chain that is not watched it is the present time, so that nothing waits for it. `latest`: the
 * time by the chain that was read furthest: a clock that is ahead must not end invoices without an
 * asset either (safety.md K7).
 */
const RULE = {
  now: value<Date>('timestamptz'),
  chains: value<readonly string[]>('text[]'),
  readUntil: value<readonly (Date | '-infinity')[]>('timestamptz[]'),
  latest: value<Date>('timestamptz'),
};
const OLDEST = { ...RULE, limit: value<number>('bigint') };
const AMONG = { ...RULE, ids: listOf(i.id) };
const AFTER = { ...OLDEST, afterAt: value<Date | '-infinity'>('timestamptz'), afterId: i.id };
type Given = PlacesOf<typeof RULE>;

/**
 * The whole rule. A payment for an earlier choice counts too, while nothing else was paid
 * (app/deposits/record-transfer.ts).
 */
const isOver = ({ now, latest }: Given) => sql`
  ${i.expiresAt} <= ${now} and (${i.sandbox} or ${i.asset} is not null or ${i.expiresAt} <= ${latest})
  and (${i.sandbox} or not exists (
    select from chain where chain.read_until < ${i.expiresAt}
      and (chain.name = split_part(${i.asset}, '_', 2)
        or (${equals(i.status, 'created')} and chain.name in (
          select split_part(choice ->> 'asset', '_', 2)
          from jsonb_array_elements(${i.earlierChoices}::jsonb) as earlier (choice))))))`;

const chain = ({ chains, readUntil }: Given) => sql`
  chain as materialized (select * from unnest(${chains}, ${readUntil}) as c (name, read_until))`;

/**
 * `due`: up to `limit` ended invoices, oldest first, from the part of the index that was read far
 * enough.
 */
const oldest = (given: PlacesOf<typeof OLDEST>, status: SQL, isAfter = sql``) => sql`
  ${chain(given)},
  due as materialized (
    select ${i.id}, ${i.merchantId}, ${i.expiresAt}
    from (select '' as name, ${given.now} as read_until union all select * from chain) as c
    cross join lateral (
      select ${i.id}, ${i.merchantId}, ${i.expiresAt} from ${i}
      where (${sql.raw(EXPIRY_CHAIN)}) = c.name and ${i.expiresAt} <= c.read_until and ${status} and ${isOver(given)}
        ${isAfter}
      order by ${i.expiresAt}, ${i.id} limit ${given.limit}) ${i}
    order by ${i.expiresAt}, ${i.id} limit ${given.limit})`;
/** `due`: the given ones, ended or not. */
const among = (given: PlacesOf<typeof AMONG>) => sql`
  ${chain(given)}, due as materialized (select unnest(${given.ids}) as ${names(i.id)})`;

// The lock checks the rule again: an invoice may have been paid, or its asset changed, since it was
// found.
const locked = (given: Given, status: SQL, select: SQL) => sql`
  select ${select} from ${i}
  where ${i.id} = any (array(select ${names(i.id)} from due)) and ${status} and ${isOver(given)}
  order by ${i.expiresAt}, ${i.id} for no key update of ${i} skip locked`;

const UNPAID = equals(i.status, 'created');
const PARTLY_PAID = sql`${equals(i.status, 'partially_paid')} and ${equals(i.billingType, 'STATIC')}`;
/** They wait for their payment, or for the rest of it. */
export const STILL_PAYABLE = sql`(${UNPAID} or (${PARTLY_PAID}))`;

// domain/invoices/invoice.ts, ttlPassed: it sends no webhook, so these invoices need not be read.
const expire = (given: Given, due: SQL, select: SQL) => sql`
  with ${due},
  locked as materialized (${locked(given, UNPAID, sql`${i.id}, ${i.expiresAt}`)}),
  ended as (
    update ${i} set ${set(i, {
      status: sql<'expired'>`'expired'`,
      version: sql<number>`${i.version} + 1`,
      processedAt: given.now,
      updatedAt: sql<Date>`greatest(${given.now}, ${i.updatedAt}, ${i.createdAt})`,
    })}
    where ${i.id} = any (array(select ${names(i.id)} from locked)) returning ${i.id})
  select ${select} from ended join locked ${i} using (${names(i.id)}) order by ${i.expiresAt}, ${i.id}`;
const EXPIRE_OLDEST = statement({
  given: OLDEST,
  selects: { id: i.id },
  text: (given, select) => expire(given, oldest(given, UNPAID), select),
});
const EXPIRE_AMONG = statement({
  given: AMONG,
  selects: { id: i.id },
  text: (given, select) => expire(given, among(given), select),
});
const LOCK_OLDEST = statement({
  given: OLDEST,
  selects: INVOICE,
  text: (given, select) => sql`with ${oldest(given, PARTLY_PAID)} ${locked(given, PARTLY_PAID, select)}`,
});
const LOCK_AMONG = statement({
  given: AMONG,
  selects: INVOICE,
  text: (given, select) => sql`with ${among(given)} ${locked(given, PARTLY_PAID, select)}`,
});
const dueBy = (status: SQL) =>
  statement({
    given: AFTER,
    selects: { id: i.id, merchantId: i.merchantId, expiresAt: i.expiresAt },
    text: (given, select) => sql`
      with ${oldest(given, status, sql`and (${i.expiresAt}, ${i.id}) > (${given.afterAt}, ${given.afterId})`)}
      select ${select} from due ${i} order by ${i.expiresAt}, ${i.id}`,
  });
const DUE = { created: dueBy(UNPAID), partially_paid: dueBy(PARTLY_PAID) };

// The planner underestimates how many invoices have ended, and would read and sort all of them for
// each step. In the order of the index it reads only a step's.
const IN_ORDER = statement({
  text: () => sql`
    select set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`,
});

/**
 * Runs in a transaction of its own, like lockOverduePartlyPaid and dueInvoices, because it sets the
 * plans for the rest of it.
 */
export async function expireUnpaid(on: Sql, query: ExpiryQuery): Promise<readonly string[]> {
  await IN_ORDER(on);
  const [rule, { among: ids, limit }] = [ruleOf(query), query];
  const ended = ids === null ? EXPIRE_OLDEST(on, { ...rule, limit }) : EXPIRE_AMONG(on, { ...rule, ids });
  return (await ended).map(({ id }) => id);
}

export async function lockOverduePartlyPaid(on: Sql, query: ExpiryQuery): Promise<readonly Invoice[]> {
  await IN_ORDER(on);
  const [rule, { among: ids, limit }] = [ruleOf(query), query];
  const over = ids === null ? LOCK_OLDEST(on, { ...rule, limit }) : LOCK_AMONG(on, { ...rule, ids });
  return (await over).map(invoiceFromRow);
}

export async function dueInvoices(
  on: Sql,
  status: DueInvoice['status'],
  query: Omit<ExpiryQuery, 'among'>,
  after: DueInvoice | null,
): Promise<readonly DueInvoice[]> {
  await IN_ORDER(on);
  const place = { afterAt: after?.expiresAt ?? ('-infinity' as const), afterId: after?.id ?? '' };
  const rows = await DUE[status](on, { ...ruleOf(query), limit: query.limit, ...place });
  return rows.map((row) => ({ ...row, status }));
}

function ruleOf({ now, coveredUntil }: Pick<ExpiryQuery, 'now' | 'coveredUntil'>) {
  const readUntil = CHAINS.map(({ name }) => {
    const covered = coveredUntil.get(name);
    return covered === undefined ? now : (covered ?? '-infinity');
  });
  const latest = [...coveredUntil.values()].reduce(
    (a, b) => ((a?.getTime() ?? 0) < (b?.getTime() ?? 0) ? b : a),
    null,
  );
  return { now, chains: CHAINS.map(({ name }) => name), readUntil, latest: latest ?? now };
}
