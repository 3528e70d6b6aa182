/** Rows of PostgreSQL, changed with its triggers and foreign keys off. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import type { Sql } from '../../../src/adapters/postgres/client/sql.ts';
import { statement } from '../../../src/adapters/postgres/statement.ts';
import {
  type Columns,
  columnsOf,
  insertSelect,
  records,
  set,
  value,
} from '../../../src/adapters/postgres/statement-parts.ts';
import type { RawRows } from '../ledger/raw-rows.ts';

type Row = Readonly<Record<string, unknown>>;
const PLACE = value<string>('tid');

export function postgresRawRows(database: Database): RawRows {
  /** The chosen rows, each with its place in the table. */
  async function found(on: Sql, table: PgTable, which: (row: never) => boolean) {
    const read = statement({
      selects: { ...(getTableColumns(table) as Columns), place: sql<string>`ctid::text` },
      text: (_given, select) => sql`select ${select} from ${table}`,
    });
    const rows = (await read(on)) as readonly (Row & { readonly place: string })[];
    return rows.map(({ place, ...row }) => ({ place, row })).filter(({ row }) => which(row as never));
  }
  const unwatched = (work: (on: Sql) => Promise<void>) => unwatchedOn(database, work);
  return {
    rows: async (table) => (await found(database, table, () => true)).map(({ row }) => row as never),
    change: (table, which, to) =>
      unwatched(async (on) => {
        for (const { place, row } of await found(on, table, which)) {
          const changes = (typeof to === 'function' ? to(row as never) : to) as Row;
          const columns = getTableColumns(table) as Columns;
          const given = Object.fromEntries(Object.keys(changes).map((name) => [name, columns[name]!]));
          const write = statement({
            given: { ...given, place: PLACE },
            text: ({ place: at, ...values }) =>
              sql`update ${table} set ${set<PgTable>(table, values)} where ctid = ${at}`,
          });
          await write(on, { ...changes, place } as never);
        }
      }),
    remove: (table, which) =>
      unwatched(async (on) => {
        const write = statement({
          given: { place: PLACE },
          text: ({ place }) => sql`delete from ${table} where ctid = ${place}`,
        });
        for (const { place } of await found(on, table, which)) await write(on, { place });
      }),
  };
}

/** Whole rows, in one statement. They may refer to rows that come later. */
export async function putRows(database: Database, table: PgTable, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.fromEntries(
    Object.entries(getTableColumns(table) as Columns).filter(([, { generated }]) => generated === undefined),
  );
  const write = statement({
    given: { rows: records('g', columns) },
    text: ({ rows: all }) =>
      sql`${insertSelect(table, columnsOf('g', columns) as Record<string, SQL<never>>)} from ${all}`,
  });
  await unwatchedOn(database, async (on) => {
    await write(on, { rows: rows as never });
  });
}

function unwatchedOn(database: Database, work: (on: Sql) => Promise<void>): Promise<void> {
  return database.transaction(async (on) => {
    await on.query('set local session_replication_role = replica');
    await work(on);
  });
}
