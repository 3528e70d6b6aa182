/**
 * Sessions begin, and change what they have proved, always with a new token: whoever planted or
 * read an earlier one has nothing.
 */
import { type Session, stageOf, USER_AGENT_LENGTH_MAX } from '../../../domain/accounts/session.ts';
import { networkOf } from '../../../domain/accounts/throttle.ts';
import type { User } from '../../../domain/accounts/user.ts';
import type { StoredSession } from '../../../ports/accounts/sign-in-repositories.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { Vault } from '../../../ports/runtime/vault.ts';
import { actorOf, note } from '../account-audit.ts';
import type { Origin, SignedIn, StartedSession } from '../accounts.ts';
import type { AccountParts } from '../dependencies.ts';

/** What the cookie holds, as the database has it. */
export function sessionHash(vault: Vault, token: string): string {
  return vault.mac(`session ${token}`);
}

/** The network that a user signed in from, as the database has it. */
export function networkHash(vault: Vault, ip: string | null): string {
  return vault.mac(`network ${networkOf(ip)}`);
}

export async function startSession(
  deps: AccountParts,
  repositories: Repositories,
  of: {
    readonly user: User;
    readonly hasSecondFactor: boolean;
    readonly secondFactorAt: Date | null;
    readonly origin: Origin;
  },
): Promise<StartedSession> {
  const { user, hasSecondFactor, secondFactorAt, origin } = of;
  const now = deps.clock.now();
  const token = deps.ids.secretToken();
  const stored: StoredSession = {
    ...{ id: deps.ids.id(), userId: user.id, secondFactorAt, ip: origin.ip },
    userAgent: origin.userAgent?.slice(0, USER_AGENT_LENGTH_MAX).replaceAll('\0', '') ?? null,
    ...{ createdAt: now, lastSeenAt: now },
  };
  await repositories.sessions.insert({ ...stored, tokenHash: sessionHash(deps.vault, token) });
  const session = { ...stored, stage: stageOf(stored, user, hasSecondFactor) };
  if (session.stage === 'complete') await noteNetwork(deps, repositories, session);
  await note(deps, repositories, actorOf({ user, session }), {
    ...{ action: 'session.started', subject: 'session', subjectId: session.id },
    after: { stage: session.stage, ip: session.ip, user_agent: session.userAgent },
  });
  return { token, session };
}

/** The same session with another token; null if it has ended meanwhile. */
export async function renewSession(
  deps: AccountParts,
  repositories: Repositories,
  { user, session }: Pick<SignedIn, 'user' | 'session'>,
  proved: { readonly hasSecondFactor: boolean; readonly secondFactorAt: Date | null },
): Promise<StartedSession | null> {
  const { secondFactorAt } = proved;
  const token = deps.ids.secretToken();
  const tokenHash = sessionHash(deps.vault, token);
  if (!(await repositories.sessions.replaceToken(session.id, { tokenHash, secondFactorAt }))) return null;
  const stage = stageOf({ secondFactorAt }, user, proved.hasSecondFactor);
  if (stage === 'complete') await noteNetwork(deps, repositories, session);
  return { token, session: { ...session, secondFactorAt, stage } };
}

/** From here the user may go on guessing when strangers were made to wait (sign-in.ts). */
async function noteNetwork(
  { vault, clock }: AccountParts,
  { signInAttempts }: Repositories,
  { userId, ip }: Pick<Session, 'userId' | 'ip'>,
): Promise<void> {
  await signInAttempts.noteNetwork(userId, networkHash(vault, ip), clock.now());
}
