/** Links that give a role, or a new password, to whoever opens them first. */
import { MERCHANT_ROLES, OPERATOR_ROLES } from '../../domain/accounts/role.ts';
import { INVITATIONS_MAX, type Invitation, LINK_MS, normalizedEmail } from '../../domain/accounts/user.ts';
import type { Actor } from '../../domain/audit/audit-entry.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Vault } from '../../ports/runtime/vault.ts';
import { actorOf, note } from './account-audit.ts';
import type { AccountFault, Accounts, NewInvitation } from './accounts.ts';
import { ANYBODY, type StillMay, stillManages } from './authority.ts';
import { changing } from './changing.ts';
import type { AccountsDependencies } from './dependencies.ts';

type LinkResult = Result<{ readonly url: string }, AccountFault>;

export function invite(deps: AccountsDependencies): Accounts['invite'] {
  return async (by, of) => {
    const may = stillManages(by, { merchantId: of.merchantId, userId: null });
    return inviteAs(deps, may)(actorOf(by), of);
  };
}

export function inviteAs(
  deps: AccountsDependencies,
  stillMay: StillMay = ANYBODY,
): (actor: Actor, of: NewInvitation) => Promise<LinkResult> {
  return async (actor, { email: typed, merchantId, role, refundLimitMicroUsd }) => {
    const email = normalizedEmail(typed);
    if (email === null) return err('email_malformed');
    const roles: readonly string[] = merchantId === null ? OPERATOR_ROLES : MERCHANT_ROLES;
    if (!roles.includes(role)) return err('not_found');
    return changing(deps, async (repositories) => {
      const fault =
        (await stillMay(repositories)) ?? (await invitationFault(deps, repositories, { email, merchantId }));
      if (fault !== null) return err(fault);
      return madeLink(deps, repositories, actor, {
        ...{ kind: 'invitation', email, merchantId, merchantName: null, role },
        refundLimitMicroUsd: merchantId === null ? null : refundLimitMicroUsd,
      });
    });
  };
}

/**
 * That the address is an operator's is not told to a merchant: whoever accepts is refused then
 * (granted-role.ts).
 */
async function invitationFault(
  { clock }: AccountsDependencies,
  { users, memberships, merchants, invitations }: Repositories,
  { email, merchantId }: Pick<Invitation, 'email' | 'merchantId'>,
): Promise<AccountFault | null> {
  if (merchantId !== null && (await merchants.find(merchantId)) === null) return 'not_found';
  if ((await invitations.countOpen(merchantId, clock.now())) >= INVITATIONS_MAX) return 'too_many';
  const user = await users.lockByEmail(email);
  if (user === null) return null;
  const places = await memberships.of(user.id);
  if (merchantId !== null)
    return places.some((place) => place.merchantId === merchantId) ? 'email_taken' : null;
  if (places.length > 0) return 'other_side';
  return user.operatorRole !== null && user.status === 'active' ? 'email_taken' : null;
}

export function withdrawInvitation(deps: AccountsDependencies): Accounts['withdrawInvitation'] {
  return async (by, { merchantId, invitationId }) => {
    return changing(deps, async (repositories) => {
      const fault = await stillManages(by, { merchantId, userId: null })(repositories);
      if (fault !== null) return err(fault);
      const withdrawn = await repositories.invitations.withdraw(invitationId, merchantId);
      if (withdrawn === null) return err('not_found');
      await note(deps, repositories, actorOf(by), {
        ...{ action: 'invitation.withdrawn', subject: 'invitation', subjectId: invitationId, merchantId },
        before: { email: withdrawn.email, role: withdrawn.role },
      });
      return ok(undefined);
    });
  };
}

export function resetLink(deps: AccountsDependencies): Accounts['resetLink'] {
  return (by, userId) =>
    resetLinkAs(deps, stillManages(by, { merchantId: null, userId }))(actorOf(by), userId);
}

export function resetLinkAs(
  deps: AccountsDependencies,
  stillMay: StillMay = ANYBODY,
): (actor: Actor, userId: string) => Promise<LinkResult> {
  return (actor, userId) =>
    changing(deps, async (repositories) => {
      const fault = await stillMay(repositories);
      if (fault !== null) return err(fault);
      const user = await repositories.users.lock(userId);
      if (user?.status !== 'active') return err('not_found');
      return madeLink(deps, repositories, actor, {
        ...{ kind: 'reset', email: user.email, merchantId: null, merchantName: null, role: null },
        refundLimitMicroUsd: null,
      });
    });
}

/** The one open link of its kind, address and place: an earlier one ends. */
export async function madeLink(
  deps: AccountsDependencies,
  repositories: Repositories,
  actor: Actor,
  of: Pick<Invitation, 'kind' | 'email' | 'merchantId' | 'merchantName' | 'role' | 'refundLimitMicroUsd'>,
): Promise<LinkResult> {
  const { kind, email, merchantId, role } = of;
  const now = deps.clock.now();
  const token = deps.ids.secretToken();
  const id = deps.ids.id();
  await repositories.invitations.withdrawLike({ kind, email, merchantId });
  await repositories.invitations.insert({
    ...{ ...of, id, tokenHash: invitationHash(deps.vault, token), invitedBy: actor.userId },
    ...{ expiresAt: new Date(now.getTime() + LINK_MS[kind]), acceptedAt: null, createdAt: now },
  });
  await note(deps, repositories, actor, {
    ...{ action: 'invitation.made', subject: 'invitation', subjectId: id, merchantId },
    after: { kind, email, role, refund_limit: of.refundLimitMicroUsd?.toString() ?? null },
  });
  return ok({ url: `${deps.consoleUrl}/i/${token}` });
}

export function invitationHash(vault: Vault, token: string): string {
  return vault.mac(`invitation ${token}`);
}
