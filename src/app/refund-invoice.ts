/** An operator's refund: the credited money leaves the merchant's balance and the invoice ends refunded, once. No webhook. */
import { type AppError, appError } from '../domain/errors.ts';
import { isRefundable } from '../domain/invoice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import { refund } from '../domain/ledger.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { NewEntry, Repositories } from '../ports/repositories.ts';
import type { AppDependencies } from './dependencies.ts';
import { applyEvents, type EventNeeds } from './invoice-events.ts';

/** Refused for an invoice that is not paid, or was refunded before. */
export function refundInvoice(
  deps: EventNeeds & Pick<AppDependencies, 'unitOfWork'>,
): (invoiceId: string) => Promise<Result<Invoice, AppError>> {
  return (invoiceId) =>
    deps.unitOfWork.run(async (repositories) => {
      const invoice = await repositories.invoices.lock(invoiceId);
      if (!invoice) return err(appError('NOT_FOUND', `No such invoice: ${invoiceId}`));
      if (!isRefundable(invoice)) {
        return err(
          appError('INVALID_TRANSITION', `An invoice that is ${invoice.status} cannot be refunded.`),
        );
      }
      await postRefund(deps, repositories, invoice);
      return ok(await applyEvents(deps, repositories, invoice, [{ type: 'refunded', at: deps.clock.now() }]));
    });
}

/** Takes back from the merchant what the invoice's standing income entries credited. */
export async function postRefund(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Repositories,
  invoice: Invoice,
): Promise<void> {
  const credited = creditOf(await repositories.ledger.entriesOf(invoice.id));
  if (invoice.price === null) throw new Error('an invoice without an asset was never paid');
  // A credit too small to be worth a millionth of a dollar leaves nothing to take back.
  if (credited.microUsd === 0n) return;
  await repositories.ledger.post({
    id: deps.ids.id(),
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    kind: 'refund',
    referenceId: invoice.id,
    depositId: null,
    postings: refund(credited.microUsd),
    feed: {
      type: 'refund',
      asset: invoice.price.asset,
      amountUnits: credited.units,
      feeUnits: null,
      currency: invoice.fiatCurrency,
      microUsd: credited.microUsd,
      referenceId: invoice.id,
    },
    at: deps.clock.now(),
  });
}

/** What an invoice's income entries come to, less what later entries took back. */
function creditOf(entries: readonly NewEntry[]): { units: bigint; microUsd: bigint } {
  let units = 0n;
  let microUsd = 0n;
  for (const { feed } of entries) {
    if (feed === null || feed.type === 'payout') continue;
    const sign = feed.type === 'income' ? 1n : -1n;
    units += sign * feed.amountUnits;
    microUsd += sign * feed.microUsd;
  }
  return { units, microUsd };
}
