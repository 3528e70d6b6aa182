/**
 * The second factor of a sign-in, or once more before money moves. Codes can be guessed, so they
 * are counted by user; only somebody who has the password can try them.
 */
import { FACTOR_RULE } from '../../../domain/accounts/throttle.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { StoredUser } from '../../../ports/accounts/account-repositories.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { actorOf, note } from '../account-audit.ts';
import type { Accounts, SecondFactor, SignedIn, SignInRefusal, StartedSession } from '../accounts.ts';
import type { AccountParts } from '../dependencies.ts';
import { renewSession } from './begin-session.ts';
import { beginTry, tryKey } from './counted-tries.ts';
import {
  beginCeremony,
  codesContext,
  recoveryHash,
  takeCeremony,
  usePasskey,
  verifiedPasskey,
} from './second-factors.ts';

const WRONG = err({ code: 'wrong' } as const);

/** What is counted for a user's second factor. */
export function factorPlace(userId: string): string {
  return `factor ${userId}`;
}

export function confirmSecondFactor(deps: AccountParts): Accounts['confirmSecondFactor'] {
  return async (by, factor): Promise<Result<StartedSession, SignInRefusal>> => {
    if (!by.hasSecondFactor) return WRONG;
    const place = factorPlace(by.user.id);
    const isGuessable = factor.kind !== 'passkey';
    const waitSeconds = isGuessable ? await beginTry(deps, [{ name: place, rule: FACTOR_RULE }]) : null;
    if (waitSeconds !== null) {
      deps.logger.warn('account.second_factor_guessed', { userId: by.user.id, waitSeconds });
      return err({ code: 'wait', waitSeconds });
    }
    const proves = await proofOf(deps, by, factor);
    if (proves === null) return WRONG;
    const started = await deps.unitOfWork.run(async (repositories) => {
      const user = await repositories.users.lock(by.user.id);
      if (user?.status !== 'active' || !(await proves(repositories, user))) return null;
      if (isGuessable) await repositories.signInAttempts.forget([tryKey(deps, place)]);
      const proved = { hasSecondFactor: true, secondFactorAt: deps.clock.now() };
      const renewed = await renewSession(deps, repositories, by, proved);
      if (renewed === null) return null;
      await note(deps, repositories, actorOf(by), {
        ...{ action: 'session.confirmed', subject: 'session', subjectId: by.session.id },
        after: { factor: factor.kind },
      });
      return renewed;
    });
    deps.kept.forget(by.user.id);
    return started === null ? WRONG : ok(started);
  };
}

type Proof = (repositories: Repositories, user: StoredUser) => Promise<boolean>;

/** What is still to be done in the transaction; null if the factor is wrong already. */
async function proofOf(deps: AccountParts, by: SignedIn, factor: SecondFactor): Promise<Proof | null> {
  const { vault, clock, oneTimeCodes } = deps;
  switch (factor.kind) {
    case 'code':
      return async ({ users }, { id, codesSealed }) => {
        if (codesSealed === null) return false;
        const secret = vault.open(codesSealed, codesContext(id));
        const step = oneTimeCodes.stepOf(factor.code, secret, clock.now());
        return step !== null && users.useStep(id, step);
      };
    case 'recovery':
      return ({ recoveryCodes }, { id }) =>
        recoveryCodes.use(id, recoveryHash(vault, id, factor.code), clock.now());
    case 'passkey': {
      const challenge = await deps.unitOfWork.run((repositories) =>
        takeCeremony(deps, repositories, by, 'second_factor'),
      );
      if (challenge === null) return null;
      const verified = await verifiedPasskey(deps, factor.answer, { challenge, userId: by.user.id });
      return verified === null ? null : (repositories) => usePasskey(deps, repositories, verified);
    }
  }
}

export function hasPasskeys({ accountQueries }: AccountParts): Accounts['hasPasskeys'] {
  return async (by) => (await accountQueries.securityOf(by.user.id)).passkeys.length > 0;
}

export function secondFactorOptions(deps: AccountParts): Accounts['secondFactorOptions'] {
  return async (by) => {
    const { passkeys } = await deps.accountQueries.securityOf(by.user.id);
    if (passkeys.length === 0) return null;
    const { options, challenge } = await deps.passkeys.assertion(passkeys);
    await deps.unitOfWork.run((repositories) =>
      beginCeremony(deps, repositories, by, { kind: 'second_factor', secret: challenge }),
    );
    return options;
  };
}
