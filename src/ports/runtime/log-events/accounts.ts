/** Log events of the accounts of the console. */
import type { LogEventEntry } from './entry.ts';

export const ACCOUNT_EVENTS = {
  'account.second_factor_guessed': {
    level: 'warn',
    text: "wrong second factors of a user: somebody knows the user's password",
    meaning:
      'More codes of `userId` were wrong than mistyping explains. The next one is taken after `waitSeconds`, and the wait grows',
    action: 'Ask the user. If it was somebody else: `bun run operator reset`, which ends all sessions',
  },
  'account.registration_held': {
    level: 'warn',
    text: 'a registration got no e-mail: there were too many',
    meaning: 'By one address, from one network, or of all together',
    action: 'If it repeats, somebody floods the form: set `REGISTRATION=closed` for a time',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
