/** What is counted around sign-ins, and what awaits an answer. */
import { getTableColumns, sql } from 'drizzle-orm';
import type {
  CeremonyRepository,
  SignInAttemptRepository,
} from '../../../ports/accounts/sign-in-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { signInAttempts as a, ceremonies as c, knownNetworks as n } from '../schema/console/accounts.ts';
import { statement } from '../statement.ts';
import { insertInto, insertSelect, listOf, names, set, toExcluded, value } from '../statement-parts.ts';

const ATTEMPT = getTableColumns(a);

// Sorted, so that two tries cannot wait for each other in a circle.
const BEGIN = statement({
  given: { keys: listOf(a.key), now: a.lastAt },
  text: ({ keys, now }) => sql`
    ${insertSelect(a, { key: sql<string>`key`, failures: sql<number>`0`, lastAt: now })}
    from unnest(${keys}) as key order by key on conflict do nothing`,
});
const LOCK = statement({
  given: { keys: listOf(a.key) },
  selects: ATTEMPT,
  text: ({ keys }, select) => sql`
    select ${select} from ${a} where ${a.key} = any (${keys}) order by ${a.key} for update`,
});
const SAVE = statement({
  given: ATTEMPT,
  text: ({ key, ...values }) => sql`update ${a} set ${set(a, values)} where ${a.key} = ${key}`,
});
const TAKE_BACK = statement({
  given: { keys: listOf(a.key) },
  text: ({ keys }) => sql`
    update ${a} set ${set(a, { failures: sql<number>`greatest(0, ${a.failures} - 1)` })}
    where ${a.key} in (select ${names(a.key)} from ${a} where ${a.key} = any (${keys}) order by ${a.key} for update)`,
});
const FORGET = statement({
  given: { keys: listOf(a.key) },
  text: ({ keys }) => sql`
    delete from ${a} where ${a.key} in (
      select ${names(a.key)} from ${a} where ${a.key} = any (${keys}) order by ${a.key} for update)`,
});
const NOTE_NETWORK = statement({
  given: getTableColumns(n),
  text: (values) => sql`
    ${insertInto(n, values)} on conflict (${names(n.userId, n.network)}) do update set ${toExcluded(n.lastAt)}`,
});
const PURGE_ATTEMPTS = statement({
  given: { before: a.lastAt, limit: value<number>('bigint') },
  selects: { key: a.key },
  text: ({ before, limit }, select) => sql`
    delete from ${a} where ${a.key} in (
      select ${names(a.key)} from ${a} where ${a.lastAt} < ${before} order by ${a.lastAt} limit ${limit}
      for update skip locked)
    returning ${select}`,
});
const PURGE_NETWORKS = statement({
  given: { before: n.lastAt, limit: value<number>('bigint') },
  selects: { userId: n.userId },
  text: ({ before, limit }, select) => sql`
    delete from ${n} where (${names(n.userId, n.network)}) in (
      select ${names(n.userId, n.network)} from ${n} where ${n.lastAt} < ${before} order by ${n.lastAt}
      limit ${limit} for update skip locked)
    returning ${select}`,
});

export function signInAttemptRepository(on: Sql): SignInAttemptRepository {
  return {
    async lock(keys, now) {
      await BEGIN(on, { keys, now });
      const rows = await LOCK(on, { keys });
      return new Map(rows.map(({ key, failures, lastAt }) => [key, { failures, lastAt }]));
    },
    async save(key, tally) {
      await SAVE(on, { key, ...tally });
    },
    async takeBack(keys) {
      await TAKE_BACK(on, { keys });
    },
    async forget(keys) {
      await FORGET(on, { keys });
    },
    async noteNetwork(userId, network, at) {
      await NOTE_NETWORK(on, { userId, network, lastAt: at });
    },
    async purge({ attempts, networks }, limit) {
      const purged = await PURGE_ATTEMPTS(on, { before: attempts, limit });
      return Math.max(purged.length, (await PURGE_NETWORKS(on, { before: networks, limit })).length);
    },
  };
}

const CEREMONY = getTableColumns(c);

const PUT = statement({
  given: CEREMONY,
  text: (values) => sql`
    ${insertInto(c, values)} on conflict (${names(c.key)}) do update set ${toExcluded(c.sealed, c.expiresAt)}`,
});
const INSERT = statement({
  given: CEREMONY,
  selects: { key: c.key },
  text: (values, select) => sql`${insertInto(c, values)} on conflict do nothing returning ${select}`,
});
const FIND = statement({
  given: { key: c.key },
  selects: CEREMONY,
  text: ({ key }, select) => sql`select ${select} from ${c} where ${c.key} = ${key}`,
});
const TAKE = statement({
  given: { key: c.key },
  selects: CEREMONY,
  text: ({ key }, select) => sql`delete from ${c} where ${c.key} = ${key} returning ${select}`,
});
const PURGE = statement({
  given: { now: c.expiresAt, limit: value<number>('bigint') },
  selects: { key: c.key },
  text: ({ now, limit }, select) => sql`
    delete from ${c} where ${c.key} in (
      select ${names(c.key)} from ${c} where ${c.expiresAt} < ${now} order by ${c.expiresAt} limit ${limit}
      for update skip locked)
    returning ${select}`,
});

export function ceremonyRepository(on: Sql): CeremonyRepository {
  return {
    async put(ceremony) {
      await PUT(on, ceremony);
    },
    insertIfAbsent: async (ceremony) => (await INSERT(on, ceremony)).length === 1,
    find: async (key) => (await FIND(on, { key }))[0] ?? null,
    take: async (key) => (await TAKE(on, { key }))[0] ?? null,
    purge: async (now, limit) => (await PURGE(on, { now, limit })).length,
  };
}
