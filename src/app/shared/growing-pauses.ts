/**
 * Pauses between tries at the same thing, each twice as long as the one before (pauseMs). They are
 * kept in memory only: after a restart everything is tried immediately.
 */
import { boundedMap } from '../../domain/bounded-map.ts';
import { pauseMs } from '../../domain/payouts/waiting-reasons.ts';
import type { AppDependencies } from '../dependencies.ts';
import { NOTES_MAX } from './notes-max.ts';

export interface GrowingPauses {
  /** Whether the last pause of `key` is still running. */
  isPaused(key: string): boolean;
  /** Begins the next pause of `key`; returns how many there were, including this one. */
  begin(key: string): number;
}

export function growingPauses({ clock }: Pick<AppDependencies, 'clock'>): GrowingPauses {
  const pauses = boundedMap<string, { readonly tries: number; readonly until: number }>(NOTES_MAX);
  const now = () => clock.now().getTime();
  return {
    isPaused: (key) => now() < (pauses.get(key)?.until ?? 0),
    begin(key) {
      const tries = (pauses.get(key)?.tries ?? 0) + 1;
      pauses.set(key, { tries, until: now() + pauseMs(tries) });
      return tries;
    },
  };
}
