/** A user's own second factors: one-time codes, passkeys and recovery codes. */
import { isOver, type Session, stageOf } from '../../../domain/accounts/session.ts';
import { displayName, PASSKEYS_MAX } from '../../../domain/accounts/user.ts';
import { err, ok } from '../../../domain/result.ts';
import type { StoredSession } from '../../../ports/accounts/sign-in-repositories.ts';
import { actorOf, note } from '../account-audit.ts';
import type { Accounts, SignedIn } from '../accounts.ts';
import { changing } from '../changing.ts';
import type { AccountParts } from '../dependencies.ts';
import {
  beginCeremony,
  ceremonyOf,
  codesContext,
  enrolled,
  hasSecondFactor,
  issueRecoveryCodes,
  provedUser,
  removed,
  takeCeremony,
  unproved,
} from './second-factors.ts';

const UNNAMED = 'Passkey';

/** The pages of a session that awaits its second factor lead nowhere else: asking here is a bug. */
function refuseHalfSignedIn({ session }: SignedIn): void {
  if (session.stage === 'password') throw new Error('the session has not given its second factor');
}

export function beginCodes(deps: AccountParts): Accounts['beginCodes'] {
  return async (by) => {
    refuseHalfSignedIn(by);
    // Who reloads the page, or mistypes a code, has scanned the secret already.
    const secret = await deps.unitOfWork.run(async (repositories) => {
      const begun = await ceremonyOf(deps, repositories, by, 'codes');
      if (begun !== null) return begun;
      const made = deps.oneTimeCodes.secret();
      await beginCeremony(deps, repositories, by, { kind: 'codes', secret: made });
      return made;
    });
    return { secret, uri: deps.oneTimeCodes.uri(secret, { issuer: deps.issuer, email: by.user.email }) };
  };
}

export function enableCodes(deps: AccountParts): Accounts['enableCodes'] {
  return async (by, code) => {
    const { id } = by.user;
    const done = await changing(deps, async (repositories) => {
      const proved = await provedUser(deps, repositories, by);
      if (!proved.ok) return proved;
      const { user, has } = proved.value;
      const secret = await ceremonyOf(deps, repositories, by, 'codes');
      const step = secret === null ? null : deps.oneTimeCodes.stepOf(code, secret, deps.clock.now());
      if (secret === null || step === null) return err('wrong_code');
      await takeCeremony(deps, repositories, by, 'codes');
      await repositories.users.save({ ...user, codesSealed: deps.vault.seal(secret, codesContext(id)) });
      await repositories.users.useStep(id, step);
      const action = { action: 'user.codes_enabled', subject: 'user', subjectId: id } as const;
      return enrolled(deps, repositories, by, { isFirst: !has, action });
    });
    deps.kept.forget(id);
    return done;
  };
}

export function disableCodes(deps: AccountParts): Accounts['disableCodes'] {
  return async (by) => {
    const { id } = by.user;
    const done = await changing(deps, async (repositories) => {
      const proved = await provedUser(deps, repositories, by);
      if (!proved.ok) return proved;
      const { user } = proved.value;
      if (user.codesSealed === null) return err('not_found');
      const without = { ...user, codesSealed: null };
      await repositories.users.save(without);
      const left = await hasSecondFactor(repositories, without);
      const action = { action: 'user.codes_disabled', subject: 'user', subjectId: id } as const;
      return removed(deps, repositories, by, { left, action });
    });
    deps.kept.forget(id);
    return done;
  };
}

export function beginPasskey(deps: AccountParts): Accounts['beginPasskey'] {
  return async (by) => {
    refuseHalfSignedIn(by);
    const { id, email, name } = by.user;
    const { passkeys: known } = await deps.accountQueries.securityOf(id);
    const { options, challenge } = await deps.passkeys.registration({ id, email, name, known });
    await deps.unitOfWork.run((repositories) =>
      beginCeremony(deps, repositories, by, { kind: 'passkey', secret: challenge }),
    );
    return { options };
  };
}

export function addPasskey(deps: AccountParts): Accounts['addPasskey'] {
  return async (by, { answer, name }) => {
    const fault = unproved(deps, by);
    if (fault !== null) return err(fault);
    const { id } = by.user;
    const challenge = await deps.unitOfWork.run((repositories) =>
      takeCeremony(deps, repositories, by, 'passkey'),
    );
    const registered = challenge === null ? null : await deps.passkeys.registered(answer, challenge);
    if (registered === null) return err('wrong_code');
    const made = { ...registered, userId: id, name: displayName(name) ?? UNNAMED };
    const done = await changing(deps, async (repositories) => {
      const proved = await provedUser(deps, repositories, by);
      if (!proved.ok) return proved;
      const { has } = proved.value;
      const known = await repositories.passkeys.of(id);
      if (known.length >= PASSKEYS_MAX) return err('too_many');
      const passkey = { ...made, createdAt: deps.clock.now(), lastUsedAt: null };
      if (!(await repositories.passkeys.insert(passkey))) return err('wrong_code');
      const action = {
        ...({ action: 'user.passkey_added', subject: 'user', subjectId: id } as const),
        after: { passkey: made.name, credential_id: made.credentialId },
      };
      return enrolled(deps, repositories, by, { isFirst: !has, action });
    });
    deps.kept.forget(id);
    return done;
  };
}

export function removePasskey(deps: AccountParts): Accounts['removePasskey'] {
  return async (by, credentialId) => {
    const { id } = by.user;
    const done = await changing(deps, async (repositories) => {
      const proved = await provedUser(deps, repositories, by);
      if (!proved.ok) return proved;
      const { user } = proved.value;
      if ((await repositories.passkeys.remove(id, credentialId)) === 0) return err('not_found');
      const left = await hasSecondFactor(repositories, user);
      const action = {
        ...({ action: 'user.passkey_removed', subject: 'user', subjectId: id } as const),
        before: { credential_id: credentialId },
      };
      return removed(deps, repositories, by, { left, action });
    });
    deps.kept.forget(id);
    return done;
  };
}

export function newRecoveryCodes(deps: AccountParts): Accounts['newRecoveryCodes'] {
  return async (by) => {
    const { id } = by.user;
    return changing(deps, async (repositories) => {
      const proved = await provedUser(deps, repositories, by);
      if (!proved.ok) return proved;
      const { has } = proved.value;
      if (!has) return err('second_factor_needed');
      await note(deps, repositories, actorOf(by), {
        ...{ action: 'user.recovery_codes_renewed', subject: 'user', subjectId: id },
      });
      return ok(await issueRecoveryCodes(deps, repositories, id));
    });
  };
}

export function security(deps: AccountParts): Accounts['security'] {
  return async (by) => {
    refuseHalfSignedIn(by);
    const { passkeys, recoveryCodesLeft, sessions } = await deps.accountQueries.securityOf(by.user.id);
    const credentials = await deps.accountQueries.credentialsOf({ id: by.user.id });
    return {
      hasCodes: credentials !== null && credentials.user.codesSealed !== null,
      passkeys: passkeys.map(({ credentialId, name, createdAt, lastUsedAt }) => ({
        ...{ id: credentialId, name, createdAt, lastUsedAt },
      })),
      recoveryCodesLeft,
      sessions: presentSessions(sessions, by, deps.clock.now()),
    };
  };
}

/** Those that are not over, with what each has proved. */
function presentSessions(
  sessions: readonly StoredSession[],
  { user, hasSecondFactor: has }: SignedIn,
  now: Date,
): readonly Session[] {
  return sessions
    .map((session) => ({ ...session, stage: stageOf(session, user, has) }))
    .filter((session) => !isOver(session, now));
}
