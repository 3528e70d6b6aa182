/** The record of the newest backup. */
import { sql } from 'drizzle-orm';
import type { BackupRecordRepository, RecordedBackup } from '../../../ports/runtime/backup-record.ts';
import type { Sql } from '../client/sql.ts';
import { newestBackup as b } from '../schema/console/notices.ts';
import { statement } from '../statement.ts';
import { insertInto, names, toExcluded, value } from '../statement-parts.ts';

const NOTE = statement({
  given: { singleton: value<boolean>('boolean'), at: b.at, kind: b.kind },
  text: (values) => sql`
    ${insertInto(b, values)}
    on conflict (${names(b.singleton)}) do update set ${toExcluded(b.at, b.kind)}`,
});
const READ = statement({
  selects: { at: b.at, kind: b.kind },
  text: (_given, select) => sql`select ${select} from ${b}`,
});

export function backupRecordRepository(on: Sql): BackupRecordRepository {
  return {
    async note({ at, kind }) {
      await NOTE(on, { singleton: true, at, kind });
    },
  };
}

export async function recordedBackup(on: Sql): Promise<RecordedBackup | null> {
  return (await READ(on))[0] ?? null;
}
