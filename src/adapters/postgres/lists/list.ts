/**
 * Describes a list: the table of its rows, the columns of each, and its filters. pages.ts,
 * counted-pages.ts, found-pages.ts and changed-pages.ts build its pages, whole-lists.ts all of it.
 * A statement's text depends only on the names of the requested filters, and is made once per
 * shape.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Scope, Sort } from '../../../ports/list-queries.ts';
import type { Stream } from '../schema/merchants.ts';
import type { Fields, PlacesOf, RowOf } from '../statement.ts';
import { commas, type Parameter, type ValueOf } from '../statement-parts.ts';

export type Order = Sort['order'];

/** A filter of a list by one value. */
export interface Condition<Value = never> {
  /** The type of the value. */
  readonly given: AnyColumn | Parameter<Value>;
  /** The columns that it reads. */
  readonly columns: readonly AnyColumn[];
  /** `of` is the scope. */
  readonly holds: (value: SQL, of: Places) => SQL;
  /**
   * It has an index that finds its rows; `many`: it may leave a large part of the list
   * (changed-pages.ts).
   */
  readonly finds?: 'few' | 'many';
  /** Its values are counted per block (list-counts.ts). */
  readonly counted?: 'label' | 'asset';
}

/**
 * A condition for each part of a filter, by name. Conditions with an index come first, the most
 * selective one before the others.
 */
export type Conditions<Filter> = {
  readonly [Name in keyof Filter]-?: Condition<NonNullable<Filter[Name]>>;
};

/** Rows of a table within a scope. */
export interface List<Found> {
  readonly table: PgTable & { readonly merchantId: AnyColumn; readonly sandbox: AnyColumn };
  /** Unique within the scope. */
  readonly key: AnyColumn;
  /** Columns of the table and of `joins`; none is called `total` or `rowKey`. */
  readonly select: Fields;
  /** Reads a selected row. */
  readonly read: (row: never) => Found;
  readonly joins?: SQL;
  readonly conditions: Readonly<Record<string, Condition>>;
}

/** Its conditions include `from` and `to`, which compare `time`. */
export interface DenseList<Found> extends List<Found> {
  readonly stream: Stream;
  /** Never decreases along `key`. */
  readonly time: AnyColumn;
  /** Numbers in the middle may have been removed (removed-numbers.ts). */
  readonly isSparse?: true;
  /** Restricts the table to the list's rows, as its partial indexes do. */
  readonly only?: SQL;
  /** The columns of the order by amount, ending in a unique one, if that order is supported. */
  readonly amount?: readonly AnyColumn[];
}

/** Further columns that pages select. */
export interface Counted {
  readonly total: number;
  /** Null in the one row that carries the total of an empty page. */
  readonly rowKey: unknown;
}

/** Type-checks a list's `select` and `read` against each other. */
export function reading<Select extends Fields, Found>(
  select: Select,
  read: (row: RowOf<Select> & Partial<Counted>) => Found,
): Pick<List<Found>, 'select' | 'read'> {
  return { select, read };
}

export function equal<Of extends AnyColumn>(
  column: Of,
  counted?: 'label' | 'asset',
): Condition<NonNullable<ValueOf<Of>>> {
  const holds = (value: SQL) => sql`${column} = ${value}`;
  return { given: column, columns: [column], holds, ...(counted && { counted }) };
}

/** Both inclusive. */
export function range(time: AnyColumn): { readonly from: Condition<Date>; readonly to: Condition<Date> } {
  const given = { given: time, columns: [time] };
  return {
    from: { ...given, holds: (from) => sql`${time} >= ${from}` },
    to: { ...given, holds: (to) => sql`${time} <= ${to}` },
  };
}

/**
 * The requested filters, by the names of the list's conditions; null and undefined request nothing.
 */
export type Wanted = Readonly<Record<string, unknown>>;
/** Names of conditions, in the list's order. */
export type Names = readonly string[];

export function namesIn({ conditions }: List<unknown>, wanted: Wanted): Names {
  return Object.keys(conditions).filter((name) => (wanted[name] ?? null) !== null);
}

/** Whether it is a bound of a date range. */
export function isBound(name: string): boolean {
  return name === 'from' || name === 'to';
}

/** Those that find rows by an index of their own. */
export function findersIn(list: List<unknown>, names: Names): Names {
  return names.filter((name) => conditionOf(list, name).finds);
}

export function conditionOf({ conditions }: List<unknown>, name: string): Condition {
  return named(conditions, name);
}

/** The parameters of a statement with these conditions: the scope, and their values. */
export function givenFor(list: List<unknown>, names: Names) {
  const { merchantId, sandbox } = list.table;
  const values = Object.fromEntries(names.map((name) => [name, conditionOf(list, name).given]));
  return { ...values, merchantId, sandbox };
}

export type Places = PlacesOf<ReturnType<typeof givenFor>>;

/** The parameter of a condition's value. */
export function placeOf(places: Places, name: string): SQL {
  return named(places, name);
}

export type Values = Wanted & Scope;

export function valuesFor({ merchantId, sandbox }: Scope, wanted: Wanted): Values {
  return { ...wanted, merchantId, sandbox };
}

/** These conditions as SQL. */
export function holding(list: List<unknown>, names: Names, places: Places): readonly SQL[] {
  return names.map((name) => conditionOf(list, name).holds(placeOf(places, name), places));
}

/** The row belongs to the scope and the list, and fulfils all of these. */
export function allOf(
  { table, only }: List<unknown> & { readonly only?: SQL },
  { merchantId, sandbox }: Places,
  ...conditions: readonly SQL[]
): SQL {
  const inScope = sql`${table.merchantId} = ${merchantId} and ${table.sandbox} = ${sandbox}`;
  return both(inScope, ...(only ? [only] : []), ...conditions);
}

export function both(...conditions: readonly SQL[]): SQL {
  return sql.join([...conditions], sql` and `);
}

/** The columns of the order, ending in a unique one. */
export function orderOf({ key, amount }: DenseList<unknown>, by: Sort['by']): readonly AnyColumn[] {
  return by === 'amount' && amount ? amount : [key];
}

export function inOrder(columns: readonly AnyColumn[], order: Order): SQL {
  return commas(columns.map((column) => sql`${column} ${sql.raw(order)}`));
}

function named<Of>(all: Readonly<Record<string, Of>>, name: string): Of {
  const found = all[name];
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}
