/**
 * A backup of a test's database, inside that database: taken and put back within milliseconds, as
 * often as a test likes.
 */
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { directUrl } from './postgres.ts';

export interface DatabaseBackup {
  take(): Promise<void>;
  /** Everything that was written since `take` is forgotten. */
  putBack(): Promise<void>;
  close(): Promise<void>;
}

// What triggers write comes last: they always fire, with the rows of others.
const TABLES = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname ~ '^(list_count|day_figure|invoice_emails)', c.relname`;
const COLUMNS = `
  select column_name as name from information_schema.columns
  where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`;

export function databaseBackup(url: string): DatabaseBackup {
  // One connection, and no pooler: what keeps triggers quiet is a setting of the session.
  const opened = directUrl(url).then((direct) =>
    openDatabase({ url: direct, poolSize: 1, logger: silentLogger }),
  );
  const tablesOf = async (database: Database) =>
    (await database.query<{ name: string }>(TABLES)).map(({ name }) => name);
  return {
    async take() {
      const database = await opened;
      await database.query('drop schema if exists kept cascade');
      await database.query('create schema kept');
      for (const name of await tablesOf(database))
        await database.query(`create table kept."${name}" as select * from public."${name}"`);
    },
    async putBack() {
      const database = await opened;
      await database.query("set session_replication_role = 'replica'");
      for (const name of await tablesOf(database)) {
        const columns = await database.query<{ name: string }>(COLUMNS, [name]);
        const list = columns.map((column) => `"${column.name}"`).join(', ');
        await database.query(`delete from public."${name}"`);
        await database.query(
          `insert into public."${name}" (${list}) overriding system value select ${list} from kept."${name}"`,
        );
      }
      await database.query("set session_replication_role = 'origin'");
    },
    close: async () => (await opened).close(),
  };
}
