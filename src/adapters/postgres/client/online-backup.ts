/**
 * A consistent copy of a server's files while it runs, by PostgreSQL's low-level backup (manual, 25.3.4): its files are copied as
 * they are written to, and the write-ahead log of that time makes one state of them at the first start.
 */
import { sql } from 'drizzle-orm';
import { literals } from '../schema/columns.ts';
import { statement } from '../statement.ts';
import { value } from '../statement-parts.ts';
import type { Database } from './client.ts';
import { theOnly } from './statements.ts';

export interface BackupSteps {
  /** Copies what is in the data folder, but the write-ahead log. */
  copyFiles(dataFolder: string): Promise<void>;
  /** Copies these files of the write-ahead log, and puts the label beside them. */
  copyLog(dataFolder: string, log: { segments: readonly string[]; label: string }): Promise<void>;
}

/** Copying a large database from a slow disk. */
const TIMEOUT_MS = 12 * 3_600_000;
const SLOT = literals(['quittance_backup']);

const FOLDER = statement({
  selects: { folder: sql<string>`current_setting('data_directory')` },
  text: (_given, select) => sql`select ${select}`,
});
const KEEP_LOG = statement({
  text: () => sql`select pg_create_physical_replication_slot(${SLOT}, true, true)`,
});
const BEGIN = statement({
  selects: { place: sql<string>`pg_backup_start('quittance', true)::text` },
  text: (_given, select) => sql`select ${select}`,
});
const END = statement({
  selects: {
    place: sql<string>`lsn::text`,
    label: sql<string>`labelfile`,
    tablespaces: sql<string>`spcmapfile`,
  },
  text: (_given, select) => sql`select ${select} from pg_backup_stop(false)`,
});
const SEGMENTS = statement({
  given: { from: value<string>('pg_lsn'), to: value<string>('pg_lsn') },
  selects: { name: sql<string>`name` },
  text: ({ from, to }, select) => sql`
    select ${select} from pg_ls_waldir()
    where name ~ '^[0-9A-F]{24}$' and name between pg_walfile_name(${from}) and pg_walfile_name(${to}) order by name`,
});
const LET_LOG_GO = statement({ text: () => sql`select pg_drop_replication_slot(${SLOT})` });

/**
 * Runs the steps. The server may be read and written meanwhile, and keeps its log for them. Nothing of it is left behind, on failure
 * too. The caller must be a superuser, and the only one to back up.
 */
export function backUpOnline(database: Database, steps: BackupSteps): Promise<void> {
  return database.transaction(
    async (on) => {
      await on.script('set local idle_in_transaction_session_timeout = 0');
      const { folder } = theOnly(await FOLDER(on), 'the data folder');
      // Of this session: it ends with it, whatever happens. The server keeps the log from here on.
      await KEEP_LOG(on);
      const { place: from } = theOnly(await BEGIN(on), 'the beginning of the backup');
      await steps.copyFiles(folder);
      const { place: to, label, tablespaces } = theOnly(await END(on), 'the end of the backup');
      if (tablespaces !== '') throw new Error('a database with tablespaces of its own cannot be copied');
      const segments = await SEGMENTS(on, { from, to });
      await steps.copyLog(folder, { segments: segments.map(({ name }) => name), label });
      await LET_LOG_GO(on);
    },
    { timeoutMs: TIMEOUT_MS },
  );
}
