/** The record of the newest backup, in memory. */
import type { BackupRecordRepository, RecordedBackup } from '../../../../src/ports/runtime/backup-record.ts';
import type { MemoryStore } from '../store/memory-store.ts';

export function backupRecordRepository(store: MemoryStore): BackupRecordRepository {
  return {
    async note({ at, kind }) {
      store.tables.newestBackup.insertOrUpdate({ singleton: true, at, kind }, () => ({ at, kind }));
    },
  };
}

export function recordedBackup({ tables }: MemoryStore): RecordedBackup | null {
  const row = tables.newestBackup.find(true);
  return row === undefined ? null : { at: row.at, kind: row.kind };
}
