/** Reads of accounts. */
import { sql } from 'drizzle-orm';
import type { AccountQueries } from '../../../ports/accounts/account-queries.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import {
  invitations as i,
  memberships as m,
  knownNetworks as n,
  passkeys as p,
  recoveryCodes as r,
  sessions as s,
  users as u,
} from '../schema/console/accounts.ts';
import { merchants } from '../schema/merchants.ts';
import { statement } from '../statement.ts';
import { like, notNull, nullable } from '../statement-parts.ts';
import {
  hasSecondFactor,
  INVITATION,
  MEMBERSHIP,
  PASSKEY,
  SESSION,
  STORED_USER,
  USER,
} from './account-rows.ts';

const CREDENTIALS = { ...STORED_USER, hasSecondFactor: hasSecondFactor() };
const BY_EMAIL = statement({
  given: { email: u.email },
  selects: CREDENTIALS,
  text: ({ email }, select) => sql`select ${select} from ${u} where ${u.email} = ${email}`,
});
const BY_ID = statement({
  given: { id: u.id },
  selects: CREDENTIALS,
  text: ({ id }, select) => sql`select ${select} from ${u} where ${u.id} = ${id}`,
});
const KNOWN_NETWORK = statement({
  given: { userId: n.userId, network: n.network },
  selects: { userId: n.userId },
  text: ({ userId, network }, select) => sql`
    select ${select} from ${n} where ${n.userId} = ${userId} and ${n.network} = ${network}`,
});
const OF_SESSION = {
  ...{ sessionId: s.id, secondFactorAt: s.secondFactorAt, ip: s.ip, userAgent: s.userAgent },
  ...{ begunAt: s.createdAt, lastSeenAt: s.lastSeenAt, hasSecondFactor: hasSecondFactor() },
};
const USER_SESSION = statement({
  given: { tokenHash: s.tokenHash },
  selects: { ...USER, ...OF_SESSION },
  text: ({ tokenHash }, select) => sql`
    select ${select} from ${s} join ${u} on ${u.id} = ${s.userId}
    where ${s.tokenHash} = ${tokenHash} and ${equals(u.status, 'active')}`,
});
const MEMBERSHIPS = statement({
  given: { userId: m.userId },
  selects: { ...MEMBERSHIP, merchantName: merchants.name },
  text: ({ userId }, select) => sql`
    select ${select} from ${m} join ${merchants} on ${merchants.id} = ${m.merchantId}
    where ${m.userId} = ${userId} order by lower(${merchants.name}), ${m.merchantId}`,
});
/** Oldest first. */
export const PASSKEYS_OF = statement({
  given: { userId: p.userId },
  selects: PASSKEY,
  text: ({ userId }, select) => sql`
    select ${select} from ${p} where ${p.userId} = ${userId} order by ${p.createdAt}, ${p.credentialId}`,
});
const CODES_LEFT = statement({
  given: { userId: r.userId },
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: ({ userId }, select) => sql`
    select ${select} from ${r} where ${r.userId} = ${userId} and ${r.usedAt} is null`,
});
const SESSIONS = statement({
  given: { userId: s.userId },
  selects: SESSION,
  text: ({ userId }, select) => sql`
    select ${select} from ${s} where ${s.userId} = ${userId} order by ${s.lastSeenAt} desc, ${s.id} desc`,
});

const PERSON = {
  ...USER,
  hasSecondFactor: hasSecondFactor(),
  lastSeenAt: like(s.lastSeenAt, sql`(select max(${s.lastSeenAt}) from ${s} where ${s.userId} = ${u.id})`),
};
const MEMBERS = statement({
  given: { merchantId: m.merchantId },
  selects: { ...PERSON, role: m.role, refundLimitMicroUsd: m.refundLimitMicroUsd },
  text: ({ merchantId }, select) => sql`
    select ${select} from ${m} join ${u} on ${u.id} = ${m.userId}
    where ${m.merchantId} = ${merchantId} order by ${u.email}`,
});
const OPERATORS = statement({
  selects: { ...PERSON, role: notNull(u.operatorRole) },
  text: (_given, select) => sql`
    select ${select} from ${u} where ${u.operatorRole} is not null order by ${u.email}`,
});
const OPERATOR_STANDING = statement({
  given: { userId: u.id },
  selects: { userId: u.id, role: notNull(u.operatorRole), sponsors: u.sponsors },
  text: ({ userId }, select) => sql`
    select ${select} from ${u} where ${u.id} = ${userId} and ${equals(u.status, 'active')}
      and ${u.operatorRole} is not null`,
});
const MEMBER_STANDING = statement({
  given: { userId: m.userId, merchantId: m.merchantId },
  selects: { userId: m.userId, role: m.role, sponsors: m.sponsors },
  text: ({ userId, merchantId }, select) => sql`
    select ${select} from ${m} join ${u} on ${u.id} = ${m.userId}
    where ${m.userId} = ${userId} and ${m.merchantId} = ${merchantId} and ${equals(u.status, 'active')}`,
});
const OPEN_INVITATIONS = statement({
  given: { merchantId: nullable(i.merchantId), now: i.expiresAt },
  selects: INVITATION,
  text: ({ merchantId, now }, select) => sql`
    select ${select} from ${i} where ${i.merchantId} is not distinct from ${merchantId}
      and ${equals(i.kind, 'invitation')} and ${i.acceptedAt} is null and ${i.expiresAt} > ${now}
    order by ${i.id} desc`,
});
const BY_TOKEN = statement({
  given: { tokenHash: i.tokenHash },
  selects: {
    ...INVITATION,
    nameOfMerchant: like(merchants.name, sql`coalesce(${merchants.name}, ${i.merchantName})`),
    isKnown: sql<boolean>`exists (
      select from ${u} where ${u.email} = ${i.email} and ${equals(u.status, 'active')})`,
  },
  text: ({ tokenHash }, select) => sql`
    select ${select} from ${i} left join ${merchants} on ${merchants.id} = ${i.merchantId}
    where ${i.tokenHash} = ${tokenHash}`,
});

export function accountQueries(on: Sql): AccountQueries {
  return {
    async credentialsOf(by) {
      const [row] = await ('id' in by ? BY_ID(on, by) : BY_EMAIL(on, by));
      if (row === undefined) return null;
      const { hasSecondFactor: has, ...user } = row;
      return { user, hasSecondFactor: has };
    },

    isKnownNetwork: async (userId, network) => (await KNOWN_NETWORK(on, { userId, network })).length > 0,

    async userSession(tokenHash) {
      const [row] = await USER_SESSION(on, { tokenHash });
      if (row === undefined) return null;
      const {
        sessionId,
        begunAt,
        secondFactorAt,
        ip,
        userAgent,
        lastSeenAt,
        hasSecondFactor: has,
        ...user
      } = row;
      const session = {
        ...{ id: sessionId, userId: user.id, secondFactorAt, ip, userAgent, lastSeenAt },
        createdAt: begunAt,
      };
      return { session, user, hasSecondFactor: has };
    },

    membershipsOf: (userId) => MEMBERSHIPS(on, { userId }),

    async securityOf(userId) {
      const [passkeys, left, sessions] = await Promise.all([
        PASSKEYS_OF(on, { userId }),
        CODES_LEFT(on, { userId }),
        SESSIONS(on, { userId }),
      ]);
      return { passkeys, recoveryCodesLeft: theOnly(left, 'count of recovery codes').count, sessions };
    },

    async people(merchantId) {
      if (merchantId !== null) return MEMBERS(on, { merchantId });
      return (await OPERATORS(on)).map((person) => ({ ...person, refundLimitMicroUsd: null }));
    },

    async standingOf(userId, merchantId) {
      const rows = await (merchantId === null
        ? OPERATOR_STANDING(on, { userId })
        : MEMBER_STANDING(on, { userId, merchantId }));
      return rows[0] ?? null;
    },

    openInvitations: (merchantId, now) => OPEN_INVITATIONS(on, { merchantId, now }),

    async invitation(tokenHash) {
      const [row] = await BY_TOKEN(on, { tokenHash });
      if (row === undefined) return null;
      const { nameOfMerchant, isKnown, ...invitation } = row;
      return { invitation, merchantName: nameOfMerchant, isKnown };
    },
  };
}
