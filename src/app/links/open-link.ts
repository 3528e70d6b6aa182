/** A customer opens an invoice from a payment link. */
import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import type { AppError } from '../../domain/errors.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { linkDecimal, linkPrice, linkState, OPEN_PER_LINK } from '../../domain/links/payment-link.ts';
import { accessGate } from '../../domain/merchants/merchant.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { PublicLink } from '../../ports/links/payment-link-repository.ts';
import type { CreateInvoiceInput } from '../application.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { LinkRefusal, LinkRequest, LinkStanding } from './link-order.ts';

interface Needs extends Pick<AppDependencies, 'queries' | 'clock'> {
  createInvoice(caller: Caller, input: CreateInvoiceInput): Promise<Result<Invoice, AppError>>;
  cancelInvoice(
    caller: Caller,
    invoiceId: string,
    only: { readonly unchosen: boolean },
  ): Promise<Result<Invoice, AppError>>;
}

/** Whether the link can be paid now. A link of a barred merchant is inactive. */
export function linkStanding(
  deps: Pick<Needs, 'queries' | 'clock'>,
): (of: PublicLink) => Promise<LinkStanding> {
  return async ({ link, merchant }) => {
    // A link without stock may have any number of paid invoices: those are not counted.
    const [open, taken] = await Promise.all([
      deps.queries.openOfLink(link.id),
      link.stock === null ? 0 : deps.queries.takenOfLink(link.id, null),
    ]);
    const barred = accessGate(merchant, environmentOf(link)) !== null;
    return {
      state: barred ? 'inactive' : linkState(link, taken, deps.clock.now()),
      left: link.stock === null ? null : Math.max(0, link.stock - taken),
      open,
    };
  };
}

/**
 * Opens an invoice for an order. Of invoices that are opened at the same time, the first ones get
 * the rest of the stock; the others end at once.
 */
export function openLink(
  deps: Needs,
): (of: PublicLink, request: LinkRequest) => Promise<Result<Invoice, LinkRefusal>> {
  return async (of, request) => {
    const { link, merchant } = of;
    const { state, open } = await linkStanding(deps)(of);
    if (state !== 'open') return err({ why: state });
    const price = linkPrice(link, request);
    if (!price.ok) return err({ why: price.error });
    const scope = { merchantId: merchant.id, sandbox: link.sandbox };
    const caller: Caller = { merchant, environment: environmentOf(link), scope };
    if (open >= OPEN_PER_LINK && !(await endOldest(deps, caller, link.id))) return err({ why: 'busy' });
    const made = await deps.createInvoice(caller, invoiceInput(of, request, price.value));
    if (!made.ok) return err({ why: 'rejected', error: made.error });
    if (link.stock !== null) {
      const taken = await deps.queries.takenOfLink(link.id, made.value.id);
      if (taken >= link.stock) {
        await deps.cancelInvoice(caller, made.value.id, { unchosen: true });
        return err({ why: 'sold_out' });
      }
    }
    return ok(made.value);
  };
}

/**
 * Ends the invoice that waits longest for a choice of currency, so that a stranger who opens many
 * does not close the link for others (safety.md L1). False if every customer has chosen, this one
 * perhaps just now.
 */
async function endOldest(deps: Needs, caller: Caller, linkId: string): Promise<boolean> {
  const oldest = await deps.queries.oldestUnchosen(linkId);
  return oldest !== null && (await deps.cancelInvoice(caller, oldest, { unchosen: true })).ok;
}

function environmentOf({ sandbox }: { readonly sandbox: boolean }): Caller['environment'] {
  return sandbox ? 'sandbox' : 'live';
}

function invoiceInput(
  { link }: PublicLink,
  { answers, language, linkUrl }: LinkRequest,
  { micros, tipMicros }: { readonly micros: bigint; readonly tipMicros: bigint },
): CreateInvoiceInput {
  const payer: Record<string, string> = Object.fromEntries(
    link.fields.flatMap((field) => (answers[field] ? [[field, answers[field]]] : [])),
  );
  if (payer.email !== undefined) payer.language = language;
  return {
    amount: { digits: micros, scale: FIAT_DECIMALS },
    fiatCurrency: link.fiatCurrency,
    asset: null,
    ttlSeconds: link.ttlSeconds,
    ...{ billingType: null, feeBearer: null, tolerancePpm: null, priceModifierPpm: null },
    acceptedCoins: link.acceptedCoins,
    excludedCoins: null,
    details: {
      extra: link.extra,
      title: link.title,
      description: link.description,
      metadata: tipMicros === 0n ? null : { tip: linkDecimal(tipMicros) },
      payerInfo: Object.keys(payer).length === 0 ? null : payer,
      onPaidUrl: link.successUrl,
      // The URL of a till is a secret. Its browser is led back by a cookie.
      onCancelUrl: link.mode === 'point_of_sale' ? null : linkUrl,
      notifyUrl: link.notifyUrl,
    },
    webhookFormat: null,
    ...{ permanentAddress: false, userId: null },
    paymentLinkId: link.id,
  };
}
