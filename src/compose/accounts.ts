/** Accounts of the console. Without CONSOLE=on nothing but scripts uses them. */

import { argon2Passwords } from '../adapters/accounts/argon2.ts';
import { oneTimeCodes } from '../adapters/accounts/one-time-codes.ts';
import { webauthnPasskeys } from '../adapters/accounts/webauthn.ts';
import { smtpMailer } from '../adapters/mail/smtp-mailer.ts';
import { buildAccounts } from '../app/accounts/build-accounts.ts';
import { forgetAccounts } from '../app/accounts/forget-accounts.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import { drain } from '../app/shared/drain.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import type { Config } from '../config/types.ts';
import type { ComposedDatabase } from './database.ts';
import { configuredCommission } from './limits.ts';

const ISSUER = 'Quittance';
const FORGET_EVERY_MS = 60_000;
const FORGOTTEN_AT_ONCE = 1_000;

export interface ComposedAccounts extends ReturnType<typeof buildAccounts> {
  readonly job: WorkerJob;
}

export function composeAccounts(
  config: Config,
  { deps, database }: { readonly deps: AppDependencies; readonly database: ComposedDatabase },
): ComposedAccounts {
  const { clock, ids, logger, unitOfWork, vault } = deps;
  const forget = forgetAccounts(deps);
  const built = buildAccounts({
    ...{ clock, ids, logger, unitOfWork, vault, issuer: ISSUER },
    accountQueries: database.accountQueries,
    passwords: argon2Passwords(),
    oneTimeCodes: oneTimeCodes(ids),
    passkeys: webauthnPasskeys({ baseUrl: config.baseUrl, name: ISSUER }, ids),
    consoleUrl: `${config.baseUrl}/console`,
    registrationMailer:
      config.console.registrationIsOpen && config.mail !== null ? smtpMailer(config.mail, { logger }) : null,
    commissionPpm: configuredCommission(config),
  });
  return {
    ...built,
    job: {
      name: 'forget-accounts',
      everyMs: FORGET_EVERY_MS,
      run: (stopping) => drain(forget, FORGOTTEN_AT_ONCE, stopping),
    },
  };
}
