/** The audit log: appended to in a transaction, and read newest first by an index. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { AuditEntry } from '../../../domain/audit/audit-entry.ts';
import type { AuditFilter, AuditQueries, AuditRepository } from '../../../ports/audit/audit-log.ts';
import type { Sql } from '../client/sql.ts';
import { auditLog as l } from '../schema/console/audit.ts';
import { type PlacesOf, type RowOf, statement, statementsBy } from '../statement.ts';
import { insertInto, nullable, value } from '../statement-parts.ts';

const ENTRY = getTableColumns(l);
const INSERT = statement({ given: ENTRY, text: (values) => insertInto(l, values) });

const WANTED = {
  ...{ merchantId: nullable(l.merchantId), subject: nullable(l.subject), subjectId: nullable(l.subjectId) },
  ...{ actor: nullable(l.actorName), action: nullable(l.action), from: nullable(l.at), to: nullable(l.at) },
  ...{ before: nullable(l.id), limit: value<number>('bigint'), looks: value<number | null>('bigint') },
};
const SOUGHT = {
  ...{ merchantId: WANTED.merchantId, subjectId: WANTED.subjectId, from: WANTED.from, to: WANTED.to },
  ...{ before: WANTED.before, looks: value<number>('bigint') },
};
type Sought = Omit<PlacesOf<typeof SOUGHT>, 'looks'>;
/** By which index it reads: both have the ids in order. */
type Found = 'merchant' | 'subject' | 'all';
const FOUND_BY: Readonly<Record<Found, (given: Sought) => SQL>> = {
  merchant: ({ merchantId }) => sql`${l.merchantId} = ${merchantId} and`,
  subject: ({ subjectId }) => sql`${l.subjectId} = ${subjectId} and`,
  all: () => sql``,
};
/** Ids are made a moment before their entry. No clocks of two processes differ by so much. */
const APART = sql.raw(`interval '1 hour'`);
/** Ids sort by time: the first and the last of a range end it, whatever the log has besides. */
const sought = (found: Found, given: Sought): SQL => sql`
  ${FOUND_BY[found](given)} (${given.before} is null or ${l.id} < ${given.before})
    and (${given.merchantId} is null or ${l.merchantId} = ${given.merchantId})
    and (${given.subjectId} is null or ${l.subjectId} = ${given.subjectId})
    and (${given.from} is null or ${l.id} >= (
      select e.id from ${l} e where e.at >= ${given.from} - ${APART} order by e.at, e.id limit 1))
    and (${given.to} is null or ${l.id} <= (
      select e.id from ${l} e where e.at <= ${given.to} + ${APART} order by e.at desc, e.id desc limit 1))`;
const FOUND: readonly Found[] = ['merchant', 'subject', 'all'];
const PAGE = statementsBy(FOUND, (found: Found) =>
  statement({
    given: WANTED,
    selects: ENTRY,
    text: (given, select) => sql`
      select ${select} from (
        select * from ${l} where ${sought(found, given)} order by ${l.id} desc limit ${given.looks}) ${l}
      where (${given.subject} is null or ${l.subject} = ${given.subject})
        and (${given.actor} is null or strpos(lower(${l.actorName}), lower(${given.actor})) > 0)
        and (${given.action} is null or ${l.action} = ${given.action}
          or split_part(${l.action}, '.', 1) = ${given.action})
        and (${given.from} is null or ${l.at} >= ${given.from})
        and (${given.to} is null or ${l.at} <= ${given.to})
      order by ${l.id} desc limit ${given.limit}`,
  }),
);
/** The last that was tried, if there may be more. */
const LAST = statementsBy(FOUND, (found: Found) =>
  statement({
    given: SOUGHT,
    selects: { id: l.id },
    text: ({ looks, ...given }, select) => sql`
      select ${select} from ${l} where ${sought(found, given)} order by ${l.id} desc offset ${looks} - 1 limit 1`,
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
  const foundOf = ({ subjectId, merchantId }: AuditFilter): Found =>
    subjectId !== null ? 'subject' : merchantId !== null ? 'merchant' : 'all';
  return {
    auditEntries: async (filter, page) =>
      (await PAGE(foundOf(filter))(on, { ...filter, ...page, looks: null })).map(entryFromRow),
    async auditPage(filter, { before, limit, looks }) {
      const found = foundOf(filter);
      const entries = (await PAGE(found)(on, { ...filter, before, limit, looks })).map(entryFromRow);
      if (entries.length === limit) return { entries, older: entries.at(-1)?.id ?? null };
      const { merchantId, subjectId, from, to } = filter;
      const [last] = await LAST(found)(on, { merchantId, subjectId, from, to, before, looks });
      return { entries, older: last?.id ?? null };
    },
  };
}

function entryFromRow(row: RowOf<typeof ENTRY>): AuditEntry {
  const { actorKind: kind, actorUserId: userId, actorName: name, actorIp: ip, ...entry } = row;
  return { ...entry, actor: { kind, userId, name, ip } };
}
