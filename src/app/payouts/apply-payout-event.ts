/**
 * Applies an event to a locked payout, with its effect on the reserved balance and a refunded
 * invoice, in the caller's transaction.
 */
import { changedAt } from '../../domain/chains/last-change.ts';
import { decidePayout, type PayoutEvent } from '../../domain/payouts/payout.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { NewEntry } from '../../ports/ledger-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { tellAndReopen } from '../deposits/deposit-lifecycle.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';
import { entriesFor, type Reserve } from './payout-entries.ts';
import { enqueuePayoutEvents, type PayoutChange } from './payout-events.ts';
import { followClaim } from './refunds/follow-claim.ts';

/**
 * Returns the payout after the event, and queues its webhook; null if the event does not apply (a
 * repetition, for example).
 */
export async function applyPayoutEvent(
  deps: EventNeeds,
  repositories: Repositories,
  before: Payout,
  event: PayoutEvent,
): Promise<Payout | null> {
  const after = await movePayout(deps, repositories, before, event);
  if (after !== null) await enqueuePayoutEvents(deps, repositories, [{ before, after }]);
  return after;
}

/**
 * As applyPayoutEvent, without queueing the webhook: the caller queues it last
 * (enqueuePayoutEvents).
 */
export async function movePayout(
  deps: EventNeeds,
  repositories: Repositories,
  payout: Payout,
  event: PayoutEvent,
): Promise<Payout | null> {
  const change = payoutChange(deps, payout, event);
  if (change === null) return null;
  const { after, reserve, entries } = change;
  // A claim is locked after its refund, the invoice after both and before the balance; no
  // transaction waits for a refund with its claim or invoice locked.
  if (payout.kind === 'refund') {
    const claim = await followClaim(deps, repositories, after, event.at);
    if (claim === null || claim.subject === 'invoice')
      await updateRefundedInvoice(deps, repositories, payout, reserve, event.at);
  }
  await repositories.payouts.save(after);
  for (const entry of entries) await repositories.ledger.post(entry);
  return after;
}

/** The payout after the event, and its entries; null if the event does not apply. */
export function payoutChange(
  deps: Pick<AppDependencies, 'ids'>,
  payout: Payout,
  event: PayoutEvent,
): (PayoutChange & { reserve: Reserve; entries: readonly NewEntry[] }) | null {
  const decision = decidePayout(payout, event);
  if (!decision) return null;
  const { merchantId, sandbox } = payout;
  const entries = entriesFor(payout, decision.reserve).map((entry) => ({
    ...{ id: deps.ids.id(), merchantId, sandbox, depositId: null, at: event.at },
    ...entry,
  }));
  return {
    before: payout,
    after: {
      ...{ ...payout, ...decision.next, waiting: null, tries: 0 },
      held: event.type === 'set_back' ? event.held : null,
      updatedAt: changedAt(payout, event.at),
    },
    reserve: decision.reserve,
    entries,
  };
}

/**
 * A released refund restores the invoice's status from its payments. A retaken one marks the
 * invoice refunded again.
 */
async function updateRefundedInvoice(
  deps: EventNeeds,
  repositories: Repositories,
  refunding: Payout,
  reserve: Reserve,
  at: Date,
): Promise<void> {
  if (reserve !== 'release' && reserve !== 'retake') return;
  const { id, invoiceId } = refunding;
  const invoice = invoiceId === null ? null : await repositories.invoices.lock(invoiceId);
  if (!invoice) throw new Error(`the invoice of refund ${id} is gone`);
  const type = reserve === 'release' ? 'refund_failed' : 'refunded';
  await tellAndReopen(deps, repositories, invoice, { type, at });
}
