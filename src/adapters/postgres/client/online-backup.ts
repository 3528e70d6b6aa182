/**
 * A consistent copy of a server's files while it runs, by PostgreSQL's low-level backup (manual, 25.3.4): its files are copied as
 * they are written to, and the write-ahead log of that time makes one state of them at the first start.
 */
import type { Database } from './client.ts';
import type { Sql } from './sql.ts';
import { theOnly } from './statements.ts';

export interface BackupSteps {
  /** Copies what is in the data folder, but the write-ahead log. */
  copyFiles(dataFolder: string): Promise<void>;
  /** Copies these files of the write-ahead log, and puts the label beside them. */
  copyLog(dataFolder: string, log: { segments: readonly string[]; label: string }): Promise<void>;
}

/** Copying a large database from a slow disk. */
const TIMEOUT_MS = 12 * 3_600_000;
const SLOT = 'quittance_backup';

const BEGIN = `select pg_backup_start('quittance', true)::text as place`;
const END =
  'select lsn::text as place, labelfile as label, spcmapfile as tablespaces from pg_backup_stop(false)';
const SEGMENTS = `
  select name from pg_ls_waldir()
  where name ~ '^[0-9A-F]{24}$' and name between pg_walfile_name($1::pg_lsn) and pg_walfile_name($2::pg_lsn) order by name`;

/**
 * Runs the steps. The server may be read and written meanwhile, and keeps its log for them. Nothing of it is left behind, on failure
 * too. The caller must be a superuser, and the only one to back up.
 */
export function backUpOnline(database: Database, steps: BackupSteps): Promise<void> {
  return database.transaction(
    async (sql) => {
      await sql.script('set local idle_in_transaction_session_timeout = 0');
      const folder = await textOf(sql, 'show data_directory', 'data_directory');
      // Of this session: it ends with it, whatever happens. The server keeps the log from here on.
      await sql.query('select pg_create_physical_replication_slot($1, true, true)', [SLOT]);
      const from = await textOf(sql, BEGIN, 'place');
      await steps.copyFiles(folder);
      type End = { place: string; label: string; tablespaces: string };
      const { place, label, tablespaces } = theOnly(await sql.query<End>(END), 'the end of the backup');
      if (tablespaces !== '') throw new Error('a database with tablespaces of its own cannot be copied');
      const segments = await sql.query<{ name: string }>(SEGMENTS, [from, place]);
      await steps.copyLog(folder, { segments: segments.map(({ name }) => name), label });
      await sql.query('select pg_drop_replication_slot($1)', [SLOT]);
    },
    { timeoutMs: TIMEOUT_MS },
  );
}

async function textOf(sql: Sql, statement: string, column: string): Promise<string> {
  return theOnly(await sql.query<Record<string, string>>(statement), column)[column] ?? '';
}
