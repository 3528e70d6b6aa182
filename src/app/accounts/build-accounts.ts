/** Builds Accounts from its dependencies, and the same for operators' scripts. */
import { acceptInvitation, invitationOf, joinByInvitation } from './accept-invitation.ts';
import type { Accounts } from './accounts.ts';
import type { AccountParts, AccountsDependencies } from './dependencies.ts';
import { invite, resetLink, withdrawInvitation } from './invite.ts';
import { type OperatorAccounts, operatorAccounts } from './operator-accounts.ts';
import { changeRole, endSessionsOf, people, removePerson } from './people.ts';
import { register } from './register.ts';
import { changePassword } from './sign-in/change-password.ts';
import { confirmSecondFactor, hasPasskeys, secondFactorOptions } from './sign-in/confirm-second-factor.ts';
import { keptSessions } from './sign-in/kept-sessions.ts';
import {
  addPasskey,
  beginCodes,
  beginPasskey,
  disableCodes,
  enableCodes,
  newRecoveryCodes,
  removePasskey,
  security,
} from './sign-in/own-factors.ts';
import { endSession, sessionOf, signOut } from './sign-in/session-of.ts';
import { signIn } from './sign-in/sign-in.ts';
import { passkeyOptions, signInByPasskey } from './sign-in/sign-in-by-passkey.ts';

export function buildAccounts(dependencies: AccountsDependencies): {
  readonly accounts: Accounts;
  readonly operators: OperatorAccounts;
} {
  const deps: AccountParts = { ...dependencies, kept: keptSessions() };
  return {
    accounts: {
      signIn: signIn(deps),
      passkeyOptions: passkeyOptions(deps),
      signInByPasskey: signInByPasskey(deps),
      confirmSecondFactor: confirmSecondFactor(deps),
      hasPasskeys: hasPasskeys(deps),
      secondFactorOptions: secondFactorOptions(deps),
      sessionOf: sessionOf(deps),
      signOut: signOut(deps),
      endSession: endSession(deps),
      security: security(deps),
      beginCodes: beginCodes(deps),
      enableCodes: enableCodes(deps),
      disableCodes: disableCodes(deps),
      beginPasskey: beginPasskey(deps),
      addPasskey: addPasskey(deps),
      removePasskey: removePasskey(deps),
      newRecoveryCodes: newRecoveryCodes(deps),
      changePassword: changePassword(deps),
      people: people(deps),
      invite: invite(deps),
      withdrawInvitation: withdrawInvitation(deps),
      resetLink: resetLink(deps),
      changeRole: changeRole(deps),
      removePerson: removePerson(deps),
      endSessionsOf: endSessionsOf(deps),
      invitationOf: invitationOf(deps),
      acceptInvitation: acceptInvitation(deps),
      joinByInvitation: joinByInvitation(deps),
      register: register(deps),
    },
    operators: operatorAccounts(deps),
  };
}
