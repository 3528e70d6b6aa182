/**
 * A user's own new password, after the present one and the second factor, if there is one. All
 * other sessions end, and links for a new password.
 */
import { passwordFault, preparedPassword } from '../../../domain/accounts/password.ts';
import { ADDRESS_RULE } from '../../../domain/accounts/throttle.ts';
import { err } from '../../../domain/result.ts';
import { actorOf, note } from '../account-audit.ts';
import type { Accounts } from '../accounts.ts';
import { changing } from '../changing.ts';
import type { AccountParts } from '../dependencies.ts';
import { renewSession } from './begin-session.ts';
import { beginTry, tryKey } from './counted-tries.ts';
import { hasSecondFactor, unproved } from './second-factors.ts';

export function changePassword(deps: AccountParts): Accounts['changePassword'] {
  return async (by, { old, password }) => {
    const proof = unproved(deps, by);
    // The present password, which is asked below, says as much.
    if (proof !== null && proof !== 'sign_in_again') return err(proof);
    const { id, email } = by.user;
    const fault = passwordFault(password, email);
    if (fault !== null) return err(fault);
    const place = `password ${id}`;
    if ((await beginTry(deps, [{ name: place, rule: ADDRESS_RULE }])) !== null) return err('try_later');
    const before = (await deps.accountQueries.credentialsOf({ id }))?.user.passwordHash ?? null;
    if (!(await deps.passwords.verify(preparedPassword(old), before))) return err('wrong_password');
    const passwordHash = await deps.passwords.hash(preparedPassword(password));
    const done = await changing(deps, async (repositories) => {
      const user = await repositories.users.lock(id);
      if (user === null || user.passwordHash !== before) return err('wrong_password');
      await repositories.users.save({ ...user, passwordHash });
      await repositories.signInAttempts.forget([tryKey(deps, place)]);
      await repositories.invitations.withdrawLike({ kind: 'reset', email, merchantId: null });
      await repositories.sessions.endAll(id, by.session.id);
      await note(deps, repositories, actorOf(by), {
        ...{ action: 'user.password_changed', subject: 'user', subjectId: id },
      });
      const started = await renewSession(deps, repositories, by, {
        hasSecondFactor: await hasSecondFactor(repositories, user),
        secondFactorAt: by.session.secondFactorAt,
      });
      return started === null ? err('not_found') : { ok: true, value: started };
    });
    deps.kept.forget(id);
    return done;
  };
}
