/**
 * Invoices whose time has passed, found by an index of those that may end now and ended many at a
 * time. Those whose chain is behind are not even read (safety.md W3).
 */
import { type SQL, sql } from 'drizzle-orm';
import { CHAINS } from '../../../domain/catalog/chain.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { ExpiryQuery } from '../../../ports/invoices/invoice-repository.ts';
import type { Sql } from '../client/sql.ts';
import { equals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { statement } from '../statement.ts';
import { names, set, value } from '../statement-parts.ts';
import { EXPIRY_CHAIN } from './expiry-chain.ts';
import { INVOICE, invoiceFromRow } from './invoice-row.ts';

/**
 * `readUntil`: until when each chain was read; invoices on it that expire later must wait. For a
 * chain that is not watched it is the present time, so that nothing waits for it. `latest`: the
 * time by the chain that was read furthest: a clock that is ahead must not end invoices without an
 * asset either (safety.md K7).
 */
const GIVEN = {
  now: value<Date>('timestamptz'),
  chains: value<readonly string[]>('text[]'),
  readUntil: value<readonly (Date | '-infinity')[]>('timestamptz[]'),
  latest: value<Date>('timestamptz'),
  limit: value<number>('bigint'),
};
type Given = Readonly<Record<keyof typeof GIVEN, SQL>>;

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

/**
 * `due`: the ids of up to `limit` ended invoices, oldest first, from the part of the index that was
 * read far enough.
 */
const due = (given: Given, status: SQL) => sql`
  chain as materialized (
    select * from unnest(${given.chains}, ${given.readUntil}) as c (name, read_until)),
  due as materialized (
    select ${i.id} from (select '' as name, ${given.now} as read_until union all select * from chain) as c
    cross join lateral (
      select ${i.id}, ${i.expiresAt} from ${i}
      where (${sql.raw(EXPIRY_CHAIN)}) = c.name and ${i.expiresAt} <= c.read_until and ${status} and ${isOver(given)}
      order by ${i.expiresAt}, ${i.id} limit ${given.limit}) ${i}
    order by ${i.expiresAt}, ${i.id} limit ${given.limit})`;

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
const EXPIRE_UNPAID = statement({
  given: GIVEN,
  selects: { id: i.id },
  text: (given, select) => sql`
    with ${due(given, UNPAID)},
    locked as materialized (${locked(given, UNPAID, sql`${i.id}, ${i.expiresAt}`)}),
    ended as (
      update ${i} set ${set(i, {
        status: sql<'expired'>`'expired'`,
        version: sql<number>`${i.version} + 1`,
        processedAt: given.now,
        updatedAt: sql<Date>`greatest(${given.now}, ${i.updatedAt}, ${i.createdAt})`,
      })}
      where ${i.id} = any (array(select ${names(i.id)} from locked)) returning ${i.id})
    select ${select} from ended join locked ${i} using (${names(i.id)}) order by ${i.expiresAt}, ${i.id}`,
});
const LOCK_PARTLY_PAID = statement({
  given: GIVEN,
  selects: INVOICE,
  text: (given, select) => sql`with ${due(given, PARTLY_PAID)} ${locked(given, PARTLY_PAID, select)}`,
});

// The planner underestimates how many invoices have ended, and would read and sort all of them for
// each step. In the order of the index it reads only a step's.
const IN_ORDER = statement({
  text: () => sql`
    select set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`,
});

/**
 * Runs in a transaction of its own, like lockOverduePartlyPaid, because it sets the plans for the
 * rest of it.
 */
export async function expireUnpaid(on: Sql, query: ExpiryQuery): Promise<readonly string[]> {
  await IN_ORDER(on);
  return (await EXPIRE_UNPAID(on, valuesOf(query))).map(({ id }) => id);
}

export async function lockOverduePartlyPaid(on: Sql, query: ExpiryQuery): Promise<readonly Invoice[]> {
  await IN_ORDER(on);
  return (await LOCK_PARTLY_PAID(on, valuesOf(query))).map(invoiceFromRow);
}

function valuesOf({ now, coveredUntil, limit }: ExpiryQuery) {
  const readUntil = CHAINS.map(({ name }) => {
    const covered = coveredUntil.get(name);
    return covered === undefined ? now : (covered ?? '-infinity');
  });
  const latest = [...coveredUntil.values()].reduce(
    (a, b) => ((a?.getTime() ?? 0) < (b?.getTime() ?? 0) ? b : a),
    null,
  );
  return { now, chains: CHAINS.map(({ name }) => name), readUntil, latest: latest ?? now, limit };
}
