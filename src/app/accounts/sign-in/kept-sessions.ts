/**
 * Sessions that were read within the last two seconds. What this process changes is forgotten at
 * once, also by a read that was under way; another process notices within two seconds.
 */
import { boundedMap } from '../../../domain/bounded-map.ts';
import type { SignedIn } from '../accounts.ts';

const KEPT_MS = 2_000;
const KEPT_MAX = 5_000;

export interface KeptSessions {
  find(tokenHash: string, now: Date): SignedIn | null;
  /** Begins a read; the result is kept by calling what is returned, unless something changed. */
  reading(): (tokenHash: string, found: SignedIn, now: Date) => void;
  /** Of one user. */
  forget(userId: string): void;
}

export function keptSessions(): KeptSessions {
  const kept = boundedMap<string, { readonly found: SignedIn; readonly at: number; readonly change: number }>(
    KEPT_MAX,
  );
  /** The number of the last change, and of the last one of each user. */
  let changes = 0;
  const ofUser = boundedMap<string, number>(KEPT_MAX);
  return {
    find(tokenHash, now) {
      const known = kept.get(tokenHash);
      if (known === undefined || (ofUser.get(known.found.user.id) ?? 0) > known.change) return null;
      const age = now.getTime() - known.at;
      return age >= 0 && age < KEPT_MS ? known.found : null;
    },
    reading() {
      const change = changes;
      return (tokenHash, found, now) => kept.set(tokenHash, { found, at: now.getTime(), change });
    },
    forget(userId) {
      changes += 1;
      ofUser.set(userId, changes);
    },
  };
}
