/**
 * A consistent copy of a running server's files, by PostgreSQL's low-level backup (manual, 25.3.4):
 * the files are copied during writes, and at the first start the write-ahead log of that time makes
 * them consistent.
 */
import { sql } from 'drizzle-orm';
import { literals } from '../schema/columns.ts';
import { statement } from '../statement.ts';
import { value } from '../statement-parts.ts';
import type { Database } from './client.ts';
import { limitIdleness } from './idle-limit.ts';
import { theOnly } from './statements.ts';

export interface BackupSteps {
  /** Copies the data folder, except the write-ahead log. */
  copyFiles(dataFolder: string): Promise<void>;
  /** Copies these files of the write-ahead log, and writes the label beside them. */
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
 * Runs the steps. The server may be used meanwhile, and keeps its log for them. Cleans up, even
 * after a failure. The caller must be a superuser, and run the only backup.
 */
export function backUpOnline(database: Database, steps: BackupSteps): Promise<void> {
  return database.transaction(
    async (on) => {
      await limitIdleness(on, 0);
      const { folder } = theOnly(await FOLDER(on), 'the data folder');
      // It belongs to this session and ends with it. The server keeps the log from here on.
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
