/** What time it is by the chains, where our own clock is not to decide alone (safety.md K7). */
import type { Repositories } from '../../ports/repositories.ts';

/** The time of the newest block of all that were read; null while no chain is read. */
export async function chainTime({ chains }: Pick<Repositories, 'chains'>): Promise<Date | null> {
  const times = [...(await chains.coveredUntil()).values()].map((time) => time.getTime());
  return times.length === 0 ? null : new Date(Math.max(...times));
}
