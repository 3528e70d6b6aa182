/** First uses of Idempotency-Keys: its primary key decides who is first, over all processes. */

import {
  KeyTaken,
  type KeyUse,
  type StoredAnswer,
  type StoredAnswerRepository,
  type StoredAnswers,
} from '../../../ports/invoices/stored-answers.ts';
import type { Scope } from '../../../ports/queries.ts';
import { groupedWrites, PartlyRefused } from '../client/grouped-writes.ts';
import type { SqlParameter } from '../client/parameters.ts';
import { isNotNullViolation, isUniqueViolation } from '../client/pg-errors.ts';
import type { Sql } from '../client/sql.ts';

const KEYS_PRIMARY = 'stored_answers_merchant_id_sandbox_key_pk';
const KEPT = `interval '24 hours'`;
const CHAIN_TIME = '(select max(covered_until) from chain_cursors)';
/** What clock and chains agree has passed; a key of the sandbox knows no chains. */
const earlier = (sandbox: string, at: string) =>
  `case when ${sandbox} then ${at} else least(${at}, ${CHAIN_TIME}) end`;

const GIVEN =
  'merchant_id text, sandbox boolean, key text, fingerprint text, status smallint, body text, at timestamptz';
/** `s` is the row that has the key; `$2` the time now. */
const EXPIRED = `s.expires_at <= ${earlier('s.sandbox', '$2::timestamptz')}`;

/** When a key is free again that was first used at `at`. */
const expiry = (sandbox: string, at: string) =>
  `${KEPT} + case when ${sandbox} then ${at} else greatest(${at}, ${CHAIN_TIME}) end`;

// In one order, so that two groups cannot wait for each other.
const STORE = `
  with g as (select * from json_to_recordset($1::json) as g (${GIVEN}))
  insert into stored_answers as s (merchant_id, sandbox, key, fingerprint, status, body, expires_at)
  select merchant_id, sandbox, key, fingerprint, status, body, ${expiry('sandbox', 'at')}
  from g order by 1, 2, 3
  on conflict (merchant_id, sandbox, key) do update
    set status = excluded.status, body = excluded.body, expires_at = excluded.expires_at,
      fingerprint = excluded.fingerprint where ${EXPIRED}
  returning merchant_id, sandbox, key`;

/** Stands in no JSON text (RFC 8259, 7): so one text carries all bodies, and none of their quotes needs an escape. */
const BETWEEN_BODIES = '\u001f';

/**
 * A CTE that stores answers in the statement that makes what they are about, which `written (id, merchant_id, sandbox,
 * created_at)` names; `$2` to `$7` are `besideParameters`. It writes nothing, and nothing of its statement is written, where a
 * row of its key stands (KEYS_PRIMARY), though it be expired; nor where something was not made (its merchant is null), or not in
 * the second that its answer says (its status is).
 */
export const STORE_BESIDE = `
  answered as (
    insert into stored_answers (merchant_id, sandbox, key, fingerprint, status, body, expires_at)
    select w.merchant_id, w.sandbox, g.key, g.fingerprint,
      case when date_trunc('second', w.created_at) = date_trunc('second', g.at) then g.status end,
      g.body, ${expiry('w.sandbox', 'g.at')}
    from unnest($2::text[], $3::text[], $4::text[], $5::smallint[], $6::timestamptz[], string_to_array($7, chr(31)))
      as g (id, key, fingerprint, status, at, body) left join written w using (id)
    order by 1, 2, 3)`;

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

function useRow({ scope, key, fingerprint, answer, at }: KeyUse): Record<string, unknown> {
  const { merchantId, sandbox } = scope;
  return { merchant_id: merchantId, sandbox, key, fingerprint, status: answer.status, body: answer.body, at };
}

/** See STORE_BESIDE. By the ids of what is made. */
export function besideParameters(uses: ReadonlyMap<string, KeyUse>): readonly SqlParameter[] {
  const each = [...uses.values()];
  return [
    [...uses.keys()],
    each.map(({ key }) => key),
    each.map(({ fingerprint }) => fingerprint),
    each.map(({ answer }) => answer.status),
    each.map(({ at }) => at),
    each.map(({ answer }) => answer.body).join(BETWEEN_BODIES),
  ];
}

/** Whether STORE_BESIDE refused. */
export function isRefusedBeside(error: unknown): boolean {
  return isNotNullViolation(error) || isUniqueViolation(error, KEYS_PRIMARY);
}

function earliest(all: readonly { readonly at: Date }[]): Date {
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
