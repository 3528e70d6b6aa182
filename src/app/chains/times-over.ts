/** Which times are over of things that are kept for a number of days. */
import type { TimesOver } from '../../ports/kept-times.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { chainTime } from './chain-time.ts';

const DAY_MS = 86_400_000;
/** Before the gateway was first installed: a time before is of a clock that was wrong. */
const FIRST_TIME = new Date('2026-01-01T00:00:00Z');

/**
 * With a clock ahead of the chains nothing is removed early, nor what a clock far behind wrote
 * (safety.md K7). Null while no chain was read: then nothing is over.
 */
export async function timesOver(
  repositories: Repositories,
  { clock }: Pick<AppDependencies, 'clock'>,
  days: number,
): Promise<TimesOver | null> {
  const byChains = await chainTime(repositories);
  if (byChains === null) return null;
  const earlier = Math.min(clock.now().getTime(), byChains.getTime());
  return { from: FIRST_TIME, before: new Date(earlier - days * DAY_MS) };
}
