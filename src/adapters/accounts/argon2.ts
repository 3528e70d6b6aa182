/**
 * Passwords as argon2id with the least parameters that OWASP names: 19 MiB and two passes. More
 * memory would be more to take for whoever floods the sign-in; one at a time is hashed.
 */

import type { Passwords } from '../../ports/accounts/credentials.ts';
import { oneAtATime } from '../shared/one-at-a-time.ts';

const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;
/** Bun refuses an empty text, at once; no password is a blank. */
const BLANK = ' ';

export function argon2Passwords(): Passwords {
  const inTurn = oneAtATime();
  const hash = (password: string) => inTurn(() => Bun.password.hash(password || BLANK, ARGON2));
  /** What is compared where there is no user. */
  let nobodys: Promise<string> | null = null;
  return {
    hash,
    async verify(password, stored) {
      nobodys ??= hash('nobody');
      const compared = stored ?? (await nobodys);
      const fits = await inTurn(() => Bun.password.verify(password || BLANK, compared));
      return fits && stored !== null;
    },
  };
}
