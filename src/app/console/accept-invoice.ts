/**
 * The merchant accepts a partly paid invoice as paid: the rest is waived, the status is `success`,
 * and the merchant gets the webhook. The ledger does not change: credits follow deposits.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import { isAcceptable } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import { applyEvents } from '../invoices/invoice-events.ts';

/** Returns the paid invoice; one that was accepted already does not change. */
export function acceptInvoice(
  deps: AppDependencies,
): (scope: Scope, invoiceId: string) => Promise<Result<Invoice, AppError>> {
  return (scope, invoiceId) =>
    deps.unitOfWork.run(async (repositories) => {
      const invoice = await repositories.invoices.lock(invoiceId);
      if (invoice?.merchantId !== scope.merchantId || invoice.sandbox !== scope.sandbox)
        return err(appError('NOT_FOUND', 'No such invoice.'));
      if (invoice.status === 'success' && invoice.acceptedUnits !== null) return ok(invoice);
      if (!isAcceptable(invoice)) return err(appError('INVALID_TRANSITION', REFUSED));
      // Not of a payment that the invoice does not count: that one has a deposit.
      if (await repositories.refundClaims.isStanding({ invoiceId, depositId: null }))
        return err(appError('INVALID_TRANSITION', 'A refund of this invoice is offered. Withdraw it first.'));
      return ok(await applyEvents(deps, repositories, invoice, [{ type: 'accepted', at: deps.clock.now() }]));
    });
}

const REFUSED =
  'Only a partly paid STATIC invoice can be accepted, in time or after it, once no other payment of it waits.';
