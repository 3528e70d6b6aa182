/**
 * The check of dense numbers, from the last verified one on and in chunks of bounded size: they run
 * up to the counter's value without a gap, and times never decrease along them. A number is taken
 * under its counter's lock, so none is committed after a higher one. Each number of an invoice has
 * a row, or was removed, and never both.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { removedNumbers } from '../lists/removed-numbers.ts';
import { equals, literals } from '../schema/columns.ts';
import { invoices } from '../schema/invoices.ts';
import { ledgerEntries } from '../schema/ledger.ts';
import { counters as c, type Stream } from '../schema/merchants.ts';
import { payouts } from '../schema/payouts.ts';
import { verifiedNumbers as n } from '../schema/verified.ts';
import { webhookDeliveries as d, webhookAttempts } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import { at, names, value } from '../statement-parts.ts';
import { FAULT, FAULTS_MAX } from './row-checks.ts';

type VerifiedBy = (typeof n.$inferSelect)['verifiedBy'];

/** In one statement: numbers of a list, lists, and numbers of all of them but the last. */
interface AtOnce {
  readonly ofList: number;
  readonly lists: number;
  readonly inAll: number;
}
const AT_ONCE: AtOnce = { ofList: 10_000, lists: 500, inAll: 40_000 };
const TIMEOUT_MS = 60_000;
const SCOPE = names(c.merchantId, c.sandbox);
const SCOPE_NAME = sql`${names(c.merchantId)} || case when ${names(c.sandbox)} then ' sandbox' else ' live' end`;

interface Numbered {
  readonly check: string;
  readonly stream: Stream;
  readonly table: PgTable & { readonly merchantId: AnyColumn; readonly sandbox: AnyColumn };
  readonly key: AnyColumn;
  /** Null if it may run backwards. */
  readonly time: AnyColumn | null;
  /** The rows that have a number of their own, as the index of the numbers has them. */
  readonly only: SQL;
  /** Numbers in the middle may have been removed (lists/removed-numbers.ts). */
  readonly isSparse?: true;
}

const NUMBERED: readonly Numbered[] = [
  {
    ...{ check: 'invoices are numbered without gaps', stream: 'invoices', table: invoices },
    ...{ key: invoices.seq, time: invoices.createdAt, only: sql`true`, isSparse: true },
  },
  {
    ...{ check: 'payouts are numbered without gaps', stream: 'payouts', table: payouts },
    ...{ key: payouts.seq, time: payouts.createdAt, only: sql`${payouts.seq} is not null` },
  },
  {
    ...{ check: 'the ledger feed is numbered without gaps', stream: 'ledger', table: ledgerEntries },
    ...{
      key: ledgerEntries.feedSeq,
      time: ledgerEntries.at,
      only: sql`${ledgerEntries.feedSeq} is not null`,
    },
  },
  // Attempts are numbered as they end, so the times they were sent may cross.
  {
    ...{ check: 'attempts are numbered without gaps', stream: 'notifications', table: webhookAttempts },
    ...{ key: webhookAttempts.seq, time: null, only: sql`true` },
  },
  // Replays repeat a number.
  {
    ...{ check: 'events are numbered without gaps', stream: 'events', table: d },
    ...{ key: d.eventSeq, time: d.eventAt, only: sql`${d.eventAt} is not null` },
  },
];

const NOTHING_REMOVED = sql`select 0 as rows, 0::bigint as last, 0 as twice`;
/** The removed numbers of the same part of the list; `twice`: those that still have a row. */
function removedOf({
  table,
  key,
  isOfList,
  ofList,
}: Pick<Numbered, 'table' | 'key'> & { readonly isOfList: SQL; readonly ofList: SQL }): SQL {
  const scope = { merchantId: at('due', c.merchantId), sandbox: at('due', c.sandbox) };
  const range = { first: sql`verified + 1`, last: sql`verified + ${ofList}` };
  // With `exists` PostgreSQL might read the whole table.
  return sql`
    select count(*) as rows, coalesce(max(number), 0) as last, count(*) filter (
      where (select true from ${table} where ${isOfList} and ${key} = number limit 1)) as twice
    from (${removedNumbers(scope, range)}) removed`;
}

/** Verifies the next numbers of the next lists of the stream that have some. */
function verifying({ stream, table, key, time, only, isSparse }: Numbered, by: VerifiedBy) {
  const isOfList = sql`${table.merchantId} = ${at('due', c.merchantId)} and ${table.sandbox} = ${at('due', c.sandbox)}
    and ${only}`;
  const backwards = time === null ? sql`false` : sql`${time} < lag(${time}) over (order by ${key})`;
  return statement({
    given: {
      merchantId: c.merchantId,
      sandbox: c.sandbox,
      ofList: value<number>('bigint'),
      lists: value<number>('bigint'),
      inAll: value<number>('bigint'),
    },
    selects: {
      ...{ merchantId: at('looked', c.merchantId), sandbox: at('looked', c.sandbox) },
      ...{ fits: sql<boolean>`fits`, isWhole: sql<boolean>`last = value`, isLast: sql<boolean>`is_last` },
      ...FAULT,
    },
    text: ({ merchantId, sandbox, ofList, lists, inAll }, select) => sql`
      with next as (
        select ${c.merchantId}, ${c.sandbox}, ${c.value}, greatest(coalesce(${n.value}, 0), ${c.removed}) as verified
        from ${c} left join ${n} on ${equals(n.verifiedBy, by)} and ${n.merchantId} = ${c.merchantId}
          and ${n.sandbox} = ${c.sandbox} and ${n.stream} = ${c.stream}
        where (${c.merchantId}, ${c.sandbox}) > (${merchantId}, ${sandbox}) and ${equals(c.stream, stream)}
          and ${n.value} is distinct from ${c.value}
        order by ${c.merchantId}, ${c.sandbox} limit ${lists}),
      due as materialized (
        select * from (
          select next.*, sum(least(greatest(value - verified, 0), ${ofList})) over (
            order by ${SCOPE} rows between unbounded preceding and 1 preceding) as before
          from next) counted
        where coalesce(before, 0) <= ${inAll}),
      looked as materialized (
        select due.*, found.*, verified + rows = last and (rows = ${ofList} or last = due.value)
            and not backwards and twice = 0 as fits
        from due cross join lateral (
          select there.rows + gone.rows as rows, greatest(there.last, gone.last) as last, backwards, twice
          from (
            select count(*) filter (where seq > verified) as rows, coalesce(max(seq), verified) as last,
              coalesce(bool_or(backwards), false) as backwards
            from (
              select ${key} as seq, ${backwards} as backwards from ${table}
              where ${isOfList} and ${key} between verified and verified + ${ofList}) numbered) there
          cross join (${isSparse ? removedOf({ table, key, isOfList, ofList }) : NOTHING_REMOVED}) gone) found),
      moved as (
        insert into ${n} (${names(n.verifiedBy, n.merchantId, n.sandbox, n.stream, n.value)})
        select ${literals([by])}, ${SCOPE}, ${literals([stream])}, last from looked where fits order by ${SCOPE}
        on conflict (${names(n.verifiedBy, n.merchantId, n.sandbox, n.stream)})
        do update set ${names(n.value)} = greatest(${n.value}, ${at('excluded', n.value)}))
      select ${select} from (
        select looked.*, ${SCOPE_NAME} as reference,
          (select count(*) from next) < ${lists} and (select count(*) from next) = (select count(*) from due) as is_last,
          value::text as expected,
          format('%s rows up to %s%s%s', verified + rows, last,
            case when backwards then ', times running backwards' else '' end,
            case when twice > 0 then format(', %s of them removed and still there', twice) else '' end) as found
        from looked) looked
      order by ${SCOPE}`,
  });
}

const STATEMENTS = NUMBERED.map((numbered) => ({
  check: numbered.check,
  standing: verifying(numbered, 'standing'),
  walk: verifying(numbered, 'walk'),
}));

export const NUMBER_CHECKS: readonly string[] = NUMBERED.map(({ check }) => check);

/**
 * Verifies all numbers that are not yet, some lists in a transaction of their own. Lists with a
 * fault keep it from no other one.
 */
export async function wrongNumbers(
  database: Database,
  by: VerifiedBy,
  {
    stopping,
    atOnce = AT_ONCE,
  }: { readonly stopping?: AbortSignal | undefined; readonly atOnce?: AtOnce } = {},
): Promise<readonly ReconciliationFault[]> {
  const faults: ReconciliationFault[] = [];
  for (const { check, ...verify } of STATEMENTS) {
    let after = { merchantId: '', sandbox: false };
    let reported = 0;
    let isOver = false;
    while (!isOver) {
      const given = { ...after, ...atOnce };
      const lists = await database.transaction((on) => verify[by](on, given), { timeoutMs: TIMEOUT_MS });
      const last = lists.at(-1);
      if (last === undefined) break;
      const isUnfinished = lists.some(({ fits, isWhole }) => fits && !isWhole);
      isOver = (last.isLast && !isUnfinished) || stopping?.aborted === true;
      if (isUnfinished) continue;
      after = { merchantId: last.merchantId, sandbox: last.sandbox };
      for (const { reference, expected, found, fits } of lists)
        if (!fits && reported++ < FAULTS_MAX) faults.push({ check, reference, expected, found });
    }
  }
  return faults;
}

const FORGET = statement({ text: () => sql`delete from ${n} where ${equals(n.verifiedBy, 'walk')}` });
/** Before a walk. */
export async function forgetWalkedNumbers(on: Sql): Promise<void> {
  await FORGET(on);
}

const STAND = statement({
  text: () => sql`
    insert into ${n} (${names(n.verifiedBy, n.merchantId, n.sandbox, n.stream, n.value)})
    select ${literals(['standing'])}, ${c.merchantId}, ${c.sandbox}, ${c.stream}, coalesce(${n.value}, 0)
    from ${c} left join ${n} on ${equals(n.verifiedBy, 'walk')} and ${n.merchantId} = ${c.merchantId}
      and ${n.sandbox} = ${c.sandbox} and ${n.stream} = ${c.stream}
    on conflict (${names(n.verifiedBy, n.merchantId, n.sandbox, n.stream)})
    do update set ${names(n.value)} = ${at('excluded', n.value)}`,
});
/** What a whole walk verified stands: where it found a fault, each run looks again. */
export async function letNumbersStand(on: Sql): Promise<void> {
  await STAND(on);
}
