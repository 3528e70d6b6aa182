/**
 * Where a search looks: at one merchant in one environment, or across all. Across all it reads an
 * index that begins with what is searched once for each merchant that has it, and never asks those
 * that have nothing.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { deposits as d, permanentAddresses as p } from '../schema/addresses.ts';
import { oneOf } from '../schema/columns.ts';
import type { invoices as i } from '../schema/invoices.ts';
import type { invoiceEmails as m, invoiceExtras as x } from '../schema/lists.ts';
import { counters as c } from '../schema/merchants.ts';
import type { payouts as o } from '../schema/payouts.ts';

/** Of the merchant and environment that is searched; null: of all. */
interface Places {
  readonly merchantId: SQL;
  readonly sandbox: SQL;
}
type Owned = { readonly merchantId: unknown; readonly sandbox: unknown };

type OwnedTable = typeof i | typeof o | typeof d | typeof p | typeof x | typeof m;

export interface Shape {
  /** Of all merchants and environments. */
  readonly everywhere: boolean;
}
export const SHAPES: readonly Shape[] = [{ everywhere: true }, { everywhere: false }];

/** Whether a row that another index found is in the scope. */
export const inScope = ({ everywhere }: Shape, t: Owned, { merchantId, sandbox }: Places): SQL =>
  everywhere
    ? sql`(${merchantId}, ${sandbox}) is null`
    : sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox}`;
export const ofScope = (t: Owned): SQL =>
  sql`${t.merchantId} = scope.merchant_id and ${t.sandbox} = scope.sandbox`;

/**
 * Equality, as a range that the order begins with. Where few amounts are usual the planner would
 * otherwise read by the id, in the hope that this amount comes soon.
 */
export const is = (t: AnyPgColumn, amount: SQL): SQL => sql`${t} between ${amount} and ${amount}`;

/**
 * `scope (merchant_id, sandbox)`: where it is searched. Across merchants those that have rows which
 * fit, each found by one look into an index that begins with what is searched.
 */
export const owners = (
  { everywhere }: Shape,
  { merchantId, sandbox }: Places,
  t: OwnedTable,
  fits: SQL,
): SQL => {
  if (!everywhere) return sql`(select ${merchantId}, ${sandbox}) as scope (merchant_id, sandbox)`;
  const owner = sql`${t.merchantId}, ${t.sandbox}`;
  const first = (further: SQL): SQL => sql`
    select ${owner} from ${t} where ${fits} ${further} order by ${owner} limit 1`;
  return sql`(
    with recursive owner (merchant_id, sandbox) as (
      (${first(sql``)})
      union all
      select further.* from owner cross join lateral (
        ${first(sql`and (${owner}) > (owner.merchant_id, owner.sandbox)`)}) further)
    select * from owner) as scope (merchant_id, sandbox)`;
};

/**
 * The same for an amount in a fiat currency. An index that begins with it would cost each invoice
 * more than a search is worth (docs/performance.md): it is looked for at each merchant that has
 * invoices or payouts.
 */
export const everyOwner = ({ everywhere }: Shape, { merchantId, sandbox }: Places, micros: SQL): SQL =>
  everywhere
    ? sql`(select distinct ${c.merchantId}, ${c.sandbox} from ${c}
        where ${oneOf(c.stream, ['invoices', 'payouts'])} and ${c.value} > 0 and ${micros} is not null)
        as scope (merchant_id, sandbox)`
    : sql`(select ${merchantId}, ${sandbox}) as scope (merchant_id, sandbox)`;

/** Rows of each scope, by an index that has it beside what is searched. */
export const each = (scope: SQL, rows: SQL): SQL =>
  sql`select found.id from ${scope} cross join lateral (${rows}) as found (id)`;
/** The same for each of several values, as `given`. */
export const eachOf = (given: SQL, scope: SQL, rows: SQL): SQL =>
  sql`select found.id from ${given} cross join lateral ${scope} cross join lateral (${rows}) as found (id)`;
export const chosen = (branches: readonly SQL[]): SQL =>
  sql`found (id) as materialized (${sql.join(
    branches.map((branch) => sql`(${branch})`),
    sql` union `,
  )})`;

/**
 * `offset 0` reads one by one: of many merchants the planner expects so many rows that it would
 * read the table.
 */
export const byKey = (t: typeof i | typeof o | typeof d | typeof p, id = sql`found.id`): SQL =>
  sql`cross join lateral (select * from ${t} where ${t.id} = ${id} offset 0) ${t}`;
