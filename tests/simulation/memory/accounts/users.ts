/** Users, their roles at merchants, and invitations, in memory. */
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import type {
  InvitationRepository,
  MembershipRepository,
  StoredInvitation,
  UserRepository,
} from '../../../../src/ports/accounts/account-repositories.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { purgeExpired } from '../store/purge.ts';
import {
  checkInvitation,
  checkUser,
  invitationOf,
  storedMembershipOf,
  storedUserOf,
} from './account-rows.ts';

export function userRepository(store: MemoryStore): UserRepository {
  const { users, memberships } = store.tables;
  const asThere = <Row>(row: Row | undefined): readonly Row[] => (row === undefined ? [] : [row]);
  return {
    async insert(user) {
      checkUser(user);
      const row = { ...storedUserOf(user), sponsors: [...user.sponsors] };
      return users.insertUnlessThere(row, 'users_email') !== null;
    },

    async lock(id) {
      const row = users.find(id);
      return row === undefined ? null : storedUserOf(row);
    },

    async lockByEmail(email) {
      const [row] = users.by('email', email);
      return row === undefined ? null : storedUserOf(row);
    },

    async save(user) {
      const { id, name, status, operatorRole, passwordHash, codesSealed, sponsors } = user;
      const row = theOnly(asThere(users.find(id)), `save of user ${id}`);
      checkUser({ ...user, email: row.email });
      // The foreign key of memberships has the side of their user.
      if (operatorRole !== null && memberships.by('userId', id).length > 0)
        throw new StatementRefused(`user ${id} has memberships`, {
          ...{ sqlState: '23503', constraint: 'memberships_no_operator', statement: 'in memory' },
        });
      users.update(row, {
        ...{ name, status, operatorRole, passwordHash, codesSealed, sponsors: [...sponsors] },
        // The last step is of the secret that it was taken with.
        codesStep: row.codesSealed === codesSealed ? row.codesStep : null,
      });
    },

    async useStep(id, step) {
      const row = users.find(id);
      if (row === undefined || (row.codesStep !== null && row.codesStep >= step)) return false;
      check('users_codes', row.codesSealed !== null);
      users.update(row, { codesStep: step });
      return true;
    },

    async lockOperators() {
      const holders = [];
      for (const { id: userId, operatorRole: role, status, sponsors } of users.all())
        if (role !== null) holders.push({ userId, role, status, sponsors });
      return holders.sort((a, b) => byText(a.userId, b.userId));
    },
  };
}

export function membershipRepository(store: MemoryStore): MembershipRepository {
  const { users, memberships } = store.tables;
  return {
    async lockOf(merchantId) {
      const rows = memberships.by('merchantId', merchantId);
      return rows
        .map(({ userId, role, sponsors }) => ({ userId, role, status: users.find(userId)!.status, sponsors }))
        .sort((a, b) => byText(a.userId, b.userId));
    },

    of: async (userId) =>
      memberships
        .by('userId', userId)
        .map(storedMembershipOf)
        .sort((a, b) => byText(a.merchantId, b.merchantId)),

    async put(membership) {
      const { role, refundLimitMicroUsd } = membership;
      const sponsors = [...membership.sponsors];
      const changes = { role, refundLimitMicroUsd, sponsors };
      memberships.insertOrUpdate({ ...storedMembershipOf(membership), sponsors }, () => changes);
    },

    async remove(userId, merchantId) {
      const row = memberships.find(userId, merchantId);
      if (row === undefined) return false;
      memberships.delete(row);
      return true;
    },
  };
}

export function invitationRepository(store: MemoryStore): InvitationRepository {
  const { invitations } = store.tables;
  const remove = (fits: (row: StoredInvitation) => boolean): void => {
    for (const row of invitations.where((each) => each.acceptedAt === null && fits(each)))
      invitations.delete(row);
  };
  return {
    async insert(invitation) {
      checkInvitation(invitation);
      invitations.insert({ ...invitation });
    },

    async lock(tokenHash) {
      const [row] = invitations.by('tokenHash', tokenHash);
      return row === undefined ? null : invitationOf(row);
    },

    async accept(id, at) {
      const row = invitations.find(id);
      invitations.update(theOnly(row === undefined ? [] : [row], `accepted invitation ${id}`), {
        acceptedAt: at,
      });
    },

    countOpen: async (merchantId, now) =>
      invitations.where(
        (row) =>
          row.merchantId === merchantId &&
          row.kind === 'invitation' &&
          row.acceptedAt === null &&
          row.expiresAt > now,
      ).length,

    async withdraw(id, merchantId) {
      const row = invitations.find(id);
      const isOpen = row?.kind === 'invitation' && row.acceptedAt === null && row.merchantId === merchantId;
      if (!isOpen) return null;
      invitations.delete(row);
      return invitationOf(row);
    },

    withdrawLike: async ({ kind, email, merchantId }) =>
      remove((row) => row.email === email && row.kind === kind && row.merchantId === merchantId),

    withdrawBy: async (userId, merchantId) =>
      remove((row) => row.invitedBy === userId && (merchantId === null || row.merchantId === merchantId)),

    purge: async (now, limit) => purgeExpired(invitations, now, limit),
  };
}
