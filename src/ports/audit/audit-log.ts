/** The audit log: written inside UnitOfWork.run, never changed, and read newest first. */
import type { AuditEntry, AuditSubject } from '../../domain/audit/audit-entry.ts';

export interface AuditRepository {
  append(entry: AuditEntry): Promise<void>;
}

export interface AuditFilter {
  /** Null: of all merchants, and what concerns none. */
  readonly merchantId: string | null;
  readonly subject: AuditSubject | null;
  readonly subjectId: string | null;
  /** The name of an actor, or a part of it. */
  readonly actor: string | null;
  /** An action, or the part before its dot. */
  readonly action: string | null;
  /** Both inclusive. */
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface AuditQueries {
  /** Entries older than the entry `before`, or the newest (null). */
  auditEntries(
    filter: AuditFilter,
    page: { before: string | null; limit: number },
  ): Promise<readonly AuditEntry[]>;
}
