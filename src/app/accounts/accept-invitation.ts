/** A link is opened: a new user, a new password, or another role of somebody who is known. */
import { passwordFault, preparedPassword } from '../../domain/accounts/password.ts';
import { SECRET_TOKEN } from '../../domain/accounts/session.ts';
import { withReset } from '../../domain/accounts/sponsors.ts';
import { displayName, type Invitation } from '../../domain/accounts/user.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { StoredUser } from '../../ports/accounts/account-repositories.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { actorOf, note } from './account-audit.ts';
import type { AccountFault, Accounts } from './accounts.ts';
import { changing } from './changing.ts';
import type { AccountParts } from './dependencies.ts';
import { grantRole, isOpen } from './granted-role.ts';
import { invitationHash } from './invite.ts';
import { startSession } from './sign-in/begin-session.ts';
import { factorPlace } from './sign-in/confirm-second-factor.ts';
import { tryKey } from './sign-in/counted-tries.ts';
import { addressPlace } from './sign-in/sign-in.ts';

export function invitationOf(deps: AccountParts): Accounts['invitationOf'] {
  return async (token) => {
    if (!SECRET_TOKEN.test(token)) return null;
    const found = await deps.accountQueries.invitation(invitationHash(deps.vault, token));
    return found !== null && isOpen(found.invitation, deps.clock.now()) ? found : null;
  };
}

export function acceptInvitation(deps: AccountParts): Accounts['acceptInvitation'] {
  const open = invitationOf(deps);
  return async ({ token, name: typed, password }, origin) => {
    const found = await open(token);
    if (found === null) return err('link_over');
    const { kind, email } = found.invitation;
    if (kind !== 'reset' && found.isKnown) return err('email_taken');
    const name = displayName(typed);
    if (kind !== 'reset' && name === null) return err('name_missing');
    const fault = passwordFault(password, email);
    if (fault !== null) return err(fault);
    const passwordHash = await deps.passwords.hash(preparedPassword(password));
    const done = await changing(deps, async (repositories) => {
      const invitation = await repositories.invitations.lock(invitationHash(deps.vault, token));
      if (invitation === null || !isOpen(invitation, deps.clock.now())) return err('link_over');
      const made =
        kind === 'reset'
          ? await withNewPassword(deps, repositories, { invitation, passwordHash })
          : await newUser(deps, repositories, { invitation, passwordHash, name: name ?? '' });
      if (!made.ok) return made;
      const user = made.value;
      const started = await startSession(deps, repositories, {
        ...{ user, hasSecondFactor: false, secondFactorAt: null, origin },
      });
      await accepted(deps, repositories, invitation, { user, session: started.session });
      return ok(started);
    });
    if (done.ok) deps.kept.forget(done.value.session.userId);
    return done;
  };
}

interface Opened {
  readonly invitation: Invitation;
  readonly passwordHash: string;
}

/**
 * The second factors are gone, since a lost one is why people ask; so are all sessions, and what
 * strangers made the user wait for.
 */
async function withNewPassword(
  deps: AccountParts,
  repositories: Repositories,
  { invitation: { email, invitedBy }, passwordHash }: Opened,
): Promise<Result<StoredUser, AccountFault>> {
  const holders = await repositories.users.lockOperators();
  const user = await repositories.users.lockByEmail(email);
  if (user?.status !== 'active') return err('link_over');
  const { id: userId, operatorRole } = user;
  const sponsors = operatorRole === null ? user.sponsors : withReset({ ...user, userId }, invitedBy, holders);
  const changed = { ...user, passwordHash, sponsors };
  await withoutFactors(repositories, changed);
  await repositories.sessions.endAll(user.id, null);
  const places = [addressPlace(email), factorPlace(user.id)];
  await repositories.signInAttempts.forget(places.map((name) => tryKey(deps, name)));
  return ok({ ...changed, codesSealed: null });
}

async function withoutFactors(
  { users, passkeys, recoveryCodes }: Repositories,
  user: StoredUser,
): Promise<void> {
  await users.save({ ...user, codesSealed: null });
  await passkeys.remove(user.id, null);
  await recoveryCodes.replace(user.id, []);
}

/** A disabled operator comes back as whoever is invited anew. */
async function newUser(
  deps: AccountParts,
  repositories: Repositories,
  { invitation, passwordHash, name }: Opened & { readonly name: string },
): Promise<Result<StoredUser, AccountFault>> {
  const { email } = invitation;
  const made: StoredUser = {
    ...{ id: deps.ids.id(), email, name, status: 'active', operatorRole: null, passwordHash },
    ...{ codesSealed: null, sponsors: [], createdAt: deps.clock.now() },
  };
  if (!(await repositories.users.insert(made))) {
    const known = await repositories.users.lockByEmail(email);
    if (known === null || known.status === 'active') return err('email_taken');
    const again: StoredUser = { ...known, name, passwordHash, status: 'active' };
    await withoutFactors(repositories, again);
    return granted(deps, repositories, { ...again, codesSealed: null }, invitation);
  }
  return granted(deps, repositories, made, invitation);
}

async function granted(
  deps: AccountParts,
  repositories: Repositories,
  user: StoredUser,
  invitation: Invitation,
): Promise<Result<StoredUser, AccountFault>> {
  const fault = await grantRole(deps, repositories, user, invitation);
  if (fault !== null) return err(fault);
  return ok((await repositories.users.lock(user.id)) ?? user);
}

async function accepted(
  deps: AccountParts,
  repositories: Repositories,
  { id, kind, merchantId, role }: Invitation,
  by: Parameters<typeof actorOf>[0],
): Promise<void> {
  await repositories.invitations.accept(id, deps.clock.now());
  await note(deps, repositories, actorOf(by), {
    ...{ action: 'invitation.accepted', subject: 'invitation', subjectId: id, merchantId },
    after: { kind, role },
  });
}

export function joinByInvitation(deps: AccountParts): Accounts['joinByInvitation'] {
  return async (by, token) => {
    if (by.session.stage === 'password') return err('confirm_needed');
    const done = await changing(deps, async (repositories) => {
      const invitation = SECRET_TOKEN.test(token)
        ? await repositories.invitations.lock(invitationHash(deps.vault, token))
        : null;
      if (invitation === null || !isOpen(invitation, deps.clock.now())) return err('link_over');
      if (invitation.kind === 'reset' || invitation.email !== by.user.email) return err('link_over');
      const user = await repositories.users.lock(by.user.id);
      if (user?.status !== 'active') return err('link_over');
      const fault = await grantRole(deps, repositories, user, invitation);
      if (fault !== null) return err(fault);
      await accepted(deps, repositories, invitation, by);
      return ok(undefined);
    });
    deps.kept.forget(by.user.id);
    return done;
  };
}
