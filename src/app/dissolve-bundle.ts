/** Takes a bundle apart of which nothing was signed, on a chain of coins: its coins are free, its payouts may leave in another. */
import { decideOutgoing } from '../domain/outgoing.ts';
import type { Repositories } from '../ports/repositories.ts';

/** In the caller's transaction, which holds the locks of its payouts. Nothing happens to a bundle that was signed. */
export async function dissolve(repositories: Repositories, bundleId: string, reason: string): Promise<void> {
  const bundle = await repositories.outgoing.lockBundle(bundleId);
  if (bundle.some(({ status }) => status !== 'allocated')) return;
  for (const transfer of bundle) {
    const next = decideOutgoing(transfer, { type: 'dissolved', reason });
    if (next !== null) await repositories.outgoing.save({ ...transfer, ...next });
  }
  await repositories.coins.release(bundleId);
}
