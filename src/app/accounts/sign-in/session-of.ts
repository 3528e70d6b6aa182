/** The session of a cookie, and its end. */
import { isOver, SECRET_TOKEN, SEEN_EVERY_MS, stageOf } from '../../../domain/accounts/session.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { actorOf, note } from '../account-audit.ts';
import type { AccountFault, Accounts, SignedIn } from '../accounts.ts';
import type { AccountParts } from '../dependencies.ts';
import { sessionHash } from './begin-session.ts';

export function sessionOf(deps: AccountParts): Accounts['sessionOf'] {
  const { vault, clock, kept, accountQueries, unitOfWork } = deps;

  async function read(tokenHash: string, now: Date, isSeen: boolean): Promise<SignedIn | null> {
    const found = await accountQueries.userSession(tokenHash);
    if (found === null) return null;
    const { user, hasSecondFactor } = found;
    const secondFactorAt = hasSecondFactor ? found.session.secondFactorAt : null;
    const stage = stageOf({ secondFactorAt }, user, hasSecondFactor);
    const session = { ...found.session, secondFactorAt, stage };
    if (isOver(session, now)) return null;
    const memberships = user.operatorRole === null ? await accountQueries.membershipsOf(user.id) : [];
    if (isSeen && now.getTime() - session.lastSeenAt.getTime() >= SEEN_EVERY_MS)
      await unitOfWork.run(({ sessions }) => sessions.seen(session.id, now));
    return { session, user, memberships, hasSecondFactor };
  }

  return async (token, by = 'request') => {
    if (!SECRET_TOKEN.test(token)) return null;
    const tokenHash = sessionHash(vault, token);
    const now = clock.now();
    const known = kept.find(tokenHash, now);
    if (known !== null) return isOver(known.session, now) ? null : known;
    const keep = kept.reading();
    const found = await read(tokenHash, now, by === 'request');
    if (found !== null) keep(tokenHash, found, now);
    return found;
  };
}

export function signOut(deps: AccountParts): Accounts['signOut'] {
  return async (by) => {
    await endOne(deps, by, by.session.id);
  };
}

export function endSession(deps: AccountParts): Accounts['endSession'] {
  return async (by, sessionId): Promise<Result<void, AccountFault>> => {
    if (by.session.stage === 'password') return err('confirm_needed');
    if (sessionId !== null) return (await endOne(deps, by, sessionId)) ? ok(undefined) : err('not_found');
    await deps.unitOfWork.run(async (repositories) => {
      const ended = await repositories.sessions.endAll(by.user.id, by.session.id);
      if (ended > 0)
        await note(deps, repositories, actorOf(by), {
          ...{ action: 'session.others_ended', subject: 'user', subjectId: by.user.id, after: { ended } },
        });
    });
    deps.kept.forget(by.user.id);
    return ok(undefined);
  };
}

async function endOne(deps: AccountParts, by: SignedIn, sessionId: string): Promise<boolean> {
  const ended = await deps.unitOfWork.run(async (repositories) => {
    if (!(await repositories.sessions.end(by.user.id, sessionId))) return false;
    await note(deps, repositories, actorOf(by), {
      ...{ action: 'session.ended', subject: 'session', subjectId: sessionId },
    });
    return true;
  });
  deps.kept.forget(by.user.id);
  return ended;
}
