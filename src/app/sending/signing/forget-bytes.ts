/**
 * Removes the bytes of transactions that were settled for so many days. Until then a reorganisation
 * may ask for the same bytes again (safety.md U7); their hashes stay, which tell our own
 * transactions from payments.
 */

import { timesOver } from '../../chains/times-over.ts';
import type { AppDependencies } from '../../dependencies.ts';

/** Returns how many it removed, at most `limit`. */
export function forgetBytes(
  deps: Pick<AppDependencies, 'unitOfWork' | 'clock'>,
  days: number,
): (limit: number) => Promise<number> {
  return (limit) =>
    deps.unitOfWork.run(async (repositories) => {
      const over = await timesOver(repositories, deps, days);
      return over === null ? 0 : repositories.outgoing.forgetBytes(over, limit);
    });
}
