/** The audit log in memory. */
import type { AuditEntry } from '../../../../src/domain/audit/audit-entry.ts';
import type { AuditFilter, AuditQueries, AuditRepository } from '../../../../src/ports/audit/audit-log.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { lowered, storedJson } from '../store/texts.ts';

export function auditRepository(store: MemoryStore): AuditRepository {
  return {
    async append({ actor, before, after, ...entry }) {
      store.tables.auditLog.insert({
        ...entry,
        note: entry.note ?? null,
        before: before === null ? null : storedJson(before),
        after: after === null ? null : storedJson(after),
        ...{ actorKind: actor.kind, actorUserId: actor.userId, actorName: actor.name, actorIp: actor.ip },
      });
    },
  };
}

type Row = ReturnType<MemoryStore['tables']['auditLog']['insert']>;
type Page = { readonly before: string | null; readonly limit: number };

export function auditQueries(store: MemoryStore): AuditQueries {
  const fitting = (rows: readonly Row[], filter: AuditFilter, limit: number) =>
    rows
      .filter((row) => isWanted(row, filter))
      .slice(0, limit)
      .map(entryFromRow);
  return {
    auditEntries: async (filter, { before, limit }) => fitting(sought(store, filter, before), filter, limit),
    async auditPage(filter, { before, limit, looks }) {
      const tried = sought(store, filter, before).slice(0, looks);
      const entries = fitting(tried, filter, limit);
      if (entries.length === limit) return { entries, older: entries.at(-1)?.id ?? null };
      return { entries, older: tried.length === looks ? (tried.at(-1)?.id ?? null) : null };
    },
  };
}

/** Ids are made a moment before their entry. No clocks of two processes differ by so much. */
const APART_MS = 3_600_000;

/** What an index finds, newest first. The ids of a range of time lie between its first and last. */
function sought({ tables }: MemoryStore, filter: AuditFilter, before: Page['before']): readonly Row[] {
  const { merchantId, subjectId, from, to } = filter;
  const rows =
    subjectId !== null
      ? tables.auditLog.by('subjectId', subjectId)
      : merchantId !== null
        ? tables.auditLog.by('merchantId', merchantId)
        : [...tables.auditLog.all()];
  const found = rows
    .filter(
      (row) => (before === null || row.id < before) && (merchantId === null || row.merchantId === merchantId),
    )
    .sort((a, b) => byText(b.id, a.id));
  if (from === null && to === null) return found;
  const byTime = [...tables.auditLog.all()].sort(
    (a, b) => a.at.getTime() - b.at.getTime() || byText(a.id, b.id),
  );
  const first = from && byTime.find(({ at }) => at.getTime() >= from.getTime() - APART_MS);
  const last = to && byTime.findLast(({ at }) => at.getTime() <= to.getTime() + APART_MS);
  // Where there is none, nothing is in the range.
  return first === undefined || last === undefined
    ? []
    : found.filter(({ id }) => (first === null || id >= first.id) && (last === null || id <= last.id));
}

/** What no index has. */
function isWanted(row: Row, { subject, actor, action, from, to }: AuditFilter): boolean {
  return (
    (subject === null || row.subject === subject) &&
    (actor === null || lowered(row.actorName).includes(lowered(actor))) &&
    (action === null || row.action === action || row.action.split('.')[0] === action) &&
    (from === null || row.at >= from) &&
    (to === null || row.at <= to)
  );
}

function entryFromRow(row: Row): AuditEntry {
  const { actorKind: kind, actorUserId: userId, actorName: name, actorIp: ip, ...entry } = row;
  return { ...entry, actor: { kind, userId, name, ip } };
}
