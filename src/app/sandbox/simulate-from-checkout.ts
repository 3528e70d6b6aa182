/**
 * The buttons of a sandbox invoice's checkout. Anyone with the page's address may press them, so
 * they do no more than a payment could do now: they never take a finished invoice back, and so
 * cause no more webhooks than a customer would.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import {
  type CheckoutOutcome,
  outcomeRefusal,
  type SimulatedStatus,
} from '../../domain/invoices/invoice-simulation.ts';
import { ok, type Result } from '../../domain/result.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type SimulatorParts, simulate } from './simulate-invoice.ts';

/**
 * The amounts are those of the simulator: half, all, 125 %. Earlier payments count towards them.
 */
const TARGETS: Readonly<Record<CheckoutOutcome, SimulatedStatus>> = {
  partial: 'partially_paid',
  paid: 'success',
  over: 'paid_over',
};

export function simulateFromCheckout(
  deps: AppDependencies,
  parts: SimulatorParts,
): (externalId: string, outcome: CheckoutOutcome) => Promise<Result<Invoice, AppError>> {
  return async (externalId, outcome) => {
    const seen = await deps.queries.invoiceByExternalId(externalId);
    const input = { status: TARGETS[outcome], paidAmount: null, sendWebhook: true, notifyUrl: null };
    const done = await simulate(deps, parts, seen, input, (invoice) =>
      refusal(invoice, outcome, deps.clock.now()),
    );
    return done.ok ? ok(done.value.invoice) : done;
  };
}

function refusal(invoice: Invoice, outcome: CheckoutOutcome, at: Date): AppError | null {
  const reason = outcomeRefusal(invoice, outcome, at);
  return reason === null ? null : appError('INVALID_TRANSITION', reason);
}
