/**
 * drizzle's typed query builder over our own connections, for the cold paths: inside a transaction it runs in that
 * transaction, and deadlines and errors are the client's. Hot paths write their SQL and use `Sql.query`.
 */
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy';
import type { Sql } from './client.ts';
import type { SqlParameter } from './parameters.ts';

/**
 * A query builder whose statements run through `sql`. Its `transaction` is not offered: begin with Database.transaction
 * and put the builder over what that hands out. What the driver throws is in the `cause` of its errors, where the
 * predicates of pg-errors.ts find it.
 */
export function drizzleOn(sql: Sql): Omit<PgRemoteDatabase, 'transaction'> {
  return drizzle(async (text, parameters: SqlParameter[], method, typings) => {
    const statement = typings === undefined ? text : castJson(text, typings);
    const rows =
      method === 'all' ? await sql.rows(statement, parameters) : await sql.query(statement, parameters);
    return { rows: [...rows] };
  });
}

/** drizzle hands JSON over as text, without the cast that the client asks for. */
function castJson(text: string, typings: readonly string[]): string {
  return text.replace(/\$(\d+)(?!\d|::)/g, (placeholder, number: string) =>
    typings[Number(number) - 1] === 'json' ? `${placeholder}::jsonb` : placeholder,
  );
}
