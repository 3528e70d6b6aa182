/** Where a fault was found: every run looks there again, until there is none any more. */
import { sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { bookDoubts as d } from '../schema/verified.ts';
import { statement } from '../statement.ts';
import { insertSelect, listOf, names, value } from '../statement-parts.ts';

type Kind = (typeof d.$inferSelect)['kind'];

const ADD = statement({
  given: { kind: d.kind, keys: listOf(d.key) },
  text: ({ kind, keys }) => sql`
    ${insertSelect(d, { kind: sql`${kind}::text`, key: sql`key` })} from unnest(${keys}) as given (key)
    order by key on conflict do nothing`,
});
const OF_KIND = statement({
  given: { kind: d.kind, limit: value<number>('bigint') },
  selects: { key: d.key },
  text: ({ kind, limit }, select) =>
    sql`select ${select} from ${d} where ${d.kind} = ${kind} order by ${d.key} limit ${limit}`,
});
const REMOVE = statement({
  given: { kind: d.kind, keys: listOf(d.key) },
  text: ({ kind, keys }) => sql`delete from ${d} where ${d.kind} = ${kind} and ${d.key} = any (${keys})`,
});
const CHANGED = statement({
  selects: { reference: d.key, expected: sql<string>`${d.expected}`, found: sql<string>`${d.found}` },
  text: (_given, select) => sql`select ${select} from ${d} where ${d.kind} = 'changed' order by ${d.key}`,
});
const FORGET_CHANGED = statement({ text: () => sql`delete from ${d} where ${d.kind} = 'changed'` });
const ADD_CHANGED = statement({
  given: { keys: listOf(d.key), expected: listOf(d.expected), found: listOf(d.found) },
  text: ({ keys, expected, found }) => sql`
    insert into ${d} (${names(d.kind, d.key, d.expected, d.found)})
    select 'changed', * from unnest(${keys}, ${expected}, ${found})`,
});

export async function doubt(on: Sql, kind: Kind, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await ADD(on, { kind, keys: [...new Set(keys)] });
}

export async function doubted(on: Sql, kind: Kind, limit: number): Promise<readonly string[]> {
  return (await OF_KIND(on, { kind, limit })).map(({ key }) => key);
}

export async function resolved(on: Sql, kind: Kind, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await REMOVE(on, { kind, keys });
}

/** Sums that the last walk found changed. The next walk compares them anew. */
export function changedBefore(on: Sql) {
  return CHANGED(on);
}

export async function noteChanged(
  on: Sql,
  changed: Awaited<ReturnType<typeof changedBefore>>,
): Promise<void> {
  await FORGET_CHANGED(on);
  if (changed.length === 0) return;
  await ADD_CHANGED(on, {
    keys: changed.map(({ reference }) => reference),
    expected: changed.map(({ expected }) => expected),
    found: changed.map(({ found }) => found),
  });
}
