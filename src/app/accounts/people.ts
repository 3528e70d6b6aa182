/** Who has a role where, and changes of it. Somebody who manages users is always left. */
import {
  MERCHANT_ROLES,
  type MerchantRole,
  OPERATOR_ROLES,
  type OperatorRole,
} from '../../domain/accounts/role.ts';
import { leavesNobody } from '../../domain/accounts/user.ts';
import type { Actor } from '../../domain/audit/audit-entry.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { actorOf, note } from './account-audit.ts';
import type { AccountFault, Accounts, SignedIn } from './accounts.ts';
import { ANYBODY, type StillMay, stillManages } from './authority.ts';
import { changing } from './changing.ts';
import type { AccountParts } from './dependencies.ts';

export function people(deps: AccountParts): Accounts['people'] {
  return async (merchantId) => {
    const [users, invitations] = await Promise.all([
      deps.accountQueries.people(merchantId),
      deps.accountQueries.openInvitations(merchantId, deps.clock.now()),
    ]);
    return { users, invitations };
  };
}

type RoleChange = Parameters<Accounts['changeRole']>[1];

export function changeRole(deps: AccountParts): Accounts['changeRole'] {
  return async (by, of) => {
    const { merchantId, userId, role } = of;
    const roles: readonly string[] = merchantId === null ? OPERATOR_ROLES : MERCHANT_ROLES;
    if (!roles.includes(role)) return err('not_found');
    const done = await (merchantId === null
      ? changeOperator(deps, by, of)
      : changeMember(deps, by, { ...of, merchantId }));
    deps.kept.forget(userId);
    return done;
  };
}

function changeMember(
  deps: AccountParts,
  by: SignedIn,
  { merchantId, userId, role, refundLimitMicroUsd }: RoleChange & { readonly merchantId: string },
): Promise<Result<void, AccountFault>> {
  return changing(deps, async (repositories) => {
    const fault = await stillManages(by, { merchantId, userId })(repositories);
    if (fault !== null) return err(fault);
    const holders = await repositories.memberships.lockOf(merchantId);
    const before = (await repositories.memberships.of(userId)).find((one) => one.merchantId === merchantId);
    if (before === undefined) return err('not_found');
    if (leavesNobody(holders, { userId, role })) return err('last_of_its_kind');
    const after = { ...before, role: role as MerchantRole, refundLimitMicroUsd };
    await repositories.memberships.put(after);
    if (role !== 'owner') await repositories.invitations.withdrawBy(userId, merchantId);
    const told = (one: typeof before) => ({
      ...{ role: one.role, refund_limit: one.refundLimitMicroUsd?.toString() ?? null },
    });
    await note(deps, repositories, actorOf(by), {
      ...{ action: 'user.role_changed', subject: 'user', subjectId: userId, merchantId },
      ...{ before: told(before), after: told(after) },
    });
    return ok(undefined);
  });
}

function changeOperator(
  deps: AccountParts,
  by: SignedIn,
  { userId, role }: RoleChange,
): Promise<Result<void, AccountFault>> {
  return changing(deps, async (repositories) => {
    const fault = await stillManages(by, { merchantId: null, userId })(repositories);
    if (fault !== null) return err(fault);
    const holders = await repositories.users.lockOperators();
    const user = await repositories.users.lock(userId);
    if (user === null || user.operatorRole === null || user.status !== 'active') return err('not_found');
    if (leavesNobody(holders, { userId, role })) return err('last_of_its_kind');
    await repositories.users.save({ ...user, operatorRole: role as OperatorRole });
    if (role !== 'admin') await repositories.invitations.withdrawBy(userId, null);
    await note(deps, repositories, actorOf(by), {
      ...{ action: 'user.role_changed', subject: 'user', subjectId: userId },
      ...{ before: { role: user.operatorRole }, after: { role } },
    });
    return ok(undefined);
  });
}

export function removePerson(deps: AccountParts): Accounts['removePerson'] {
  return async (by, { merchantId, userId }) => {
    if (merchantId === null)
      return disableOperatorAs(deps, stillManages(by, { merchantId, userId }))(actorOf(by), userId);
    const done = await removeMember(deps, by, { merchantId, userId });
    deps.kept.forget(userId);
    return done;
  };
}

function removeMember(
  deps: AccountParts,
  by: SignedIn,
  { merchantId, userId }: { readonly merchantId: string; readonly userId: string },
): Promise<Result<void, AccountFault>> {
  return changing(deps, async (repositories) => {
    const fault = await stillManages(by, { merchantId, userId })(repositories);
    if (fault !== null) return err(fault);
    const holders = await repositories.memberships.lockOf(merchantId);
    const role = holders.find((holder) => holder.userId === userId)?.role;
    if (role === undefined) return err('not_found');
    if (leavesNobody(holders, { userId, role: null })) return err('last_of_its_kind');
    await repositories.memberships.remove(userId, merchantId);
    await repositories.sessions.endAll(userId, null);
    await repositories.invitations.withdrawBy(userId, merchantId);
    await note(deps, repositories, actorOf(by), {
      ...{ action: 'user.removed', subject: 'user', subjectId: userId, merchantId, before: { role } },
    });
    return ok(undefined);
  });
}

/** All sessions end, and the invitations that were made. */
export function disableOperatorAs(
  deps: AccountParts,
  stillMay: StillMay = ANYBODY,
): (actor: Actor, userId: string) => Promise<Result<void, AccountFault>> {
  return async (actor, userId) => {
    const done = await changing(deps, async (repositories) => {
      const fault = await stillMay(repositories);
      if (fault !== null) return err(fault);
      const holders = await repositories.users.lockOperators();
      const user = await repositories.users.lock(userId);
      if (user === null || user.operatorRole === null || user.status !== 'active') return err('not_found');
      if (leavesNobody(holders, { userId, role: null })) return err('last_of_its_kind');
      await repositories.users.save({ ...user, status: 'disabled' });
      await repositories.sessions.endAll(userId, null);
      await repositories.invitations.withdrawBy(userId, null);
      await note(deps, repositories, actor, {
        ...{
          action: 'user.disabled',
          subject: 'user',
          subjectId: userId,
          before: { role: user.operatorRole },
        },
      });
      return ok(undefined);
    });
    deps.kept.forget(userId);
    return done;
  };
}

export function endSessionsOf(deps: AccountParts): Accounts['endSessionsOf'] {
  return async (by, { merchantId, userId }) => {
    const done = await changing(deps, async (repositories) => {
      const fault = await stillManages(by, { merchantId, userId })(repositories);
      if (fault !== null) return err(fault);
      const user = await repositories.users.lock(userId);
      const isThere =
        merchantId === null
          ? user !== null && user.operatorRole !== null
          : (await repositories.memberships.of(userId)).some((one) => one.merchantId === merchantId);
      if (!isThere) return err('not_found');
      return ok(await endAllSessions(deps, repositories, { actor: actorOf(by), userId, merchantId }));
    });
    deps.kept.forget(userId);
    return done;
  };
}

/** Returns how many. */
export async function endAllSessions(
  deps: AccountParts,
  repositories: Repositories,
  { actor, userId, merchantId }: { actor: Actor; userId: string; merchantId: string | null },
): Promise<number> {
  const ended = await repositories.sessions.endAll(userId, null);
  await note(deps, repositories, actor, {
    ...{ action: 'session.all_ended', subject: 'user', subjectId: userId, merchantId, after: { ended } },
  });
  return ended;
}
