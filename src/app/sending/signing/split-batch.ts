/** Bundles of which nothing was signed: a transfer leaves one, or it comes apart. Sequence and coins are free when nobody is left. */
import { decideOutgoing, type OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import type { Failure } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';

/**
 * Takes transfers out of their bundle: the others are paid under its sequence, with its coins. A signer may have signed for
 * all of them before (its answer was lost, or thrown away), so it must never be asked to pay them by other means. In the caller's
 * transaction, which holds the locks of its payouts. Nothing happens to a bundle that was signed.
 */
export async function takeOut(
  repositories: Repositories,
  bundleId: string,
  { which, reason }: { which: (transfer: OutgoingTransfer) => boolean; reason: Failure },
): Promise<void> {
  const bundle = await unsigned(repositories, bundleId);
  const leaving = bundle.filter(which);
  for (const transfer of leaving) {
    const next = decideOutgoing(transfer, { type: 'taken_out', reason });
    if (next !== null) await repositories.outgoing.save({ ...transfer, ...next });
  }
  if (leaving.length > 0 && leaving.length === bundle.length) await repositories.coins.release(bundleId);
}

/** The bundle comes apart: its payouts may leave in another. As `takeOut`; false when it was signed, or is apart. */
export async function dissolve(
  repositories: Repositories,
  bundleId: string,
  reason: Failure,
): Promise<boolean> {
  const bundle = await unsigned(repositories, bundleId);
  for (const transfer of bundle) {
    const next = decideOutgoing(transfer, { type: 'dissolved', reason });
    if (next !== null) await repositories.outgoing.save({ ...transfer, ...next });
  }
  if (bundle.length > 0) await repositories.coins.release(bundleId);
  return bundle.length > 0;
}

async function unsigned({ outgoing }: Repositories, bundleId: string): Promise<readonly OutgoingTransfer[]> {
  const members = (await outgoing.lockBundle(bundleId)).filter(({ takenOut }) => !takenOut);
  return members.every(({ status }) => status === 'allocated') ? members : [];
}
