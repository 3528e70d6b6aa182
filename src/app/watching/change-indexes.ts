/**
 * The indexes of change addresses, including those of batches that the database lacks after the
 * restore of an older backup (safety.md K4). The search covers the wallet's next nonce, and
 * continues after each one found.
 */

import type { ChangeAddresses } from '../../ports/chains/change-addresses.ts';
import type { WatchedSpending } from '../../ports/chains/watch-list.ts';

/** Batches in a row whose change may appear later than the next one's, or never. */
const GAP = 300;

/** `nextNonce`: of the hot wallet. Derives nothing before the first question. */
export function changeIndexes(
  change: ChangeAddresses,
  nextNonce: () => Promise<bigint>,
): WatchedSpending['change'] {
  const byAddress = new Map<string, number>();
  const derived = new Set<number>();

  function derive(from: number, to: number): void {
    for (let index = Math.max(1, from); index <= to; index++) {
      if (derived.has(index)) continue;
      derived.add(index);
      byAddress.set(change.changeAddress(index), index);
    }
  }

  return async (addresses) => {
    const next = Number(await nextNonce());
    derive(next - GAP, next + GAP);
    const found = addresses.flatMap((address) => {
      const index = byAddress.get(address);
      return index === undefined ? [] : [[address, index] as const];
    });
    for (const [, index] of found) derive(index, index + GAP);
    return new Map(found);
  };
}
