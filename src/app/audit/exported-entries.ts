/** The audit log as rows of a file, newest first: the whole of it never is in memory. */
import { type AuditEntry, NOTE_LENGTH_MAX } from '../../domain/audit/audit-entry.ts';
import type { JsonObject } from '../../domain/money/json.ts';
import type { AuditFilter, AuditQueries } from '../../ports/audit/audit-log.ts';

const PAGE = 1_000;

export const EVERY_ENTRY: AuditFilter = {
  ...{ merchantId: null, subject: null, subjectId: null, actor: null, action: null, from: null, to: null },
};

/** The columns of a file, in their order. */
export const EXPORT_COLUMNS = [
  ...['id', 'at', 'actor_kind', 'actor_user_id', 'actor', 'ip', 'action', 'subject', 'subject_id'],
  ...['merchant_id', 'note', 'before', 'after'],
] as const;

export interface ExportedEntry {
  readonly id: string;
  /** ISO 8601, to the millisecond. */
  readonly at: string;
  readonly actor_kind: string;
  readonly actor_user_id: string | null;
  readonly actor: string;
  readonly ip: string | null;
  readonly action: string;
  readonly subject: string;
  readonly subject_id: string | null;
  readonly merchant_id: string | null;
  readonly note: string | null;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

export function exportedEntry(entry: AuditEntry): ExportedEntry {
  const { actor } = entry;
  return {
    ...{ id: entry.id, at: entry.at.toISOString() },
    ...{ actor_kind: actor.kind, actor_user_id: actor.userId, actor: actor.name, ip: actor.ip },
    ...{ action: entry.action, subject: entry.subject, subject_id: entry.subjectId },
    ...{ merchant_id: entry.merchantId, note: entry.note ?? null },
    ...{ before: entry.before, after: entry.after },
  };
}

/** What a file is asked for, for the entry about it. Null: everything. */
function filterText(filter: AuditFilter): string | null {
  const parts = Object.entries(filter).flatMap(([name, value]: [string, Date | string | null]) =>
    value === null ? [] : [`${name} ${value instanceof Date ? value.toISOString() : value}`],
  );
  return parts.join(', ').slice(0, NOTE_LENGTH_MAX) || null;
}

/** A file of the log is an action of its own. Its entry is written first, and is in the file. */
export function exportOf(filter: AuditFilter) {
  const action = { action: 'audit_log.exported', subject: 'audit_log' } as const;
  return { ...action, subjectId: null, merchantId: null, note: filterText(filter) };
}

/** What is written while it reads may be missing; nothing comes twice. */
export async function* exportedEntries(
  queries: Pick<AuditQueries, 'auditEntries'>,
  filter: AuditFilter,
): AsyncGenerator<readonly ExportedEntry[], void> {
  for (let before: string | null = null; ; ) {
    const entries: readonly AuditEntry[] = await queries.auditEntries(filter, { before, limit: PAGE });
    if (entries.length > 0) yield entries.map(exportedEntry);
    if (entries.length < PAGE) return;
    before = entries.at(-1)?.id ?? null;
  }
}
