/** Applies an event to a locked payout, with what it does to the reserved balance, in the caller's transaction. */
import { payoutReserved, payoutSettled, reversed } from '../domain/ledger.ts';
import { decidePayout, type PayoutEvent } from '../domain/payout.ts';
import type { Payout } from '../domain/payout-record.ts';
import type { FeedLine, Repositories } from '../ports/repositories.ts';
import type { AppDependencies } from './dependencies.ts';

type Needs = Pick<AppDependencies, 'clock' | 'ids' | 'unitOfWork'>;

/** The payout after the event, or null when the event cannot happen to it (a repetition, for example). */
export async function applyPayoutEvent(
  deps: Pick<AppDependencies, 'ids'>,
  repositories: Repositories,
  payout: Payout,
  event: PayoutEvent,
): Promise<Payout | null> {
  const decision = decidePayout(payout, event);
  if (!decision) return null;
  const next: Payout = { ...payout, ...decision.next };
  await repositories.payouts.save(next);
  const entry = {
    id: deps.ids.id(),
    merchantId: payout.merchantId,
    sandbox: payout.sandbox,
    referenceId: payout.id,
    depositId: null,
    at: event.at,
  };
  if (decision.reserve === 'settle') {
    await repositories.ledger.post({
      ...entry,
      kind: 'payout_settled',
      postings: payoutSettled({
        asset: payout.asset,
        units: payout.sentUnits,
        microUsd: payout.reservedMicroUsd,
      }),
      feed: null,
    });
  }
  if (decision.reserve === 'release') {
    await repositories.ledger.post({
      ...entry,
      kind: 'payout_released',
      postings: reversed(payoutReserved(payout.reservedMicroUsd)),
      feed: returned(payout),
    });
  }
  return next;
}

/** Sandbox payouts settle by themselves: each call takes open ones a step further, without a chain. Answers how many moved. */
export function settleSandboxPayouts(deps: Needs): (limit: number) => Promise<number> {
  return (limit) =>
    deps.unitOfWork.run(async (repositories) => {
      const at = deps.clock.now();
      const open = await repositories.payouts.lockOpenSandbox(limit);
      for (const payout of open) {
        const txid = payout.txid ?? deps.ids.uuid().replaceAll('-', '').repeat(2);
        const type = payout.status === 'pending' ? 'broadcast' : 'confirmed';
        await applyPayoutEvent(deps, repositories, payout, { type, txid, at });
      }
      return open.length;
    });
}

/** The balance comes back: the feed shows the payout with the opposite sign, and the summary follows. */
function returned(payout: Payout): FeedLine {
  return {
    type: 'payout',
    asset: payout.asset,
    amountUnits: -payout.amountUnits,
    feeUnits: null,
    currency: null,
    microUsd: -payout.reservedMicroUsd,
    referenceId: payout.id,
  };
}
