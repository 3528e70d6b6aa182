/**
 * The check of dense numbers, from the last verified one on and in chunks: they run up to the
 * counter's value without a gap, and times never decrease along them. A number is taken under its
 * counter's lock, so none is committed after a higher one.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import type { Sql } from '../client/sql.ts';
import { equals, literals } from '../schema/columns.ts';
import { invoices } from '../schema/invoices.ts';
import { ledgerEntries } from '../schema/ledger.ts';
import { counters as c, type Stream } from '../schema/merchants.ts';
import { payouts } from '../schema/payouts.ts';
import { verifiedNumbers as n } from '../schema/verified.ts';
import { webhookDeliveries as d, webhookAttempts } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import { at, names } from '../statement-parts.ts';
import { FAULT, MOST_FAULTS } from './row-checks.ts';

type VerifiedBy = (typeof n.$inferSelect)['verifiedBy'];

/** Numbers of a list at once. */
const AT_ONCE = sql.raw('10000');
const SCOPE = names(c.merchantId, c.sandbox);

interface Numbered {
  readonly check: string;
  readonly stream: Stream;
  readonly table: PgTable & { readonly merchantId: AnyColumn; readonly sandbox: AnyColumn };
  readonly key: AnyColumn;
  /** Null if it may run backwards. */
  readonly time: AnyColumn | null;
  /** The rows that have a number of their own, as the index of the numbers has them. */
  readonly only: SQL;
}

const NUMBERED: readonly Numbered[] = [
  {
    ...{ check: 'invoices are numbered without gaps', stream: 'invoices', table: invoices },
    ...{ key: invoices.seq, time: invoices.createdAt, only: sql`true` },
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

/** Verifies the next numbers of every list of the stream that has some. */
function verifying({ stream, table, key, time, only }: Numbered, by: VerifiedBy) {
  const backwards = time === null ? sql`false` : sql`${time} < lag(${time}) over (order by ${key})`;
  return statement({
    selects: { ...FAULT, fits: sql<boolean>`fits` },
    text: (_given, select) => sql`
      with due as materialized (
        select ${c.merchantId}, ${c.sandbox}, ${c.value}, greatest(coalesce(${n.value}, 0), ${c.removed}) as verified
        from ${c} left join ${n} on ${equals(n.verifiedBy, by)} and ${n.merchantId} = ${c.merchantId}
          and ${n.sandbox} = ${c.sandbox} and ${n.stream} = ${c.stream}
        where ${equals(c.stream, stream)} and ${n.value} is distinct from ${c.value}),
      looked as materialized (
        select due.*, found.*, verified + rows = last and (rows = ${AT_ONCE} or last = due.value)
            and not backwards as fits
        from due cross join lateral (
          select count(*) filter (where seq > verified) as rows, coalesce(max(seq), verified) as last,
            coalesce(bool_or(backwards), false) as backwards
          from (
            select ${key} as seq, ${backwards} as backwards from ${table}
            where ${table.merchantId} = ${at('due', c.merchantId)} and ${table.sandbox} = ${at('due', c.sandbox)}
              and ${only} and ${key} between verified and verified + ${AT_ONCE}) numbered) found),
      moved as (
        insert into ${n} (${names(n.verifiedBy, n.merchantId, n.sandbox, n.stream, n.value)})
        select ${literals([by])}, ${SCOPE}, ${literals([stream])}, last from looked where fits order by ${SCOPE}
        on conflict (${names(n.verifiedBy, n.merchantId, n.sandbox, n.stream)})
        do update set ${names(n.value)} = greatest(${n.value}, ${at('excluded', n.value)}))
      select ${select} from (
        select fits, ${names(c.merchantId)} || case when ${names(c.sandbox)} then ' sandbox' else ' live' end as reference,
          value::text as expected, format('%s rows up to %s%s', verified + rows, last,
            case when backwards then ', times running backwards' else '' end) as found
        from looked where not fits or last < value) fault
      order by reference limit ${MOST_FAULTS}`,
  });
}

const STATEMENTS = NUMBERED.map((numbered) => ({
  check: numbered.check,
  standing: verifying(numbered, 'standing'),
  walk: verifying(numbered, 'walk'),
}));

export const NUMBER_CHECKS: readonly string[] = NUMBERED.map(({ check }) => check);

/** Verifies all numbers that are not yet, each chunk in a statement of its own. */
export async function wrongNumbers(
  on: Sql,
  by: VerifiedBy,
  stopping?: AbortSignal,
): Promise<readonly ReconciliationFault[]> {
  const faults: ReconciliationFault[] = [];
  for (const { check, ...verify } of STATEMENTS) {
    let rows = await verify[by](on);
    while (rows.some(({ fits }) => fits) && !stopping?.aborted) rows = await verify[by](on);
    for (const { fits, ...fault } of rows) if (!fits) faults.push({ check, ...fault });
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
