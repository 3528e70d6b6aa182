/** Webhooks of payouts, for merchants who want them. */
import { isTold } from '../../domain/payouts/payout.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';
import { presentPayout } from './present-payout.ts';

export interface PayoutChange {
  readonly before: Payout;
  readonly after: Payout;
}

/**
 * Each payout must be locked by this transaction. Refunds are left out: webhooks of their invoices
 * report them.
 */
export async function enqueuePayoutEvents(
  deps: EventNeeds,
  repositories: Repositories,
  changes: readonly PayoutChange[],
): Promise<void> {
  const told = changes.flatMap(({ before, after }) =>
    after.kind === 'payout' && isTold(before, after) ? [after] : [],
  );
  if (told.length === 0) return;
  const urls = await repositories.merchants.payoutCallbacks([
    ...new Set(told.map(({ merchantId }) => merchantId)),
  ]);
  const at = deps.clock.now();
  for (const payout of told) {
    const url = urls.get(payout.merchantId);
    if (url === undefined) continue;
    await repositories.webhooks.enqueue({
      ...{ id: deps.ids.id(), invoiceId: null, payoutId: payout.id, invoiceVersion: null },
      ...{ merchantId: payout.merchantId, sandbox: payout.sandbox },
      ...{ url, body: webhookBody(deps, payout), foreign: null, dueAt: at, eventAt: at },
    });
  }
}

/** The payout as text, without its number in the list of events. */
function webhookBody({ catalog }: EventNeeds, payout: Payout): string {
  const mark = payout.sandbox ? { sandbox: true } : {};
  return JSON.stringify({ ...presentPayout(payout, catalog), event: `payout.${payout.status}`, ...mark });
}
