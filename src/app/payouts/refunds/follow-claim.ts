/** Claims follow their payouts and the time. */
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { decideClaim, type RefundClaim } from '../../../domain/payouts/refund-claim.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { tellClaim } from './claim-events.ts';

type Needs = Pick<AppDependencies, 'ids' | 'catalog'>;

/**
 * Moves the claim of a changed payout, which is locked, and tells the merchant. Returns the claim;
 * null for a payout without one.
 */
export async function followClaim(
  deps: Needs,
  repositories: Repositories,
  payout: Payout,
  at: Date,
): Promise<RefundClaim | null> {
  const { id: payoutId, refundClaimId, address, status } = payout;
  if (refundClaimId === null) return null;
  const claim = await repositories.refundClaims.lock(refundClaimId);
  if (claim === null) throw new Error(`the claim of refund ${payoutId} is gone`);
  const next = decideClaim(claim, { type: 'payout', payoutId, address, status, at });
  if (next === null) return claim;
  await repositories.refundClaims.save(next);
  await tellClaim(deps, repositories, next, next.payoutId === null ? null : payout);
  return next;
}

/** Ends up to `limit` open claims whose time is over; returns how many. */
export function expireClaims(
  deps: Needs & Pick<AppDependencies, 'unitOfWork' | 'clock'>,
): (limit: number) => Promise<number> {
  return (limit) =>
    deps.unitOfWork.run(async (repositories) => {
      const at = deps.clock.now();
      const overdue = await repositories.refundClaims.lockOverdue(at, limit);
      for (const claim of overdue) {
        const next = decideClaim(claim, { type: 'time_passed', at });
        if (next === null) throw new Error(`claim ${claim.id} is not overdue`);
        await repositories.refundClaims.save(next);
        await tellClaim(deps, repositories, next, null);
      }
      return overdue.length;
    });
}
