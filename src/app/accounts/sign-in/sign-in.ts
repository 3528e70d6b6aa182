/**
 * Signing in by e-mail and password. An unknown address, a wrong password and a disabled user get
 * the same answer after the same work.
 *
 * Strangers' tries are counted by address and by network. A stranger can make an address wait as
 * long as he goes on trying; so the waits bind only networks from which this user has not signed in
 * before. From one of the user's own, tries are counted for the user there alone. And a passkey is
 * never counted: nobody guesses a signature.
 */

import { preparedPassword } from '../../../domain/accounts/password.ts';
import { ADDRESS_RULE, NETWORK_RULE, networkOf } from '../../../domain/accounts/throttle.ts';
import { normalizedEmail } from '../../../domain/accounts/user.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { boundPerSecond } from '../../merchants/unknown-key-budget.ts';
import type { Accounts, SignInRefusal, StartedSession } from '../accounts.ts';
import type { AccountParts } from '../dependencies.ts';
import { networkHash, startSession } from './begin-session.ts';
import { beginTry, type CountedPlace, tryKey } from './counted-tries.ts';
import { hasSecondFactor } from './second-factors.ts';

/** No address is spelled like that. */
const NO_ADDRESS = '-';
/**
 * Passwords of strangers that this process hashes in a second: what is more would take the
 * processor away from payments.
 */
const STRANGERS_PER_SECOND = 10;

export function signIn(deps: AccountParts): Accounts['signIn'] {
  const { accountQueries, passwords, vault, unitOfWork } = deps;
  const strangerMayTry = boundPerSecond(deps.clock, STRANGERS_PER_SECOND);
  return async ({ email, password }, origin): Promise<Result<StartedSession, SignInRefusal>> => {
    const address = normalizedEmail(email) ?? NO_ADDRESS;
    const found = await accountQueries.credentialsOf({ email: address });
    const network = networkHash(vault, origin.ip);
    const isAtHome = await accountQueries.isKnownNetwork(found?.user.id ?? '', network);
    if (!isAtHome && !strangerMayTry()) return err({ code: 'wait', waitSeconds: 1 });
    const places = placesOf(address, networkOf(origin.ip), isAtHome);
    const waitSeconds = await beginTry(deps, [...places.forgotten, ...places.takenBack]);
    if (waitSeconds !== null) return err({ code: 'wait', waitSeconds });
    const given = preparedPassword(password);
    const fits = await passwords.verify(given, found?.user.passwordHash ?? null);
    if (!fits || found === null) return err({ code: 'wrong' });
    const keysOf = (counted: readonly CountedPlace[]) => counted.map(({ name }) => tryKey(deps, name));
    const started = await unitOfWork.run(async (repositories) => {
      const user = await repositories.users.lock(found.user.id);
      // It may have been changed while the password was compared.
      if (user?.status !== 'active' || user.passwordHash !== found.user.passwordHash) return null;
      await repositories.signInAttempts.forget(keysOf(places.forgotten));
      await repositories.signInAttempts.takeBack(keysOf(places.takenBack));
      const has = await hasSecondFactor(repositories, user);
      return startSession(deps, repositories, { user, hasSecondFactor: has, secondFactorAt: null, origin });
    });
    return started === null ? err({ code: 'wrong' }) : ok(started);
  };
}

/**
 * Where a try is counted. After a right password the address begins anew; of the network only this
 * try is taken back, or a guesser could wipe out what is counted by signing in as himself.
 */
function placesOf(
  address: string,
  network: string,
  isAtHome: boolean,
): { readonly forgotten: readonly CountedPlace[]; readonly takenBack: readonly CountedPlace[] } {
  if (isAtHome)
    return { forgotten: [{ name: `address ${address} ${network}`, rule: ADDRESS_RULE }], takenBack: [] };
  return {
    forgotten: [{ name: addressPlace(address), rule: ADDRESS_RULE }],
    takenBack: [{ name: `network ${network}`, rule: NETWORK_RULE }],
  };
}

/** What is counted for an address that strangers try. */
export function addressPlace(email: string): string {
  return `address ${email}`;
}
