/**
 * The checks of rows against each other, over a bounded set of rows. Each check is written for
 * whole tables; here the tables' names stand for the rows of the set. One statement makes all.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { UTXO_FAMILIES } from '../../../domain/catalog/family.ts';
import type { ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import { seekOnly } from '../client/by-index.ts';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { deposits as d } from '../schema/addresses.ts';
import { literals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e, ledgerPostings as l } from '../schema/ledger.ts';
import { signedTransactions as s, outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { refundClaims as r } from '../schema/refund-claims.ts';
import { capitalBookings as c } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { commas, listOf } from '../statement-parts.ts';
import { LEDGER_CHECKS } from '../treasury/ledger-checks.ts';
import { batched, SENDING_CHECKS } from '../treasury/sending-checks.ts';
import { reached } from './reach.ts';

/** Faults reported per check: enough to see the pattern. */
export const FAULTS_MAX = 1_000;
export const MOST_FAULTS = sql.raw(String(FAULTS_MAX));
const TIMEOUT_MS = 600_000;

/** `fault` selects `reference, expected, found`. */
export const FAULT = {
  reference: sql<string>`reference`,
  expected: sql<string>`expected`,
  found: sql<string>`found`,
};

const CHECKS: readonly (readonly [string, SQL])[] = Object.entries({ ...LEDGER_CHECKS, ...SENDING_CHECKS });

export const CHECK_NAMES: readonly string[] = CHECKS.map(([check]) => check);

/** A table's name stands for some of its rows from here on. */
export const standingFor = (table: PgTable, which: SQL): SQL =>
  sql`${table} as materialized (select * from ${table} where ${which})`;

/**
 * This must come first: in a `with` that is not recursive it reads the table itself, and not what
 * stands for it. The other transfers of a batch are in no other check. Each would need its payout,
 * invoice and deposits, and these are of other batches, so that a set would have no bound.
 */
const batchesOf = (ids: SQL): SQL => sql`${batched} as materialized (
  select ${t.transferBatchId}, ${t.txid}, ${t.feeUnits}, ${t.status}
  from ${t} where ${t.transferBatchId} = any (array(
    select ${t.transferBatchId} from ${t} where ${t.id} = any (${ids}) and ${oneOf(t.chain, UTXO_FAMILIES)})))`;

const FIND = statement({
  given: { ids: listOf(e.id) },
  selects: { check: sql<string>`"check"`, ...FAULT },
  text: ({ ids }, select) => {
    const its = commas([
      batchesOf(ids),
      standingFor(e, sql`${e.id} = any (${ids})`),
      standingFor(l, sql`${l.entryId} = any (${ids})`),
      standingFor(d, sql`${d.id} = any (${ids})`),
      standingFor(i, sql`${i.id} = any (${ids})`),
      standingFor(p, sql`${p.id} = any (${ids})`),
      standingFor(t, sql`${t.id} = any (${ids})`),
      standingFor(s, sql`${s.transferBatchId} = any (array(select ${t.transferBatchId} from ${t}))`),
      standingFor(r, sql`${r.id} = any (array(select ${p.refundClaimId} from ${p}))`),
      standingFor(c, sql`${c.id} = any (${ids})`),
    ]);
    const found = CHECKS.map(
      ([check, faults], place) => sql`(
        select ${sql.raw(String(place))} as place, ${literals([check])} as "check", reference, expected, found
        from (${faults}) of_rows order by reference limit ${MOST_FAULTS})`,
    );
    return sql`with ${its} select ${select} from (${sql.join(found, sql` union all `)}) fault order by place, reference`;
  },
});

// The planner does not know how large a set is. Joins of two sets row by row would take its square.
const HASHED = statement({ text: () => sql`select set_config('enable_nestloop', 'off', true)` });

/** The faults of these rows, and of all that belong to them. */
export function faultsAround(
  database: Database,
  ids: readonly string[],
): Promise<readonly ReconciliationFault[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return database.snapshot(
    async (on) => {
      await seekOnly(on);
      const all = await reached(on, ids);
      return faultsOf(on, all);
    },
    { timeoutMs: TIMEOUT_MS },
  );
}

async function faultsOf(on: Sql, ids: readonly string[]): Promise<readonly ReconciliationFault[]> {
  await HASHED(on);
  return FIND(on, { ids });
}

/** The row that a fault of these checks is about. */
export function rowOf({ reference }: ReconciliationFault): string {
  return reference.split(' ')[0] ?? '';
}
