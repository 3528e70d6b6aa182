/** First uses of Idempotency-Keys: the primary key decides which is first, over all processes. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Scope } from '../../ports/list-queries.ts';
import {
  IdempotencyKeyTaken,
  type KeyUse,
  type StoredAnswer,
  type StoredAnswerRepository,
  type StoredAnswers,
} from '../../ports/stored-answers.ts';
import { groupedWrites, PartlyRefused } from './client/grouped-writes.ts';
import { isNotNullViolation, isUniqueViolation } from './client/pg-errors.ts';
import type { Sql } from './client/sql.ts';
import { chainCursors } from './schema/chains.ts';
import { invoices as i } from './schema/invoices.ts';
import { storedAnswers as s } from './schema/stored-answers.ts';
import { type PlacesOf, type RowOf, statement, type ValuesOf } from './statement.ts';
import { columnsOf, insertSelect, listOf, names, records, toExcluded, value } from './statement-parts.ts';

const KEYS_PRIMARY = 'stored_answers_merchant_id_sandbox_key_pk';
const KEPT = sql`interval '24 hours'`;
const CHAIN_TIME = sql`(select max(${chainCursors.coveredUntil}) from ${chainCursors})`;
const TIME = value<Date>('timestamptz');
/** The time that has passed by both clock and chains; in the sandbox by the clock only. */
const earlier = (sandbox: SQL, time: SQL) =>
  sql`case when ${sandbox} then ${time} else least(${time}, ${CHAIN_TIME}) end`;
/** When a key that was first used then may be used again. */
const expiry = (sandbox: SQL, time: SQL) =>
  sql<Date>`${KEPT} + case when ${sandbox} then ${time} else greatest(${time}, ${CHAIN_TIME}) end`;

const { expiresAt: _, ...USED } = getTableColumns(s);
const G = columnsOf('g', USED);
const KEY = { merchantId: s.merchantId, sandbox: s.sandbox, key: s.key };
const KEY_NAMES = names(s.merchantId, s.sandbox, s.key);

// Sorted, so that two groups cannot wait for each other.
const STORE = statement({
  given: { uses: records('g', { ...USED, at: TIME }), now: TIME },
  selects: KEY,
  text: ({ uses, now }, select) => sql`
    ${insertSelect(s, { ...G, expiresAt: expiry(G.sandbox, sql`g.at`) })} from ${uses} order by 1, 2, 3
    on conflict (${KEY_NAMES}) do update set ${toExcluded(s.status, s.body, s.expiresAt, s.fingerprint)}
      where ${s.expiresAt} <= ${earlier(sql`${s.sandbox}`, now)}
    returning ${select}`,
});

/**
 * Occurs in no JSON text (RFC 8259, 7): one text carries all bodies, and their quotes need no
 * escape.
 */
const BETWEEN_BODIES = '\u001f';

/** The parameters of `storeBeside`: `usesBeside`. */
export const BESIDE = {
  usedFor: listOf(i.id),
  keys: listOf(s.key),
  fingerprints: listOf(s.fingerprint),
  statuses: listOf(s.status),
  times: listOf(s.expiresAt),
  bodies: value<string>('text'),
};

/**
 * Stores responses in the statement that creates their resources, which its CTE `written (id,
 * merchant_id, sandbox, created_at)` names. The whole statement writes nothing if a key is used
 * (KEYS_PRIMARY), even an expired one; if a resource was not created (its merchant is null); or if
 * it was not created in the second that its response contains (its status is null).
 */
export function storeBeside({
  usedFor,
  keys,
  fingerprints,
  statuses,
  times,
  bodies,
}: PlacesOf<typeof BESIDE>): SQL {
  const w = columnsOf('written', { sandbox: i.sandbox, merchantId: i.merchantId, createdAt: i.createdAt });
  const said = sql<number>`
    case when date_trunc('second', ${w.createdAt}) = date_trunc('second', g.at) then ${G.status} end`;
  return sql`
    ${insertSelect(s, {
      merchantId: w.merchantId,
      sandbox: w.sandbox,
      key: G.key,
      fingerprint: G.fingerprint,
      status: said,
      body: G.body,
      expiresAt: expiry(w.sandbox, sql`g.at`),
    })}
    from unnest(${usedFor}, ${keys}, ${fingerprints}, ${statuses}, ${times}, string_to_array(${bodies}, chr(31)))
      as g (${names(i.id, s.key, s.fingerprint, s.status)}, at, ${names(s.body)}) left join written using (${names(i.id)})
    order by 1, 2, 3`;
}

const FIND = statement({
  given: {
    merchantIds: listOf(s.merchantId),
    sandboxes: listOf(s.sandbox),
    keys: listOf(s.key),
    now: TIME,
  },
  selects: USED,
  text: ({ merchantIds, sandboxes, keys, now }, select) => sql`
    select ${select} from unnest(${merchantIds}, ${sandboxes}, ${keys}) as g (${KEY_NAMES})
    cross join lateral (
      select * from ${s}
      where ${s.merchantId} = ${G.merchantId} and ${s.sandbox} = ${G.sandbox} and ${s.key} = ${G.key} limit 1) ${s}
    where ${s.expiresAt} > ${earlier(sql`${s.sandbox}`, now)}`,
});

const FORGET = statement({
  given: { before: s.expiresAt, limit: value<number>('bigint') },
  selects: KEY,
  text: ({ before, limit }, select) => sql`
    delete from ${s} where (${KEY_NAMES}) in (
      select ${KEY_NAMES} from ${s} where ${s.expiresAt} < ${before} order by ${s.expiresAt} limit ${limit}
      for update skip locked)
    returning ${select}`,
});

/** Most that one statement looks up. */
const GROUP_MAX = 256;

interface Sought {
  readonly scope: Scope;
  readonly key: string;
  readonly at: Date;
}

/** Look-ups that are requested together share one statement. */
export function postgresStoredAnswers(on: Sql): StoredAnswers {
  type Found = Awaited<ReturnType<StoredAnswers['find']>>;
  const find = groupedWrites<Sought, { found: Found }>({
    weightMax: GROUP_MAX,
    weigh: () => 1,
    async write(group) {
      const rows = await FIND(on, {
        merchantIds: group.map(({ scope }) => scope.merchantId),
        sandboxes: group.map(({ scope }) => scope.sandbox),
        keys: group.map(({ key }) => key),
        now: earliest(group),
      });
      const found = new Map(rows.map((row) => [nameOfRow(row), row]));
      return group.map((sought) => ({ found: answerOf(found.get(nameOf(sought))) }));
    },
  });
  return { find: async (scope, key, at) => (await find({ scope, key, at })).found };
}

export function storedAnswerRepository(on: Sql): StoredAnswerRepository {
  return {
    async store(use) {
      if ((await storeAnswers(on, [use])).size > 0) throw new IdempotencyKeyTaken('the key was used');
    },
    async forget(expiredBefore, limit) {
      return (await FORGET(on, { before: expiredBefore, limit })).length;
    },
  };
}

/** Writes of one group may use a key only once: refuses those whose key an earlier one has. */
export function oncePerGroup<Given>(
  group: readonly Given[],
  keyOf: (given: Given) => { readonly scope: Scope; readonly key: string } | null,
): void {
  const seen = new Set<string>();
  const repeated = group.filter((given) => {
    const key = keyOf(given);
    if (key === null) return false;
    const name = nameOf(key);
    return seen.has(name) || !seen.add(name);
  });
  if (repeated.length > 0)
    throw new PartlyRefused(new Set(repeated), new IdempotencyKeyTaken('the key is in use'));
}

/** Stores the responses of those in the group that have a key; refuses those whose key is used. */
export async function storeForGroup<Given>(
  on: Sql,
  group: readonly Given[],
  useOf: (given: Given, position: number) => KeyUse | null,
): Promise<void> {
  const uses = new Map<KeyUse, Given>();
  for (const [position, given] of group.entries()) {
    const use = useOf(given, position);
    if (use) uses.set(use, given);
  }
  const taken = await storeAnswers(on, [...uses.keys()]);
  if (taken.size === 0) return;
  throw new PartlyRefused(
    new Set([...taken].map((use) => uses.get(use))),
    new IdempotencyKeyTaken('the key was used'),
  );
}

/** Stores all but those whose key is used, and returns the latter. No two may have the same key. */
async function storeAnswers(on: Sql, uses: readonly KeyUse[]): Promise<ReadonlySet<KeyUse>> {
  if (uses.length === 0) return new Set();
  const rows = await STORE(on, { uses: uses.map(useRow), now: earliest(uses) });
  const stored = new Set(rows.map(nameOfRow));
  return new Set(uses.filter((use) => !stored.has(nameOf(use))));
}

function useRow({ scope, key, fingerprint, answer, at }: KeyUse): RowOf<typeof USED> & { readonly at: Date } {
  const { merchantId, sandbox } = scope;
  return { merchantId, sandbox, key, fingerprint, status: answer.status, body: answer.body, at };
}

/** By the ids of the created resources. */
export function usesBeside(uses: ReadonlyMap<string, KeyUse>): ValuesOf<typeof BESIDE> {
  const each = [...uses.values()];
  return {
    usedFor: [...uses.keys()],
    keys: each.map(({ key }) => key),
    fingerprints: each.map(({ fingerprint }) => fingerprint),
    statuses: each.map(({ answer }) => answer.status),
    times: each.map(({ at }) => at),
    bodies: each.map(({ answer }) => answer.body).join(BETWEEN_BODIES),
  };
}

/** Whether storeBeside refused. */
export function isRefusedBeside(error: unknown): boolean {
  return isNotNullViolation(error) || isUniqueViolation(error, KEYS_PRIMARY);
}

function earliest(all: readonly { readonly at: Date }[]): Date {
  return new Date(Math.min(...all.map(({ at }) => at.getTime())));
}

function answerOf(row: RowOf<typeof USED> | undefined): { fingerprint: string; answer: StoredAnswer } | null {
  return row === undefined
    ? null
    : { fingerprint: row.fingerprint, answer: { status: row.status, body: row.body } };
}

/** The key of a request, as one text. */
function nameOf({ scope, key }: { readonly scope: Scope; readonly key: string }): string {
  return `${scope.merchantId} ${scope.sandbox} ${key}`;
}

function nameOfRow({ merchantId, sandbox, key }: RowOf<typeof KEY>): string {
  return nameOf({ scope: { merchantId, sandbox }, key });
}
