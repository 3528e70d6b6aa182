/** Since when things are kept that are kept for a number of days. */
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { chainTime } from './chain-time.ts';

const DAY_MS = 86_400_000;

/** With a clock ahead of the chains nothing is removed early (safety.md K7). */
export async function keptSince(
  repositories: Repositories,
  { clock }: Pick<AppDependencies, 'clock'>,
  days: number,
): Promise<Date> {
  const now = clock.now().getTime();
  const earlier = Math.min(now, (await chainTime(repositories))?.getTime() ?? now);
  return new Date(earlier - days * DAY_MS);
}
