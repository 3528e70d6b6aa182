/**
 * The sums of verified entries by merchant, and the check that the balances equal them. An entry
 * leaves the unverified ones and enters the sums in one transaction, so each counts once, whatever
 * processes do at the same time and in whatever order entries are committed.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { equals, literals, oneOf } from '../schema/columns.ts';
import { ledgerEntries as e, ledgerPostings as l } from '../schema/ledger.ts';
import { balances as b } from '../schema/merchants.ts';
import { unverifiedEntries as u, verifiedBalances as v } from '../schema/verified.ts';
import { statement } from '../statement.ts';
import { at, commas, listOf, names, value } from '../statement-parts.ts';
import { FAULT, MOST_FAULTS } from './row-checks.ts';

const SUMS = [v.income, v.payouts, v.refunds, v.available];
const SCOPE = names(v.merchantId, v.sandbox);
const SUM_NAMES = names(...SUMS);
const TOTALS = commas(SUMS.map((sum) => sql`sum(${names(sum)}) as ${names(sum)}`));
/** What an entry's postings to its merchant's account add. */
const PARTS = sql`
  coalesce(${e.merchantId}, '') as ${names(v.merchantId)}, ${e.sandbox},
  case when ${oneOf(e.kind, ['income', 'income_reversed'])} then -${l.amount} else 0 end as ${names(v.income)},
  case when ${e.kind} like 'payout%' then ${l.amount} else 0 end as ${names(v.payouts)},
  case when ${e.kind} like 'refund%' then ${l.amount} else 0 end as ${names(v.refunds)},
  -${l.amount} as ${names(v.available)}`;
const OF_MERCHANT = sql`${l.entryId} = ${e.id} and ${equals(l.account, 'merchant')}`;

/** `parts` selects merchant, environment and amounts. Rows in one order, so nobody deadlocks. */
const addingTo = (by: 'standing' | 'walk', parts: SQL): SQL => sql`
  insert into ${v} (${names(v.verifiedBy)}, ${SCOPE}, ${SUM_NAMES})
  select ${literals([by])}, ${SCOPE}, ${TOTALS} from (${parts}) parts group by ${SCOPE} order by ${SCOPE}
  on conflict (${names(v.verifiedBy, v.merchantId, v.sandbox)}) do update set ${commas(
    SUMS.map((sum) => sql`${names(sum)} = ${sum} + ${at('excluded', sum)}`),
  )}`;

const UNVERIFIED = statement({
  given: { except: listOf(u.entryId), limit: value<number>('bigint') },
  selects: { place: sql<string>`ctid::text`, entryId: u.entryId },
  text: ({ except, limit }, select) =>
    sql`select ${select} from ${u} where ${u.entryId} <> all (${except}) limit ${limit}`,
});

/** Entries that no run has added to the sums, in any order. */
export function unverifiedEntries(
  on: Sql,
  which: { readonly except: readonly string[]; readonly limit: number },
) {
  return UNVERIFIED(on, which);
}

// Another run may have taken some of them meanwhile, and others may lie in their places.
const VERIFY = statement({
  given: { places: value<readonly string[]>('tid[]'), ids: listOf(u.entryId), passed: u.entryId },
  text: ({ places, ids, passed }) => sql`
    with taken as (
      delete from ${u} using unnest(${places}, ${ids}) as given (place, id)
      where ${u}.ctid = given.place and ${u.entryId} = given.id and ${u}.ctid = any (${places})
      returning ${u.entryId}),
    parts as materialized (
      select ${e.id}, ${PARTS} from taken join ${e} on ${e.id} = ${at('taken', u.entryId)} join ${l} on ${OF_MERCHANT}),
    walked as (${addingTo('walk', sql`select * from parts where id <= ${passed}`)})
    ${addingTo('standing', sql`select * from parts`)}`,
});

/**
 * Adds entries to the standing sums, and those up to `passed` to the walk's: it has passed them.
 * The caller holds the walk's lock.
 */
export async function verifyEntries(
  on: Sql,
  taken: Awaited<ReturnType<typeof unverifiedEntries>>,
  passed: string,
): Promise<void> {
  const [places, ids] = [taken.map(({ place }) => place), taken.map(({ entryId }) => entryId)];
  await VERIFY(on, { places, ids, passed });
}

// An anti join would be planned row by row from when there were few unverified entries, and take
// minutes with 300,000 of them. This compares two sets, whatever is known of their sizes.
const SUM_UP = statement({
  given: { after: e.id, upTo: e.id },
  text: ({ after, upTo }) =>
    addingTo(
      'walk',
      sql`
        select ${PARTS}
        from (
          select ${names(e.id)} from ${e} where ${e.id} > ${after} and ${e.id} <= ${upTo}
          except select ${names(u.entryId)} from ${u}) verified
        join ${e} on ${e.id} = verified.id join ${l} on ${OF_MERCHANT}`,
    ),
});

/**
 * Adds the entries between to the walk's sums, except unverified ones: the run that verifies them
 * adds them. The caller holds the walk's lock.
 */
export async function sumUp(on: Sql, after: string, upTo: string): Promise<void> {
  await SUM_UP(on, { after, upTo });
}

const FORGET = statement({ text: () => sql`delete from ${v} where ${equals(v.verifiedBy, 'walk')}` });
/** Before a walk. */
export async function forgetWalkedSums(on: Sql): Promise<void> {
  await FORGET(on);
}

const parts = (source: string): SQL => commas(SUMS.map((sum) => sql`coalesce(${at(source, sum)}, 0)`));
const shown = (source: string): SQL =>
  sql`concat_ws(' - ', ${commas(SUMS.slice(0, 3).map((sum) => sql`coalesce(${at(source, sum)}, 0)`))})`;
const SCOPE_NAME = sql`${names(v.merchantId)} || case when ${names(v.sandbox)} then ' sandbox' else ' live' end`;
const BALANCE = names(b.incomeMicroUsd, b.payoutsMicroUsd, b.refundsMicroUsd);
const DIFFERENCE = sql`${names(b.incomeMicroUsd)} - ${names(b.payoutsMicroUsd)} - ${names(b.refundsMicroUsd)}`;
const THREE = commas(SUMS.slice(0, 3).map((sum) => sql`coalesce(${names(sum)}, 0)`));
const CHANGED = statement({
  selects: FAULT,
  text: (_given, select) => sql`
    with stood as (select * from ${v} where ${equals(v.verifiedBy, 'standing')}),
    walked as (select * from ${v} where ${equals(v.verifiedBy, 'walk')})
    select ${select} from (
      select ${SCOPE_NAME} as reference, ${shown('stood')} as expected, ${shown('walked')} as found
      from stood full join walked using (${SCOPE})
      where (${parts('stood')}) <> (${parts('walked')})) fault
    order by reference limit ${MOST_FAULTS}`,
});
const DROP_STANDING = statement({
  text: () => sql`delete from ${v} where ${equals(v.verifiedBy, 'standing')}`,
});
const STAND = statement({
  text: () => sql`
    update ${v} set ${names(v.verifiedBy)} = ${literals(['standing'])} where ${equals(v.verifiedBy, 'walk')}`,
});

/** The sums of a whole walk that differ from the standing ones. */
export function changedSums(on: Sql) {
  return CHANGED(on);
}

/** The sums of a whole walk become the standing ones. The caller holds the walk's lock. */
export async function letStand(on: Sql): Promise<void> {
  await DROP_STANDING(on);
  await STAND(on);
}

// One statement is one snapshot: an entry, that it is unverified, and the balance it changed are
// written in one transaction.
const WRONG = statement({
  selects: FAULT,
  text: (_given, select) => sql`
    with posted as (
      select ${SCOPE}, ${TOTALS} from (
        select ${SCOPE}, ${SUM_NAMES} from ${v} where ${equals(v.verifiedBy, 'standing')}
        union all
        select ${PARTS} from ${u} join ${e} on ${e.id} = ${u.entryId} join ${l} on ${OF_MERCHANT}) each
      group by ${SCOPE}),
    compared as (
      select coalesce(${b.merchantId}, ${at('posted', v.merchantId)}) as merchant_id,
        coalesce(${b.sandbox}, ${at('posted', v.sandbox)}) as sandbox, ${SUM_NAMES},
        ${b.incomeMicroUsd}, ${b.payoutsMicroUsd}, ${b.refundsMicroUsd}
      from ${b} full join posted
        on ${at('posted', v.merchantId)} = ${b.merchantId} and ${at('posted', v.sandbox)} = ${b.sandbox})
    select ${select} from (
      select ${SCOPE_NAME} as reference, ${shown('compared')} as expected,
        format('%s - %s - %s', ${BALANCE}) as found
      from compared
      where (${BALANCE}) is distinct from (${THREE})
        or coalesce(${names(v.available)}, 0) <> coalesce(${DIFFERENCE}, 0)) fault
    order by reference limit ${MOST_FAULTS}`,
});

/** Balances that are not the sums of the postings to their merchants. */
export function wrongBalances(on: Sql) {
  return WRONG(on);
}
