/** What the use cases of accounts need beside those of all (app/dependencies.ts). */
import type { AccountQueries } from '../../ports/accounts/account-queries.ts';
import type { OneTimeCodes, Passkeys, Passwords } from '../../ports/accounts/credentials.ts';
import type { Mailer } from '../../ports/mails/mailer.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { KeptSessions } from './sign-in/kept-sessions.ts';

export interface AccountsDependencies
  extends Pick<AppDependencies, 'clock' | 'ids' | 'logger' | 'unitOfWork' | 'vault'> {
  readonly accountQueries: AccountQueries;
  readonly passwords: Passwords;
  readonly oneTimeCodes: OneTimeCodes;
  readonly passkeys: Passkeys;
  /** Where links lead: `https://pay.example.com/console`. */
  readonly consoleUrl: string;
  /** What an authenticator app shows beside the address. */
  readonly issuer: string;
  /** Of merchants that register; null: the default. */
  readonly commissionPpm: bigint | null;
  /** Mails the links of registrations; null: registration is closed. */
  readonly registrationMailer: Mailer | null;
}

/** With what this process remembers of sessions. */
export interface AccountParts extends AccountsDependencies {
  readonly kept: KeptSessions;
}
