/** Every step of a refund claim is an event of its merchant. No webhook carries it. */
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../../domain/payouts/refund-claim.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { presentClaim } from '../present-refund.ts';

type TellNeeds = Pick<AppDependencies, 'ids' | 'catalog'>;

/**
 * Saves nothing. Of a deposit to an address without an invoice nothing is told: the merchant sees
 * it in the ledger.
 */
export async function tellClaim(
  { ids, catalog }: TellNeeds,
  { webhooks }: Repositories,
  claim: RefundClaim,
  payout: Payout | null,
): Promise<void> {
  const { invoiceId, merchantId, sandbox, status, updatedAt: at } = claim;
  if (invoiceId === null) return;
  const mark = sandbox ? { sandbox: true } : {};
  const body = { ...presentClaim(claim, payout, catalog), event: `refund.${status}`, ...mark };
  await webhooks.enqueue({
    ...{ id: ids.id(), invoiceId, payoutId: null, invoiceVersion: null, merchantId, sandbox },
    ...{ url: null, body: JSON.stringify(body), foreign: null, dueAt: at, eventAt: at },
  });
}
