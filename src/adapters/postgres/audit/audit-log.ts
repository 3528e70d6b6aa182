/** The audit log: appended to in a transaction, and read newest first by an index. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { AuditEntry } from '../../../domain/audit/audit-entry.ts';
import type { AuditQueries, AuditRepository } from '../../../ports/audit/audit-log.ts';
import type { Sql } from '../client/sql.ts';
import { auditLog as l } from '../schema/console/audit.ts';
import { type PlacesOf, type RowOf, statement, statementsBy } from '../statement.ts';
import { insertInto, nullable, value } from '../statement-parts.ts';

const ENTRY = getTableColumns(l);
const INSERT = statement({ given: ENTRY, text: (values) => insertInto(l, values) });

const WANTED = {
  ...{ merchantId: nullable(l.merchantId), subject: nullable(l.subject), subjectId: nullable(l.subjectId) },
  ...{ actor: nullable(l.actorName), action: nullable(l.action), from: nullable(l.at), to: nullable(l.at) },
  ...{ before: nullable(l.id), limit: value<number>('bigint') },
};
/** By which index it reads: both have the ids in order. */
type Found = 'merchant' | 'subject' | 'all';
const FOUND_BY: Readonly<Record<Found, (given: PlacesOf<typeof WANTED>) => SQL>> = {
  merchant: ({ merchantId }) => sql`${l.merchantId} = ${merchantId} and`,
  subject: ({ subject, subjectId }) => sql`${l.subject} = ${subject} and ${l.subjectId} = ${subjectId} and`,
  all: () => sql``,
};
const PAGE = statementsBy(['merchant', 'subject', 'all'], (found: Found) =>
  statement({
    given: WANTED,
    selects: ENTRY,
    text: (given, select) => sql`
      select ${select} from ${l}
      where ${FOUND_BY[found](given)} (${given.before} is null or ${l.id} < ${given.before})
        and (${given.merchantId} is null or ${l.merchantId} = ${given.merchantId})
        and (${given.subject} is null or ${l.subject} = ${given.subject})
        and (${given.subjectId} is null or ${l.subjectId} = ${given.subjectId})
        and (${given.actor} is null or strpos(lower(${l.actorName}), lower(${given.actor})) > 0)
        and (${given.action} is null or ${l.action} = ${given.action}
          or split_part(${l.action}, '.', 1) = ${given.action})
        and (${given.from} is null or ${l.at} >= ${given.from})
        and (${given.to} is null or ${l.at} <= ${given.to})
      order by ${l.id} desc limit ${given.limit}`,
  }),
);

export function auditRepository(on: Sql): AuditRepository {
  return {
    async append({ actor, ...entry }) {
      await INSERT(on, {
        ...entry,
        note: entry.note ?? null,
        ...{ actorKind: actor.kind, actorUserId: actor.userId, actorName: actor.name, actorIp: actor.ip },
      });
    },
  };
}

export function auditQueries(on: Sql): AuditQueries {
  return {
    async auditEntries(filter, page) {
      const ofOne = filter.subject !== null && filter.subjectId !== null;
      const found = ofOne ? 'subject' : filter.merchantId !== null ? 'merchant' : 'all';
      return (await PAGE(found)(on, { ...filter, ...page })).map(entryFromRow);
    },
  };
}

function entryFromRow(row: RowOf<typeof ENTRY>): AuditEntry {
  const { actorKind: kind, actorUserId: userId, actorName: name, actorIp: ip, ...entry } = row;
  return { ...entry, actor: { kind, userId, name, ip } };
}
