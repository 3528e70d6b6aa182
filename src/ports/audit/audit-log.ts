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

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** `before` of the page that goes on; null: no older entry fits. */
  readonly older: string | null;
}

export interface AuditQueries {
  /** Entries older than the entry `before`, or the newest (null). May read all of a long log. */
  auditEntries(
    filter: AuditFilter,
    page: { before: string | null; limit: number },
  ): Promise<readonly AuditEntry[]>;
  /**
   * The same for a page that must come soon: of the entries, at most `looks` are tried for what no
   * index has.
   */
  auditPage(
    filter: AuditFilter,
    page: { before: string | null; limit: number; looks: number },
  ): Promise<AuditPage>;
}
