/** Sessions, passkeys and recovery codes. */
import { getTableColumns, sql } from 'drizzle-orm';
import type {
  PasskeyRepository,
  RecoveryCodeRepository,
  SessionRepository,
} from '../../../ports/accounts/sign-in-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { passkeys as p, recoveryCodes as r, sessions as s } from '../schema/console/accounts.ts';
import { statement } from '../statement.ts';
import {
  insertInto,
  insertSelect,
  listOf,
  names,
  nullable,
  set,
  updateById,
  value,
} from '../statement-parts.ts';
import { PASSKEYS_OF } from './account-queries.ts';
import { PASSKEY } from './account-rows.ts';

const INSERT_SESSION = statement({
  given: getTableColumns(s),
  text: (values) => insertInto(s, values),
});
const REPLACE_TOKEN = statement({
  given: { id: s.id, tokenHash: s.tokenHash, secondFactorAt: s.secondFactorAt },
  selects: { id: s.id },
  text: (given, select) => updateById(s, given, select),
});
const SEEN = statement({
  given: { id: s.id, lastSeenAt: s.lastSeenAt },
  text: ({ id, lastSeenAt }) => sql`
    update ${s} set ${set(s, { lastSeenAt })} where ${s.id} = ${id} and ${s.lastSeenAt} < ${lastSeenAt}`,
});
const END = statement({
  given: { userId: s.userId, id: s.id },
  selects: { id: s.id },
  text: ({ userId, id }, select) => sql`
    delete from ${s} where ${s.id} = ${id} and ${s.userId} = ${userId} returning ${select}`,
});
const END_ALL = statement({
  given: { userId: s.userId, but: nullable(s.id) },
  selects: { id: s.id },
  text: ({ userId, but }, select) => sql`
    delete from ${s} where ${s.userId} = ${userId} and ${s.id} is distinct from ${but} returning ${select}`,
});
const FORGET_SECOND_FACTOR = statement({
  given: { userId: s.userId },
  text: ({ userId }) => sql`
    update ${s} set ${names(s.secondFactorAt)} = null where ${s.userId} = ${userId}`,
});
const PURGE_SESSIONS = statement({
  given: { createdAt: s.createdAt, lastSeenAt: s.lastSeenAt, limit: value<number>('bigint') },
  selects: { id: s.id },
  text: ({ createdAt, lastSeenAt, limit }, select) => sql`
    delete from ${s} where ${s.id} in (
      select ${names(s.id)} from ${s} where ${s.createdAt} < ${createdAt} or ${s.lastSeenAt} < ${lastSeenAt}
      limit ${limit} for update skip locked)
    returning ${select}`,
});

export function sessionRepository(on: Sql): SessionRepository {
  return {
    async insert(session) {
      await INSERT_SESSION(on, session);
    },
    replaceToken: async (id, to) => (await REPLACE_TOKEN(on, { id, ...to })).length === 1,
    async seen(id, at) {
      await SEEN(on, { id, lastSeenAt: at });
    },
    end: async (userId, id) => (await END(on, { userId, id })).length === 1,
    endAll: async (userId, but) => (await END_ALL(on, { userId, but })).length,
    async forgetSecondFactor(userId) {
      await FORGET_SECOND_FACTOR(on, { userId });
    },
    purge: async (before, limit) => (await PURGE_SESSIONS(on, { ...before, limit })).length,
  };
}

const INSERT_PASSKEY = statement({
  given: PASSKEY,
  selects: { credentialId: p.credentialId },
  text: (values, select) => sql`${insertInto(p, values)} on conflict do nothing returning ${select}`,
});
const LOCK_PASSKEY = statement({
  given: { credentialId: p.credentialId },
  selects: PASSKEY,
  text: ({ credentialId }, select) => sql`
    select ${select} from ${p} where ${p.credentialId} = ${credentialId} for update`,
});
const USED = statement({
  given: { credentialId: p.credentialId, signCount: p.signCount, lastUsedAt: p.lastUsedAt },
  selects: { credentialId: p.credentialId },
  text: ({ credentialId, ...values }, select) => sql`
    update ${p} set ${set(p, values)} where ${p.credentialId} = ${credentialId} returning ${select}`,
});
const REMOVE_PASSKEYS = statement({
  given: { userId: p.userId, credentialId: nullable(p.credentialId) },
  selects: { credentialId: p.credentialId },
  text: ({ userId, credentialId }, select) => sql`
    delete from ${p} where ${p.userId} = ${userId}
      and (${credentialId} is null or ${p.credentialId} = ${credentialId}) returning ${select}`,
});

export function passkeyRepository(on: Sql): PasskeyRepository {
  return {
    insert: async (passkey) =>
      (await INSERT_PASSKEY(on, { ...passkey, transports: [...passkey.transports] })).length === 1,
    lock: async (credentialId) => (await LOCK_PASSKEY(on, { credentialId }))[0] ?? null,
    of: (userId) => PASSKEYS_OF(on, { userId }),
    async used(credentialId, { signCount, at }) {
      theOnly(await USED(on, { credentialId, signCount, lastUsedAt: at }), `use of passkey ${credentialId}`);
    },
    remove: async (userId, credentialId) => (await REMOVE_PASSKEYS(on, { userId, credentialId })).length,
  };
}

const CLEAR_CODES = statement({
  given: { userId: r.userId },
  text: ({ userId }) => sql`delete from ${r} where ${r.userId} = ${userId}`,
});
const INSERT_CODES = statement({
  given: { userId: r.userId, hashes: listOf(r.codeHash) },
  text: ({ userId, hashes }) => sql`
    ${insertSelect(r, { userId, codeHash: sql<string>`hash` })} from unnest(${hashes}) as hash`,
});
const USE_CODE = statement({
  given: { userId: r.userId, codeHash: r.codeHash, usedAt: r.usedAt },
  selects: { codeHash: r.codeHash },
  text: ({ userId, codeHash, usedAt }, select) => sql`
    update ${r} set ${set(r, { usedAt })}
    where ${r.userId} = ${userId} and ${r.codeHash} = ${codeHash} and ${r.usedAt} is null returning ${select}`,
});

export function recoveryCodeRepository(on: Sql): RecoveryCodeRepository {
  return {
    async replace(userId, codeHashes) {
      await CLEAR_CODES(on, { userId });
      if (codeHashes.length > 0) await INSERT_CODES(on, { userId, hashes: codeHashes });
    },
    use: async (userId, codeHash, at) => (await USE_CODE(on, { userId, codeHash, usedAt: at })).length === 1,
  };
}
