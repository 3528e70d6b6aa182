/**
 * POST /invoices/{id}/cancel: the merchant ends an invoice without a payment; a later payment is a
 * stray.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import { receivedUnits } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';
import { paymentWasSeen } from './choose-asset.ts';
import { applyEvents } from './invoice-events.ts';

/**
 * Returns the `expired` invoice; one that is expired already does not change. With `unchosen` it is
 * refused once it has an asset: a customer may be about to pay.
 */
export function cancelInvoice(
  deps: AppDependencies,
): (
  caller: Caller,
  invoiceId: string,
  only?: { readonly unchosen: boolean },
) => Promise<Result<Invoice, AppError>> {
  return ({ scope }, invoiceId, { unchosen } = { unchosen: false }) =>
    deps.unitOfWork.run(async (repositories) => {
      // Recording a payment takes this lock, too: either it sees the ended invoice, or it is seen
      // here.
      const invoice = await repositories.invoices.lock(invoiceId);
      if (invoice?.merchantId !== scope.merchantId || invoice.sandbox !== scope.sandbox)
        return err(appError('NOT_FOUND', 'No such invoice.'));
      if (invoice.status === 'expired') return ok(invoice);
      if (unchosen && invoice.price !== null)
        return err(appError('INVALID_TRANSITION', 'The customer has chosen a currency.'));
      const open = invoice.status === 'created' && receivedUnits(invoice.funds) === 0n;
      if (!open || (await paymentWasSeen(repositories, invoice.id)))
        return err(
          appError('INVALID_TRANSITION', 'A payment was seen, so this invoice can no longer be cancelled.'),
        );
      return ok(
        await applyEvents(deps, repositories, invoice, [{ type: 'withdrawn', at: deps.clock.now() }]),
      );
    });
}
