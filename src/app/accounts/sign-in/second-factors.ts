/** What the use cases of second factors share. */
import { CEREMONY_MS, type CeremonyKind } from '../../../domain/accounts/ceremony.ts';
import {
  normalizedRecoveryCode,
  RECOVERY_CODES,
  recoveryCodeFrom,
} from '../../../domain/accounts/recovery-code.ts';
import { isFresh, isFreshSignIn } from '../../../domain/accounts/session.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { StoredUser } from '../../../ports/accounts/account-repositories.ts';
import type { Passkey } from '../../../ports/accounts/credentials.ts';
import type { StoredCeremony } from '../../../ports/accounts/sign-in-repositories.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { Vault } from '../../../ports/runtime/vault.ts';
import { type AccountAction, actorOf, note } from '../account-audit.ts';
import type { AccountFault, SignedIn, StartedSession } from '../accounts.ts';
import type { AccountParts } from '../dependencies.ts';
import { renewSession } from './begin-session.ts';

/** The vault's context of the secret of one-time codes. */
export function codesContext(userId: string): string {
  return `codes ${userId}`;
}

export async function hasSecondFactor(
  { passkeys }: Pick<Repositories, 'passkeys'>,
  user: StoredUser,
): Promise<boolean> {
  return user.codesSealed !== null || (await passkeys.of(user.id)).length > 0;
}

/**
 * Whoever has a second factor gives it again before it is changed, and whoever has none the
 * password: an unlocked browser is not enough to take an account over. Null: that was done.
 */
export function unproved(deps: Pick<AccountParts, 'clock'>, by: SignedIn): AccountFault | null {
  const now = deps.clock.now();
  if (by.session.stage === 'password') return 'confirm_needed';
  if (by.hasSecondFactor) return isFresh(by.session, now) ? null : 'confirm_needed';
  return isFreshSignIn(by.session, now) ? null : 'sign_in_again';
}

/**
 * The same of the user as it is now, locked. What a session is known as may be two seconds old.
 */
export async function provedUser(
  deps: AccountParts,
  repositories: Repositories,
  by: SignedIn,
): Promise<Result<{ readonly user: StoredUser; readonly has: boolean }, AccountFault>> {
  const user = await repositories.users.lock(by.user.id);
  if (user?.status !== 'active') return err('confirm_needed');
  const has = await hasSecondFactor(repositories, user);
  const fault = unproved(deps, { ...by, hasSecondFactor: has });
  return fault === null ? ok({ user, has }) : err(fault);
}

function ceremonyKey(vault: Vault, kind: CeremonyKind, sessionId: string): string {
  return vault.mac(`ceremony ${kind} ${sessionId}`);
}

/** What the session was last asked, if it is still awaited. */
export async function ceremonyOf(
  deps: AccountParts,
  { ceremonies }: Repositories,
  { session }: SignedIn,
  kind: CeremonyKind,
): Promise<string | null> {
  return awaited(deps, await ceremonies.find(ceremonyKey(deps.vault, kind, session.id)), session.id);
}

/** The same, and nothing is awaited any more. */
export async function takeCeremony(
  deps: AccountParts,
  { ceremonies }: Repositories,
  { session }: SignedIn,
  kind: CeremonyKind,
): Promise<string | null> {
  return awaited(deps, await ceremonies.take(ceremonyKey(deps.vault, kind, session.id)), session.id);
}

function awaited(
  { vault, clock }: AccountParts,
  found: StoredCeremony | null,
  sessionId: string,
): string | null {
  if (found === null || found.sealed === null || found.expiresAt <= clock.now()) return null;
  return vault.open(found.sealed, `${found.kind} ${sessionId}`);
}

export async function beginCeremony(
  deps: AccountParts,
  { ceremonies }: Repositories,
  { session }: SignedIn,
  { kind, secret }: { readonly kind: CeremonyKind; readonly secret: string },
): Promise<void> {
  await ceremonies.put({
    ...{ key: ceremonyKey(deps.vault, kind, session.id), kind, sessionId: session.id },
    sealed: deps.vault.seal(secret, `${kind} ${session.id}`),
    expiresAt: new Date(deps.clock.now().getTime() + CEREMONY_MS[kind]),
  });
}

/**
 * After a second factor was set up: the session has proved it. With the first one come recovery
 * codes, and all other sessions end, since they have not.
 */
export async function enrolled(
  deps: AccountParts,
  repositories: Repositories,
  by: SignedIn,
  { isFirst, action }: { readonly isFirst: boolean; readonly action: AccountAction },
): Promise<Result<{ started: StartedSession; recoveryCodes: readonly string[] | null }, AccountFault>> {
  await note(deps, repositories, actorOf(by), action);
  const recoveryCodes = isFirst ? await issueRecoveryCodes(deps, repositories, by.user.id) : null;
  if (isFirst) await repositories.sessions.endAll(by.user.id, by.session.id);
  const proved = { hasSecondFactor: true, secondFactorAt: deps.clock.now() };
  const started = await renewSession(deps, repositories, by, proved);
  return started === null ? err('not_found') : ok({ started, recoveryCodes });
}

/** After one was removed. An operator keeps at least one. */
export async function removed(
  deps: AccountParts,
  repositories: Repositories,
  by: SignedIn,
  { left, action }: { readonly left: boolean; readonly action: AccountAction },
): Promise<Result<void, AccountFault>> {
  if (!left) {
    if (by.user.operatorRole !== null) return err('second_factor_needed');
    await repositories.recoveryCodes.replace(by.user.id, []);
    await repositories.sessions.forgetSecondFactor(by.user.id);
  }
  await note(deps, repositories, actorOf(by), action);
  return ok(undefined);
}

/** In place of all earlier ones. They are shown once. */
export async function issueRecoveryCodes(
  deps: AccountParts,
  { recoveryCodes }: Repositories,
  userId: string,
): Promise<readonly string[]> {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODES) {
    const code = recoveryCodeFrom(deps.ids.secretToken());
    if (code !== null) codes.add(code);
  }
  await recoveryCodes.replace(
    userId,
    [...codes].map((code) => recoveryHash(deps.vault, userId, code)),
  );
  return [...codes];
}

export function recoveryHash(vault: Vault, userId: string, typed: string): string {
  return vault.mac(`recovery ${userId} ${normalizedRecoveryCode(typed)}`);
}

/**
 * Whether the browser's answer is of a passkey and for the challenge. The signature is checked
 * outside transactions; `used` then takes it, once.
 */
export async function verifiedPasskey(
  deps: AccountParts,
  answer: string,
  { challenge, userId }: { readonly challenge: string; readonly userId: string | null },
): Promise<{ readonly passkey: Passkey; readonly signCount: number } | null> {
  const credentialId = deps.passkeys.credentialOf(answer);
  if (credentialId === null) return null;
  const passkey = await deps.unitOfWork.run(({ passkeys }) => passkeys.lock(credentialId));
  if (passkey === null || (userId !== null && passkey.userId !== userId)) return null;
  const signCount = await deps.passkeys.asserted(answer, challenge, passkey);
  return signCount === null ? null : { passkey, signCount };
}

/** False if the passkey was removed, or used, since its signature was checked. */
export async function usePasskey(
  { clock }: Pick<AccountParts, 'clock'>,
  { passkeys }: Repositories,
  { passkey, signCount }: { readonly passkey: Passkey; readonly signCount: number },
): Promise<boolean> {
  const present = await passkeys.lock(passkey.credentialId);
  if (present === null || present.signCount !== passkey.signCount) return false;
  await passkeys.used(passkey.credentialId, { signCount, at: clock.now() });
  return true;
}
