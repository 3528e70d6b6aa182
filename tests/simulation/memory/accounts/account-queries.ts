/** Reads of accounts in memory. */
import type { AccountQueries, Person } from '../../../../src/ports/accounts/account-queries.ts';
import type { StoredUser } from '../../../../src/ports/accounts/account-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { lowered } from '../store/texts.ts';
import { hasSecondFactor, invitationOf, sessionOf, storedUserOf, userOf } from './account-rows.ts';
import { passkeysOf } from './sessions.ts';

type People = Pick<
  AccountQueries,
  'people' | 'standingOf' | 'membershipsOf' | 'openInvitations' | 'invitation'
>;

export function accountQueries(store: MemoryStore): AccountQueries {
  const { users, knownNetworks, recoveryCodes, sessions } = store.tables;
  return {
    async credentialsOf(by) {
      const row = 'id' in by ? users.find(by.id) : users.by('email', by.email)[0];
      if (row === undefined) return null;
      return { user: storedUserOf(row), hasSecondFactor: hasSecondFactor(store, row) };
    },

    isKnownNetwork: async (userId, network) => knownNetworks.find(userId, network) !== undefined,

    async userSession(tokenHash) {
      const [session] = sessions.by('tokenHash', tokenHash);
      if (session === undefined) return null;
      const user = users.find(session.userId)!;
      if (user.status !== 'active') return null;
      return {
        session: sessionOf(session),
        user: userOf(user),
        hasSecondFactor: hasSecondFactor(store, user),
      };
    },

    securityOf: async (userId) => ({
      passkeys: passkeysOf(store, userId),
      recoveryCodesLeft: recoveryCodes.by('userId', userId).filter(({ usedAt }) => usedAt === null).length,
      sessions: sessions
        .by('userId', userId)
        .sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime() || byText(b.id, a.id))
        .map(sessionOf),
    }),

    ...peopleAt(store),
  };
}

function peopleAt(store: MemoryStore): People {
  const { users, memberships, merchants, invitations } = store.tables;
  const person = (row: StoredUser, place: Pick<Person, 'role' | 'refundLimitMicroUsd'>): Person => ({
    ...userOf(row),
    hasSecondFactor: hasSecondFactor(store, row),
    lastSeenAt: lastSeenAt(store, row.id),
    ...place,
  });
  return {
    membershipsOf: async (userId) =>
      memberships
        .by('userId', userId)
        .map(({ merchantId, role, refundLimitMicroUsd }) => ({
          ...{ userId, merchantId, role, refundLimitMicroUsd },
          merchantName: merchants.find(merchantId)!.name,
        }))
        .sort(
          (a, b) =>
            byText(lowered(a.merchantName), lowered(b.merchantName)) || byText(a.merchantId, b.merchantId),
        ),

    async people(merchantId) {
      const found: Person[] = [];
      if (merchantId === null) {
        for (const row of users.all())
          if (row.operatorRole !== null)
            found.push(person(row, { role: row.operatorRole, refundLimitMicroUsd: null }));
      } else
        for (const { userId, role, refundLimitMicroUsd } of memberships.by('merchantId', merchantId))
          found.push(person(users.find(userId)!, { role, refundLimitMicroUsd }));
      return found.sort((a, b) => byText(a.email, b.email));
    },

    async standingOf(userId, merchantId) {
      const user = users.find(userId);
      if (user?.status !== 'active') return null;
      if (merchantId === null)
        return user.operatorRole === null
          ? null
          : { userId, role: user.operatorRole, sponsors: user.sponsors };
      const membership = memberships.find(userId, merchantId);
      return membership === undefined
        ? null
        : { userId, role: membership.role, sponsors: membership.sponsors };
    },

    openInvitations: async (merchantId, now) =>
      invitations
        .where(
          (row) =>
            row.merchantId === merchantId &&
            row.kind === 'invitation' &&
            row.acceptedAt === null &&
            row.expiresAt > now,
        )
        .sort((a, b) => byText(b.id, a.id))
        .map(invitationOf),

    async invitation(tokenHash) {
      const [row] = invitations.by('tokenHash', tokenHash);
      if (row === undefined) return null;
      const merchant = row.merchantId === null ? undefined : merchants.find(row.merchantId);
      const isKnown = users.by('email', row.email).some(({ status }) => status === 'active');
      return { invitation: invitationOf(row), merchantName: merchant?.name ?? row.merchantName, isKnown };
    },
  };
}

function lastSeenAt({ tables }: MemoryStore, userId: string): Date | null {
  let last: Date | null = null;
  for (const { lastSeenAt: seen } of tables.sessions.by('userId', userId))
    if (last === null || seen > last) last = seen;
  return last;
}
