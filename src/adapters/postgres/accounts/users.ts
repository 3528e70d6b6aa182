/** Users, their roles at merchants, and invitations. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { RoleHolder } from '../../../domain/accounts/user.ts';
import type {
  InvitationRepository,
  MembershipRepository,
  UserRepository,
} from '../../../ports/accounts/account-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import { invitations as i, memberships as m, users as u } from '../schema/console/accounts.ts';
import { statement } from '../statement.ts';
import {
  insertInto,
  names,
  notNull,
  nullable,
  set,
  toExcluded,
  updateById,
  value,
} from '../statement-parts.ts';
import { INVITATION, STORED_MEMBERSHIP, STORED_USER } from './account-rows.ts';

const INSERT_USER = statement({
  given: STORED_USER,
  selects: { id: u.id },
  text: (values, select) => sql`
    ${insertInto(u, values)} on conflict (${names(u.email)}) do nothing returning ${select}`,
});
const LOCK_USER = statement({
  given: { id: u.id },
  selects: STORED_USER,
  text: ({ id }, select) => sql`select ${select} from ${u} where ${u.id} = ${id} for update`,
});
const LOCK_BY_EMAIL = statement({
  given: { email: u.email },
  selects: STORED_USER,
  text: ({ email }, select) => sql`select ${select} from ${u} where ${u.email} = ${email} for update`,
});
const { email: _, createdAt: __, ...CHANGEABLE } = STORED_USER;
// The last step is of the secret that it was taken with.
const SAVE_USER = statement({
  given: CHANGEABLE,
  selects: { id: u.id },
  text: ({ codesSealed, ...given }, select) =>
    updateById(
      u,
      {
        ...{ ...given, codesSealed },
        codesStep: sql`case when ${u.codesSealed} is not distinct from ${codesSealed} then ${u.codesStep} end`,
      },
      select,
    ),
});
const USE_STEP = statement({
  given: { id: u.id, step: u.codesStep },
  selects: { id: u.id },
  text: ({ id, step }, select) => sql`
    update ${u} set ${set(u, { codesStep: step })}
    where ${u.id} = ${id} and (${u.codesStep} is null or ${u.codesStep} < ${step}) returning ${select}`,
});
const LOCK_OPERATORS = statement({
  selects: { userId: u.id, role: notNull(u.operatorRole), status: u.status, sponsors: u.sponsors },
  text: (_given, select) => sql`
    select ${select} from ${u} where ${u.operatorRole} is not null order by ${u.id} for update`,
});

export function userRepository(on: Sql): UserRepository {
  return {
    insert: async (user) => (await INSERT_USER(on, user)).length === 1,
    lock: async (id) => (await LOCK_USER(on, { id }))[0] ?? null,
    lockByEmail: async (email) => (await LOCK_BY_EMAIL(on, { email }))[0] ?? null,
    async save(user) {
      theOnly(await SAVE_USER(on, user), `save of user ${user.id}`);
    },
    useStep: async (id, step) => (await USE_STEP(on, { id, step })).length === 1,
    lockOperators: (): Promise<readonly RoleHolder[]> => LOCK_OPERATORS(on),
  };
}

const LOCK_MEMBERS = statement({
  given: { merchantId: m.merchantId },
  selects: { userId: m.userId, role: m.role, status: u.status, sponsors: m.sponsors },
  text: ({ merchantId }, select) => sql`
    select ${select} from ${m} join ${u} on ${u.id} = ${m.userId}
    where ${m.merchantId} = ${merchantId} order by ${m.userId} for update of ${m}`,
});
const MEMBERSHIPS = statement({
  given: { userId: m.userId },
  selects: STORED_MEMBERSHIP,
  text: ({ userId }, select) => sql`
    select ${select} from ${m} where ${m.userId} = ${userId} order by ${m.merchantId}`,
});
const PUT_MEMBERSHIP = statement({
  given: STORED_MEMBERSHIP,
  text: (values) => sql`
    ${insertInto(m, values)} on conflict (${names(m.userId, m.merchantId)})
    do update set ${toExcluded(m.role, m.refundLimitMicroUsd, m.sponsors)}`,
});
const REMOVE_MEMBERSHIP = statement({
  given: { userId: m.userId, merchantId: m.merchantId },
  selects: { userId: m.userId },
  text: ({ userId, merchantId }, select) => sql`
    delete from ${m} where ${m.userId} = ${userId} and ${m.merchantId} = ${merchantId} returning ${select}`,
});

export function membershipRepository(on: Sql): MembershipRepository {
  return {
    lockOf: (merchantId): Promise<readonly RoleHolder[]> => LOCK_MEMBERS(on, { merchantId }),
    of: (userId) => MEMBERSHIPS(on, { userId }),
    async put(membership) {
      await PUT_MEMBERSHIP(on, membership);
    },
    remove: async (userId, merchantId) => (await REMOVE_MEMBERSHIP(on, { userId, merchantId })).length === 1,
  };
}

const AT_PLACE = { merchantId: nullable(i.merchantId) };

const INSERT_INVITATION = statement({
  given: getTableColumns(i),
  text: (values) => insertInto(i, values),
});
const LOCK_INVITATION = statement({
  given: { tokenHash: i.tokenHash },
  selects: INVITATION,
  text: ({ tokenHash }, select) => sql`
    select ${select} from ${i} where ${i.tokenHash} = ${tokenHash} for update`,
});
const ACCEPT = statement({
  given: { id: i.id, acceptedAt: i.acceptedAt },
  selects: { id: i.id },
  text: (given, select) => updateById(i, given, select),
});
const COUNT_OPEN = statement({
  given: { ...AT_PLACE, now: i.expiresAt },
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: ({ merchantId, now }, select) => sql`
    select ${select} from ${i} where ${i.merchantId} is not distinct from ${merchantId}
      and ${equals(i.kind, 'invitation')} and ${i.acceptedAt} is null and ${i.expiresAt} > ${now}`,
});
const WITHDRAW = statement({
  given: { ...AT_PLACE, id: i.id },
  selects: INVITATION,
  text: ({ id, merchantId }, select) => sql`
    delete from ${i} where ${i.id} = ${id} and ${i.merchantId} is not distinct from ${merchantId}
      and ${equals(i.kind, 'invitation')} and ${i.acceptedAt} is null returning ${select}`,
});
const WITHDRAW_LIKE = statement({
  given: { ...AT_PLACE, kind: i.kind, email: i.email },
  text: ({ kind, email, merchantId }) => sql`
    delete from ${i} where ${i.email} = ${email} and ${i.kind} = ${kind}
      and ${i.merchantId} is not distinct from ${merchantId} and ${i.acceptedAt} is null`,
});
const WITHDRAW_BY = statement({
  given: { ...AT_PLACE, invitedBy: i.invitedBy },
  text: ({ invitedBy, merchantId }) => sql`
    delete from ${i} where ${i.invitedBy} = ${invitedBy} and ${i.acceptedAt} is null
      and (${merchantId} is null or ${i.merchantId} = ${merchantId})`,
});
const PURGE = statement({
  given: { now: i.expiresAt, limit: value<number>('bigint') },
  selects: { id: i.id },
  text: ({ now, limit }, select) => sql`
    delete from ${i} where ${i.id} in (
      select ${names(i.id)} from ${i} where ${i.expiresAt} < ${now} order by ${i.expiresAt} limit ${limit}
      for update skip locked)
    returning ${select}`,
});

export function invitationRepository(on: Sql): InvitationRepository {
  return {
    async insert(invitation) {
      await INSERT_INVITATION(on, invitation);
    },
    lock: async (tokenHash) => (await LOCK_INVITATION(on, { tokenHash }))[0] ?? null,
    async accept(id, at) {
      theOnly(await ACCEPT(on, { id, acceptedAt: at }), `accepted invitation ${id}`);
    },
    countOpen: async (merchantId, now) =>
      theOnly(await COUNT_OPEN(on, { merchantId, now }), 'count of invitations').count,
    withdraw: async (id, merchantId) => (await WITHDRAW(on, { id, merchantId }))[0] ?? null,
    async withdrawLike(of) {
      await WITHDRAW_LIKE(on, of);
    },
    async withdrawBy(userId, merchantId) {
      await WITHDRAW_BY(on, { invitedBy: userId, merchantId });
    },
    purge: async (now, limit) => (await PURGE(on, { now, limit })).length,
  };
}
