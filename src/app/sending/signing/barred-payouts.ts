/**
 * Payouts that have their place in a wallet's sequence while their merchant stops being one who is paid out (safety.md G7): as long as
 * nothing is signed they give it up, and wait like any other of that merchant.
 */
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { barred, letWait } from '../payout-dispatch.ts';
import { lockBundle, type SendingNeeds } from '../sending-chain.ts';
import { takeOut } from './split-batch.ts';

/** True when there were some: the bundle is not what it was. What was signed is left alone. */
export async function recallBarred(
  deps: SendingNeeds,
  repositories: Repositories,
  bundleId: string,
): Promise<boolean> {
  const why = await repositories.payouts.barredIn(bundleId);
  if (why.size === 0) return false;
  const locked = await lockBundle(repositories, bundleId);
  if (locked === null) return true;
  const isBarred = ({ status, referenceId }: OutgoingTransfer) =>
    status === 'allocated' && why.has(referenceId);
  await takeOut(repositories, bundleId, { which: isBarred, reason: REASON });
  for (const payout of locked.payouts) {
    const bar = why.get(payout.id);
    if (bar !== undefined && payout.status === 'pending' && payout.held === null)
      await letWait(deps, repositories, payout, barred(bar));
  }
  return locked.bundle.some(isBarred);
}

const REASON = failureOf('merchant_barred');
