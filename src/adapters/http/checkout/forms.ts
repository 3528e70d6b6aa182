/** The page's two forms: who may send them, what they contain and what they do. */
import type { Application } from '../../../app/application.ts';
import type { AppError } from '../../../domain/errors.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { CHECKOUT_OUTCOMES } from '../../../domain/invoices/invoice-simulation.ts';
import { err, type Result } from '../../../domain/result.ts';
import { AddressesNotDerived } from '../../../ports/chains/address-pool.ts';
import { ERRORS } from '../kit/error-table.ts';
import { readBytes } from '../kit/input/body.ts';
import type { TextKey } from './messages/message-keys.ts';

/** A refusal in the customer's words. */
export interface FormProblem {
  readonly status: number;
  readonly text: TextKey;
  /** Only the merchant can help: the page of a link says how to get there. */
  readonly isStuck?: true;
}

/** What a form does to its invoice. */
export type FormAction = (
  application: Application,
  invoice: Invoice,
  form: URLSearchParams,
) => Promise<Result<unknown, FormProblem>>;

const FORM_LIMIT_BYTES = 4_096;
const SAME_SITE: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Whether the checkout's own page can have sent the form. The `Sec-Fetch-Site` of a browser is
 * trusted. An older browser is checked by its origin, which is also `null` for the own form, since
 * the page sends no referrer.
 */
export function isOwnForm(request: Request, checkoutUrl: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return SAME_SITE.has(site);
  const origin = request.headers.get('origin');
  if (origin === null || origin === 'null') return true;
  return [checkoutUrl, request.url].some((url) => new URL(url).origin === origin);
}

/** Empty for a body that is too long: it names nothing that the page offered. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBytes(request, FORM_LIMIT_BYTES);
  return new URLSearchParams(bytes === null ? '' : new TextDecoder().decode(bytes));
}

/**
 * Chooses `asset`, if the page offered it. The asset that is chosen already may be chosen again.
 */
export const chooseCurrency: FormAction = async (application, invoice, form) => {
  const key = form.get('asset');
  const offered = invoice.price === null ? application.choosableAssets(invoice) : application.catalog.all;
  const asset = offered.find((one) => one.key === key);
  if (asset === undefined) return err({ status: 400, text: 'problemChoice' });
  try {
    const chosen = await application.chooseCurrency(invoice.externalId, asset);
    return chosen.ok ? chosen : err(problemOf(chosen.error));
  } catch (thrown) {
    if (!(thrown instanceof AddressesNotDerived)) throw thrown;
    return err({ status: 503, text: 'problemNetwork' });
  }
};

/** Simulates a payment of a sandbox invoice. */
export const simulatePayment: FormAction = async (application, invoice, form) => {
  const outcome = CHECKOUT_OUTCOMES.find((one) => one === form.get('simulate'));
  if (outcome === undefined) return err({ status: 400, text: 'problemOther' });
  const done = await application.simulateFromCheckout(invoice.externalId, outcome);
  return done.ok ? done : err(problemOf(done.error));
};

function problemOf({ code }: AppError): FormProblem {
  const status = ERRORS[code].status;
  if (code === 'RATES_UNAVAILABLE') return { status, text: 'problemRates' };
  if (code === 'UNAVAILABLE') return { status, text: 'problemNetwork' };
  const final = code === 'INVOICE_REJECTED' || code === 'INVALID_TRANSITION' || code === 'NOT_FOUND';
  return { status, text: final ? 'problemRejected' : 'problemOther' };
}
