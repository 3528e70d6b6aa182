/**
 * Accounts for whoever has the machine: `bun run operator`. It needs no session, and it is the way
 * back in when nobody can sign in any more.
 */

import { passwordFault, preparedPassword } from '../../domain/accounts/password.ts';
import type { OperatorRole } from '../../domain/accounts/role.ts';
import { displayName, normalizedEmail, type User } from '../../domain/accounts/user.ts';
import type { Actor } from '../../domain/audit/audit-entry.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Person } from '../../ports/accounts/account-queries.ts';
import { note } from './account-audit.ts';
import type { AccountFault } from './accounts.ts';
import { changing } from './changing.ts';
import type { AccountParts } from './dependencies.ts';
import { inviteAs, resetLinkAs } from './invite.ts';
import { disableOperatorAs, endAllSessions } from './people.ts';

export interface OperatorAccounts {
  /** A user with a password, at once. */
  create(
    actor: Actor,
    of: {
      readonly email: string;
      readonly name: string;
      readonly role: OperatorRole;
      readonly password: string;
    },
  ): Promise<Result<User, AccountFault>>;
  /** Of an operator, or of a merchant's user. */
  readonly invite: ReturnType<typeof inviteAs>;
  /** A link for any user, by address. */
  reset(actor: Actor, email: string): Promise<Result<{ readonly url: string }, AccountFault>>;
  disable(actor: Actor, email: string): Promise<Result<void, AccountFault>>;
  /** Ends all sessions of any user, by address; returns how many. */
  endSessions(actor: Actor, email: string): Promise<Result<number, AccountFault>>;
  list(): Promise<readonly Person[]>;
}

export function operatorAccounts(deps: AccountParts): OperatorAccounts {
  const [resetUser, disableUser] = [resetLinkAs(deps), disableOperatorAs(deps)];
  /** Runs `work` for the user of the address. */
  async function withUser<Value>(
    typed: string,
    work: (id: string) => Promise<Result<Value, AccountFault>>,
  ): Promise<Result<Value, AccountFault>> {
    const email = normalizedEmail(typed);
    if (email === null) return err('email_malformed');
    const found = await deps.accountQueries.credentialsOf({ email });
    return found === null ? err('not_found') : work(found.user.id);
  }
  return {
    create: createOperator(deps),
    invite: inviteAs(deps),
    reset: (actor, email) => withUser(email, (id) => resetUser(actor, id)),
    disable: (actor, email) => withUser(email, (id) => disableUser(actor, id)),
    endSessions: (actor, email) =>
      withUser(email, async (id) => {
        const ended = await deps.unitOfWork.run((repositories) =>
          endAllSessions(deps, repositories, { actor, userId: id, merchantId: null }),
        );
        deps.kept.forget(id);
        return ok(ended);
      }),
    list: () => deps.accountQueries.people(null),
  };
}

function createOperator(deps: AccountParts): OperatorAccounts['create'] {
  return async (actor, { email: typed, name: typedName, role, password }) => {
    const [email, name] = [normalizedEmail(typed), displayName(typedName)];
    if (email === null) return err('email_malformed');
    if (name === null) return err('name_missing');
    const fault = passwordFault(password, email);
    if (fault !== null) return err(fault);
    const passwordHash = await deps.passwords.hash(preparedPassword(password));
    return changing(deps, async (repositories) => {
      const user: User = {
        ...{ id: deps.ids.id(), email, name, status: 'active', operatorRole: role },
        createdAt: deps.clock.now(),
      };
      if (!(await repositories.users.insert({ ...user, passwordHash, codesSealed: null, sponsors: [] })))
        return err('email_taken');
      await note(deps, repositories, actor, {
        ...{ action: 'user.created', subject: 'user', subjectId: user.id, after: { email, role } },
      });
      return ok(user);
    });
  };
}
