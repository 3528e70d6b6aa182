import type { BackupRecordRepository } from '../../../../src/ports/runtime/backup-record.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function backupRecordRepository(_store: MemoryStore): BackupRecordRepository {
  return notYet('backupRecordRepository');
}
