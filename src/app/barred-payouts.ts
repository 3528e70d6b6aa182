/**
 * Payouts that have their place in a wallet's sequence while their merchant stops being one who is paid out (safety.md G7): as long as
 * nothing is signed they give it up, and wait like any other of that merchant.
 */
import { decideOutgoing } from '../domain/outgoing.ts';
import { failureOf } from '../domain/outgoing-failure.ts';
import type { Repositories } from '../ports/repositories.ts';
import { barred, letWait } from './let-go.ts';
import { lockBundle, type SendingChain, type SendingNeeds } from './sending.ts';
import { takeOut } from './unmake-bundle.ts';

/** True when there were some: the bundle is not what it was. What was signed is left alone. */
export async function recallBarred(
  deps: SendingNeeds,
  repositories: Repositories,
  { sender }: Pick<SendingChain, 'sender'>,
  bundleId: string,
): Promise<boolean> {
  const why = await repositories.payouts.barredIn(bundleId);
  if (why.size === 0) return false;
  const { bundle, payouts } = await lockBundle(repositories, bundleId);
  const leaving = bundle.filter(({ status, referenceId }) => status === 'allocated' && why.has(referenceId));
  // A sequence that the chain counts has to be used up: by the others, else by the first of those that leave.
  const last = sender.ways.sequences === 'counted' && leaving.length === bundle.length ? bundle[0] : null;
  const out = new Set(leaving.map(({ id }) => id).filter((id) => id !== last?.id));
  await takeOut(repositories, bundleId, { which: ({ id }) => out.has(id), reason: REASON });
  const voided = last === null ? null : decideOutgoing(last, { type: 'voided', reason: REASON });
  if (last !== null && voided !== null) await repositories.outgoing.save({ ...last, ...voided });
  for (const payout of payouts) {
    const bar = why.get(payout.id);
    if (bar !== undefined && payout.status === 'pending' && payout.held === null)
      await letWait(deps, repositories, payout, barred(bar));
  }
  return leaving.length > 0;
}

const REASON = failureOf('merchant_barred');
