/**
 * A table in memory, made from its Drizzle schema: rows have the schema's types, and its primary
 * key, unique indexes, required columns and foreign keys hold. A row is never changed: an update
 * puts a new one in its place, so whoever read a row keeps what he read. Refusals are
 * StatementRefused with PostgreSQL's code and the constraint's name, as those of the server.
 */
import { getTableColumns, type InferInsertModel, type InferSelectModel } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import {
  NUL,
  propertiesOf,
  type Reference,
  referencesOf,
  textOf,
  type Unique,
  uniquesOf,
} from './constraints.ts';
import { type RowShape, rowShape } from './row-shape.ts';
import { ValueIndex } from './value-index.ts';

/** A row before and after; undefined: it was not there, or is not any more. */
export interface Change {
  readonly table: { readonly name: string; takeBack(change: Change): void };
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Of a deleted row: where it was among the others. */
  readonly place?: number;
}

export interface Journal {
  /** Before a change: throws where nothing may be written. */
  record(change: Change): void;
}

/** The other tables, by their schema. */
export type TableOf = (schema: PgTable) => Table<PgTable>;

export class Table<Of extends PgTable, Row = InferSelectModel<Of>, Insert = InferInsertModel<Of>> {
  readonly name: string;
  readonly #journal: Journal;
  readonly #keyColumns: readonly string[];
  readonly #keyName: string;
  /** Of the rows of a table without a primary key: their keys. */
  readonly #numbers = new WeakMap<object, string>();
  /** Of rows by their keys, in the order of their insertion. */
  readonly #places = new Map<string, number>();
  #numbered = 0;
  #placed = 0;
  readonly #rows = new Map<string, Row>();
  /** A row that was deleted came back: it is not in its place yet. */
  #isMixed = false;
  readonly #uniques: readonly Unique<Row>[];
  readonly #references: readonly Reference<Row>[];
  readonly #shape: RowShape;
  /** Keys of rows by the value of a column; made at its first use. */
  readonly #indexes = new Map<string, ValueIndex>();

  constructor(schema: Of, { journal, tableOf }: { journal: Journal; tableOf: TableOf }) {
    const config = getTableConfig(schema);
    const columns = Object.entries(getTableColumns(schema));
    this.name = config.name;
    this.#journal = journal;
    const single = columns.filter(([, column]) => column.primary).map(([property]) => property);
    this.#keyColumns = config.primaryKeys[0] ? propertiesOf(schema, config.primaryKeys[0].columns) : single;
    this.#keyName = config.primaryKeys[0]?.getName() ?? `${this.name}_pkey`;
    this.#shape = rowShape(schema);
    this.#uniques = uniquesOf<Row>(schema);
    this.#references = referencesOf<Row>(schema, tableOf);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** By the columns of the primary key, in its order. */
  find(...key: readonly unknown[]): Row | undefined {
    return this.#rows.get(key.length === 1 ? textOf(key[0]) : key.map(textOf).join(NUL));
  }

  /** In the order of their insertion. */
  all(): IterableIterator<Row> {
    return this.#inOrder().values();
  }

  where(test: (row: Row) => boolean): Row[] {
    const found: Row[] = [];
    for (const row of this.#inOrder().values()) if (test(row)) found.push(row);
    return found;
  }

  first(test: (row: Row) => boolean): Row | undefined {
    for (const row of this.#inOrder().values()) if (test(row)) return row;
    return undefined;
  }

  /**
   * Rows with this value, in the order of their insertion, by an index that is made at its first
   * use.
   */
  by<Column extends keyof Row & string>(column: Column, value: Row[Column]): Row[] {
    const rows: Row[] = [];
    for (const key of this.#indexOf(column).keysOf(textOf(value))) rows.push(this.#rows.get(key)!);
    return rows;
  }

  /** For foreign keys. */
  hasRowWith(columns: readonly string[], values: readonly unknown[]): boolean {
    const isKey =
      columns.length === this.#keyColumns.length && columns.every((name, n) => name === this.#keyColumns[n]);
    if (isKey) return this.find(...values) !== undefined;
    const [first, ...others] = columns;
    const among = this.by(first as keyof Row & string, values[0] as Row[keyof Row & string]);
    return among.some((row) =>
      others.every((column, n) => textOf((row as Values)[column]) === textOf(values[n + 1])),
    );
  }

  /** Throws StatementRefused where a row like it is there, or a column's value is missing. */
  insert(given: Insert): Row {
    const row = this.#complete(given);
    const conflict = this.#conflictOf(row);
    if (conflict !== null) throw this.#refused('23505', conflict.constraint);
    return this.#put(row);
  }

  /**
   * `on conflict do nothing`: the row, or null where one like it is there. `constraint`: the one
   * whose conflicts do nothing; others are refused.
   */
  insertUnlessThere(given: Insert, constraint?: string): Row | null {
    const row = this.#complete(given);
    const conflict = this.#conflictOf(row);
    if (conflict === null) return this.#put(row);
    if (constraint !== undefined && conflict.constraint !== constraint)
      throw this.#refused('23505', conflict.constraint);
    return null;
  }

  /** `on conflict … do update`: `changes` of the row that is there. */
  insertOrUpdate(given: Insert, changes: (there: Row) => Partial<Row>): Row {
    const row = this.#complete(given);
    const conflict = this.#conflictOf(row);
    return conflict === null ? this.#put(row) : this.update(conflict.row, changes(conflict.row));
  }

  /** Its primary key stays. `row` may be an older version of it. */
  update(row: Row, changes: Partial<Row>): Row {
    const key = this.#keyOf(row);
    const before = this.#rows.get(key);
    if (before === undefined) throw new Error(`${this.name} has no row ${key}`);
    const after = { ...before, ...changes };
    if (this.#keyColumns.length === 0) this.#numbers.set(after as object, key);
    this.#shape.generate(after as Values);
    if (this.#keyOf(after) !== key) throw new Error(`the key of a row of ${this.name} does not change`);
    this.#checkRequired(after);
    const conflict = this.#conflictOf(after, key);
    if (conflict !== null) throw this.#refused('23505', conflict.constraint);
    this.#checkReferences(after);
    this.#journal.record({ table: this, key, before, after });
    this.#replace(key, before, after);
    return after;
  }

  delete(row: Row): void {
    const key = this.#keyOf(row);
    const before = this.#rows.get(key);
    if (before === undefined) return;
    this.#journal.record({ table: this, key, before, after: undefined, place: this.#places.get(key)! });
    this.#replace(key, before, undefined);
  }

  takeBack({ key, before, after, place }: Change): void {
    if (after === undefined) {
      this.#places.set(key, place!);
      this.#isMixed = true;
    }
    this.#replace(key, after as Row | undefined, before as Row | undefined);
  }

  /** What brings its present rows back. Outside any transaction. */
  keep(): () => void {
    const rows = [...this.#inOrder()];
    return () => {
      this.clear();
      for (const [key, row] of rows) this.#add(key, row);
    };
  }

  /** Outside any transaction. */
  clear(): void {
    this.#rows.clear();
    this.#places.clear();
    this.#indexes.clear();
    this.#isMixed = false;
    for (const { keys } of this.#uniques) keys.clear();
  }

  #complete(given: Insert): Row {
    const row = this.#shape.complete(given as object) as Row;
    this.#checkRequired(row);
    return row;
  }

  #checkRequired(row: Row): void {
    const missing = this.#shape.missing(row as Values);
    if (missing !== undefined) throw this.#refused('23502', null, missing);
  }

  #checkReferences(row: Row): void {
    for (const { name, exists } of this.#references) if (!exists(row)) throw this.#refused('23503', name);
  }

  #conflictOf(row: Row, own?: string): { readonly constraint: string; readonly row: Row } | null {
    const key = this.#keyOf(row);
    const there = own === undefined ? this.#rows.get(key) : undefined;
    if (there !== undefined) return { constraint: this.#keyName, row: there };
    for (const { name, keyOf, keys } of this.#uniques) {
      const value = keyOf(row);
      const holder = value === null ? undefined : keys.get(value);
      if (holder !== undefined && holder !== own) return { constraint: name, row: this.#rows.get(holder)! };
    }
    return null;
  }

  #put(row: Row): Row {
    this.#checkReferences(row);
    const key = this.#keyOf(row);
    this.#journal.record({ table: this, key, before: undefined, after: row });
    this.#add(key, row);
    return row;
  }

  #add(key: string, row: Row): void {
    this.#placed += 1;
    this.#places.set(key, this.#placed);
    this.#replace(key, undefined, row);
  }

  #replace(key: string, before: Row | undefined, after: Row | undefined): void {
    for (const { keyOf, keys } of this.#uniques) {
      const was = before === undefined ? null : keyOf(before);
      const is = after === undefined ? null : keyOf(after);
      if (was === is) continue;
      if (was !== null && keys.get(was) === key) keys.delete(was);
      if (is !== null) keys.set(is, key);
    }
    for (const [column, index] of this.#indexes) {
      const was = before === undefined ? null : textOf((before as Values)[column]);
      const is = after === undefined ? null : textOf((after as Values)[column]);
      if (was === is) continue;
      if (was !== null) index.remove(was, key);
      if (is !== null) index.add(is, key, this.#places.get(key)!);
    }
    if (after !== undefined) this.#rows.set(key, after);
    else {
      this.#rows.delete(key);
      this.#places.delete(key);
    }
  }

  #indexOf(column: string): ValueIndex {
    const made = this.#indexes.get(column);
    if (made !== undefined) return made;
    const index = new ValueIndex();
    for (const [key, row] of this.#inOrder())
      index.add(textOf((row as Values)[column]), key, this.#places.get(key)!);
    this.#indexes.set(column, index);
    return index;
  }

  #inOrder(): ReadonlyMap<string, Row> {
    if (this.#isMixed) {
      const sorted = [...this.#rows].sort(([a], [b]) => this.#places.get(a)! - this.#places.get(b)!);
      this.#rows.clear();
      for (const [key, row] of sorted) this.#rows.set(key, row);
      this.#isMixed = false;
    }
    return this.#rows;
  }

  #keyOf(row: Row): string {
    if (this.#keyColumns.length === 0) return this.#numberOf(row as object);
    const [only, ...others] = this.#keyColumns;
    if (others.length === 0) return textOf((row as Values)[only!]);
    return this.#keyColumns.map((column) => textOf((row as Values)[column])).join(NUL);
  }

  #numberOf(row: object): string {
    const there = this.#numbers.get(row);
    if (there !== undefined) return there;
    this.#numbered += 1;
    this.#numbers.set(row, String(this.#numbered));
    return String(this.#numbered);
  }

  #refused(sqlState: string, constraint: string | null, column = ''): StatementRefused {
    const message = `${this.name}: ${constraint ?? `${column} is required`}`;
    return new StatementRefused(message, { sqlState, constraint, statement: 'in memory' });
  }
}

type Values = Record<string, unknown>;
