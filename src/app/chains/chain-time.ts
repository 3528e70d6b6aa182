/**
 * The time by the chains, for decisions that must not depend on the gateway's own clock (safety.md
 * K7).
 */
import type { Repositories } from '../../ports/repositories.ts';

/** The time of the newest block that was read on any chain; null while none is read. */
export async function chainTime({ chains }: Pick<Repositories, 'chains'>): Promise<Date | null> {
  const times = [...(await chains.coveredUntil()).values()].map((time) => time.getTime());
  return times.length === 0 ? null : new Date(Math.max(...times));
}
