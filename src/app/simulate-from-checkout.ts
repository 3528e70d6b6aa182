/**
 * The buttons of a sandbox invoice's checkout. Whoever has the page's address may press them, so they do what a payment could
 * do now and no more: they never take a finished invoice back, and so send a merchant no more webhooks than a customer would.
 */
import { type AppError, appError } from '../domain/errors.ts';
import { accepts, receivedUnits } from '../domain/invoice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import type { SimulatedStatus } from '../domain/invoice-simulation.ts';
import { ok, type Result } from '../domain/result.ts';
import type { CheckoutOutcome } from './application.ts';
import type { AppDependencies } from './dependencies.ts';
import { type SimulatorParts, simulate } from './simulate-invoice.ts';

/** Each is paid as much as the simulator pays for it: half, all, 125 %. What was paid before is part of that. */
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

/** Where no payment could lead the invoice to the outcome (domain/invoice.ts). */
function refusal(invoice: Invoice, outcome: CheckoutOutcome, at: Date): AppError | null {
  if (!accepts(invoice, at))
    return appError('INVALID_TRANSITION', 'This invoice does not take payments any more.');
  if (outcome === 'partial' && receivedUnits(invoice.funds) > 0n)
    return appError('INVALID_TRANSITION', 'A part is paid already: pay the rest.');
  if (outcome === 'over' && invoice.billingType === 'VARY')
    return appError('INVALID_TRANSITION', 'A VARY invoice is never paid over.');
  return null;
}
