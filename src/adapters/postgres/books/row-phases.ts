/**
 * The rows that a walk begins with, table by table in the order of their ids. The walk of entries
 * reaches most others. After it only those rows are left that no entry names.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { deposits as d } from '../schema/addresses.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { capitalBookings as c } from '../schema/treasury.ts';
import type { WalkPhase } from '../schema/verified.ts';
import { statement } from '../statement.ts';
import { value } from '../statement-parts.ts';

type Walked = typeof e | typeof d | typeof i | typeof p | typeof t | typeof c;

function pageOf<Of extends Walked>(table: Of, isLeft: SQL) {
  return statement({
    given: { after: table.id, limit: value<number>('bigint') },
    selects: { id: sql<string>`id`, left: sql<boolean>`is_left` },
    text: ({ after, limit }, select) => sql`
      select ${select} from (
        select ${table.id}, ${isLeft} as is_left from ${table}
        where ${table.id} > ${after} order by ${table.id} limit ${limit}) page
      order by id`,
  });
}

const referredTo = (id: SQL) => sql`exists (select from ${e} where ${e.referenceId} = ${id})`;
const LEFT_DEPOSIT = sql`not exists (select from ${e} where ${e.depositId} = ${d.id})`;
const LEFT_INVOICE = sql`not ${referredTo(sql`${i.id}`)}
  and not exists (select from ${d} where ${d.invoiceId} = ${i.id})`;

const PAGES = {
  entries: pageOf(e, sql`true`),
  deposits: pageOf(d, LEFT_DEPOSIT),
  invoices: pageOf(i, LEFT_INVOICE),
  payouts: pageOf(p, sql`not ${referredTo(sql`${p.id}`)}`),
  transfers: pageOf(t, sql`not ${referredTo(sql`${t.id}`)}`),
  capital: pageOf(c, sql`not ${referredTo(sql`${c.id}`)}`),
};
/** The same tables, each row. */
const EVERY = {
  deposits: pageOf(d, sql`true`),
  payouts: pageOf(p, sql`true`),
  transfers: pageOf(t, sql`true`),
};

export type RowPhase = keyof typeof PAGES;

export function isRowPhase(phase: WalkPhase): phase is RowPhase {
  return phase in PAGES;
}

/** In a transaction that reads by indexes only (seekOnly). */
export function nextRows(on: Sql, phase: RowPhase, page: { after: string; limit: number }) {
  return PAGES[phase](on, page);
}

/** Deposits, payouts and transfers that are newer than this id. */
export async function newerRows(
  on: Sql,
  table: keyof typeof EVERY,
  page: { after: string; limit: number },
): Promise<readonly string[]> {
  return (await EVERY[table](on, page)).map(({ id }) => id);
}

export const RECENT = Object.keys(EVERY) as readonly (keyof typeof EVERY)[];
