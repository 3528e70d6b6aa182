/** First uses of Idempotency-Keys: its primary key decides who is first, over all processes. */

import type { Scope } from '../../ports/queries.ts';
import {
  KeyTaken,
  type KeyUse,
  type StoredAnswer,
  type StoredAnswerRepository,
  type StoredAnswers,
} from '../../ports/stored-answers.ts';
import type { Sql } from './client.ts';
import { groupedWrites, PartlyRefused } from './grouped-writes.ts';

const KEPT = `interval '24 hours'`;
const CHAIN_TIME = '(select max(covered_until) from chain_cursors)';
/** What clock and chains agree has passed; a key of the sandbox knows no chains. */
const earlier = (sandbox: string, at: string) =>
  `case when ${sandbox} then ${at} else least(${at}, ${CHAIN_TIME}) end`;

const GIVEN =
  'merchant_id text, sandbox boolean, key text, fingerprint text, status smallint, body text, at timestamptz';
/** `s` is the row that has the key; `$2` the time now. */
const EXPIRED = `s.expires_at <= ${earlier('s.sandbox', '$2::timestamptz')}`;

// In one order, so that two groups cannot wait for each other.
const insertFrom = (source: string) => `
  insert into stored_answers as s (merchant_id, sandbox, key, fingerprint, status, body, expires_at)
  select g.merchant_id, g.sandbox, g.key, g.fingerprint, g.status, g.body,
    ${KEPT} + case when g.sandbox then g.at else greatest(g.at, ${CHAIN_TIME}) end
  from ${source} order by g.merchant_id, g.sandbox, g.key
  on conflict (merchant_id, sandbox, key) do update
    set status = excluded.status, body = excluded.body, expires_at = excluded.expires_at, fingerprint =`;

const STORE = `
  with g as (select * from json_to_recordset($1::json) as g (${GIVEN}))
  ${insertFrom('g')} excluded.fingerprint where ${EXPIRED}
  returning merchant_id, sandbox, key`;

/**
 * CTEs that store answers in the statement that makes what they are about, which `written (id, created_at)` names: `$3` has
 * its id beside each. A key that stands is null, and so is the status of what was not made in the second that its answer
 * says: the table takes neither, and nothing of the statement is written.
 */
export const STORE_BESIDE = `
  asked as (
    select g.merchant_id, g.sandbox, g.key, g.fingerprint, g.body, g.at,
      case when date_trunc('second', w.created_at) = date_trunc('second', g.at) then g.status end as status
    from json_to_recordset($3::json) as g (id text, ${GIVEN}) join written w using (id)),
  answered as (${insertFrom('asked g')} case when ${EXPIRED} then excluded.fingerprint end)`;

const FIND = `
  select s.merchant_id, s.sandbox, s.key, s.fingerprint, s.status, s.body
  from unnest($1::text[], $2::boolean[], $3::text[]) as g (merchant_id, sandbox, key)
  cross join lateral (
    select s.* from stored_answers s
    where s.merchant_id = g.merchant_id and s.sandbox = g.sandbox and s.key = g.key limit 1) s
  where s.expires_at > ${earlier('s.sandbox', '$4::timestamptz')}`;

const FORGET = `
  delete from stored_answers where (merchant_id, sandbox, key) in (
    select merchant_id, sandbox, key from stored_answers where expires_at < $1 order by expires_at limit $2
    for update skip locked)
  returning 1 as one`;

/** Most that are looked for in one statement. */
const GROUP_MAX = 256;

interface Sought {
  readonly scope: Scope;
  readonly key: string;
  readonly at: Date;
}

interface KeyRow {
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly key: string;
}

interface AnswerRow extends KeyRow {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

/** Looks that are asked for at the same time are one statement. */
export function postgresStoredAnswers(sql: Sql): StoredAnswers {
  type Found = Awaited<ReturnType<StoredAnswers['find']>>;
  const find = groupedWrites<Sought, { found: Found }>({
    weightMax: GROUP_MAX,
    weigh: () => 1,
    async write(group) {
      const rows = await sql.query<AnswerRow>(FIND, [
        group.map(({ scope }) => scope.merchantId),
        group.map(({ scope }) => scope.sandbox),
        group.map(({ key }) => key),
        earliest(group),
      ]);
      const found = new Map(rows.map((row) => [nameOfRow(row), row]));
      return group.map((sought) => ({ found: answerOf(found.get(nameOf(sought))) }));
    },
  });
  return { find: async (scope, key, at) => (await find({ scope, key, at })).found };
}

export function storedAnswerRepository(sql: Sql): StoredAnswerRepository {
  return {
    async store(use) {
      if ((await storeAnswers(sql, [use])).size > 0) throw new KeyTaken('the key was used');
    },
    async forget(expiredBefore, limit) {
      return (await sql.query(FORGET, [expiredBefore, limit])).length;
    },
  };
}

/** What is written together may use a key once: refuses those of the group whose key an earlier one has. */
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
  if (repeated.length > 0) throw new PartlyRefused(new Set(repeated), new KeyTaken('the key is in use'));
}

/** Stores what those of the group are answered who have a key; refuses those whose keys stand. */
export async function storeForGroup<Given>(
  sql: Sql,
  group: readonly Given[],
  useOf: (given: Given, position: number) => KeyUse | null,
): Promise<void> {
  const uses = new Map<KeyUse, Given>();
  for (const [position, given] of group.entries()) {
    const use = useOf(given, position);
    if (use) uses.set(use, given);
  }
  const taken = await storeAnswers(sql, [...uses.keys()]);
  if (taken.size === 0) return;
  throw new PartlyRefused(new Set([...taken].map((use) => uses.get(use))), new KeyTaken('the key was used'));
}

/** Stores them all, but for those whose keys stand, which it answers. No two may have the same key. */
async function storeAnswers(sql: Sql, uses: readonly KeyUse[]): Promise<ReadonlySet<KeyUse>> {
  if (uses.length === 0) return new Set();
  const rows = await sql.query<KeyRow>(STORE, [JSON.stringify(uses.map(useRow)), earliest(uses)]);
  const stored = new Set(rows.map(nameOfRow));
  return new Set(uses.filter((use) => !stored.has(nameOf(use))));
}

export function useRow({ scope, key, fingerprint, answer, at }: KeyUse): Record<string, unknown> {
  const { merchantId, sandbox } = scope;
  return { merchant_id: merchantId, sandbox, key, fingerprint, status: answer.status, body: answer.body, at };
}

export function earliest(all: readonly { readonly at: Date }[]): Date {
  return new Date(Math.min(...all.map(({ at }) => at.getTime())));
}

function answerOf(row: AnswerRow | undefined): { fingerprint: string; answer: StoredAnswer } | null {
  return row === undefined
    ? null
    : { fingerprint: row.fingerprint, answer: { status: row.status, body: row.body } };
}

/** The key of a request, as one text. */
function nameOf({ scope, key }: { readonly scope: Scope; readonly key: string }): string {
  return `${scope.merchantId} ${scope.sandbox} ${key}`;
}

function nameOfRow({ merchant_id: merchantId, sandbox, key }: KeyRow): string {
  return nameOf({ scope: { merchantId, sandbox }, key });
}
