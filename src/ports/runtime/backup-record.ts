/** The time of the newest backup, kept in the database. */
import type { BackupKind } from '../../domain/backup-kind.ts';

export interface RecordedBackup {
  readonly at: Date;
  readonly kind: BackupKind;
}

/** Inside UnitOfWork.run only. */
export interface BackupRecordRepository {
  /** Replaces the record. */
  note(backup: RecordedBackup): Promise<void>;
}
