/** Settles sandbox payouts, without a chain. */
import type { AppDependencies } from '../dependencies.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';
import { payoutChange } from '../payouts/apply-payout-event.ts';
import { enqueuePayoutEvents } from '../payouts/payout-events.ts';
import { followClaim } from '../payouts/refunds/follow-claim.ts';

/**
 * Each call moves up to `limit` open ones one status further. Returns how many changed. No reserve
 * is released or retaken here, so neither merchants' balances nor invoices change.
 */
export function settleSandboxPayouts(
  deps: EventNeeds & Pick<AppDependencies, 'unitOfWork'>,
): (limit: number) => Promise<number> {
  return (limit) =>
    deps.unitOfWork.run(async (repositories) => {
      const at = deps.clock.now();
      const open = await repositories.payouts.lockOpenSandbox(limit);
      const changes = open.flatMap((payout) => {
        const txid = payout.txid ?? deps.ids.uuid().replaceAll('-', '').repeat(2);
        const type = payout.status === 'pending' ? 'signed' : 'confirmed';
        return payoutChange(deps, payout, { type, txid, at }) ?? [];
      });
      for (const { after } of changes) await followClaim(deps, repositories, after, at);
      await repositories.payouts.saveAll(changes.map(({ after }) => after));
      await repositories.ledger.postAll(changes.flatMap(({ entries }) => entries));
      await enqueuePayoutEvents(deps, repositories, changes);
      return changes.length;
    });
}
