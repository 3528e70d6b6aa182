/**
 * The customer's choice of currency on the checkout: it prices the invoice and assigns an address.
 * A choice may change while nothing was paid. An earlier choice returns with its price and address:
 * the price of an asset is fixed when it is first chosen, and an invoice has one address per
 * family.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { CHAINS } from '../../domain/catalog/chain.ts';
import { changedAt } from '../../domain/chains/last-change.ts';
import { type AppError, appError, invoiceRejected, ratesUnavailable } from '../../domain/errors.ts';
import { accepts, type InvoicePrice } from '../../domain/invoices/invoice.ts';
import {
  atAddress,
  choicesOf,
  isUnpaid,
  mayChoose,
  withChoice,
} from '../../domain/invoices/invoice-choice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { CheckoutFacts } from '../../ports/checkout/checkout-queries.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { chainTrouble, payableAssets } from '../catalog/asset-access.ts';
import type { AppDependencies } from '../dependencies.ts';
import { runResult } from '../shared/transaction-result.ts';
import {
  type AddressSources,
  addressFor,
  type ChosenAddress,
  isAddressGone,
  issued,
  ownAddress,
  placeOf,
  returnUnused,
} from './chosen-address.ts';
import { isFrozen } from './frozen-address.ts';
import { type InvoicePricing, priceIn } from './quote-invoice.ts';

const CHAIN_NAMES = CHAINS.map(({ name }) => name);
const UNTOUCHED: CheckoutFacts = { arrivals: false, addressGone: false };

/**
 * Returns the invoice with its asset. Repeating the present choice changes nothing, unless its
 * address is gone: then it gets another. A change is refused once any payment was seen, before it
 * takes an address.
 */
export function chooseCurrency(
  deps: AppDependencies,
  sources: AddressSources,
): (externalId: string, asset: Asset) => Promise<Result<Invoice, AppError>> {
  return async (externalId, asset) => {
    const seen = await deps.queries.invoiceByExternalId(externalId);
    if (!seen) return err(appError('NOT_FOUND', 'No such invoice.'));
    const { arrivals, addressGone } = await deps.queries.checkoutStanding(seen.id);
    if (seen.price?.asset === asset.key && !addressGone) return ok(seen);
    const refused = refusal(deps, seen, asset) ?? (arrivals ? paidAlready() : null);
    if (refused) return err(refused);
    const price = priceOf(deps, seen, asset);
    if (!price.ok) return price;

    const address = await addressFor(deps, sources, seen, asset);
    if (!address.ok) return address;
    const done = await runResult(deps.unitOfWork, async (repositories) => {
      const invoice = await repositories.invoices.lockByExternalId(externalId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      const isChosen = invoice.price?.asset === asset.key;
      if (isChosen && !(await isAddressGone(deps, repositories, invoice))) return ok(invoice);
      // Recording a payment takes this lock, too: either it sees the changed choice, or it is seen
      // here.
      const refusedNow =
        refusal(deps, invoice, asset) ??
        ((await paymentWasSeen(repositories, invoice.id)) ? paidAlready() : null);
      if (refusedNow) return err(refusedNow);
      return assign(deps, repositories, invoice, asset, address.value);
    });
    returnUnused(sources, address.value, done);
    return done;
  };
}

/**
 * The assets that the customer may choose now, including the present choice; empty if there is no
 * (other) choice. If the present address is gone, the present choice may be repeated, even if the
 * merchant made it.
 */
export function choosableAssets(
  deps: AppDependencies,
  invoice: Invoice,
  { arrivals, addressGone }: CheckoutFacts = UNTOUCHED,
): readonly Asset[] {
  const now = deps.clock.now();
  if (arrivals || !isUnpaid(invoice, now)) return [];
  const may = mayChoose(invoice, now);
  const present = invoice.price?.asset;
  const offered = offeredAssets(deps, invoice).filter(({ key }) => may || (addressGone && key === present));
  return addressGone || offered.some(({ key }) => key !== present) ? offered : [];
}

/**
 * Gives the invoice `asset`, at its earlier price or the present one, with its address, and saves
 * it. It must be locked.
 */
export async function assign(
  deps: AppDependencies,
  repositories: Repositories,
  invoice: Invoice,
  asset: Asset,
  found: ChosenAddress,
): Promise<Result<Invoice, AppError>> {
  const price = priceOf(deps, invoice, asset);
  if (!price.ok) return price;
  // Another choice may have stored an address of the family since this one was found.
  const had = ownAddress(deps, invoice, asset);
  const gone = had !== null && (await isFrozen(deps, repositories, placeOf(asset), had));
  if (gone && found.fresh === null)
    return err(invoiceRejected('address_changed', 'Its address changed just now. Choose again.'));
  const address = had === null || gone ? found : { display: had, permanentAddressId: null, fresh: null };
  const { family } = asset;
  const moved = gone
    ? atAddress(invoice, address.display, (key) => deps.catalog.require(key).family === family)
    : invoice;
  const now = deps.clock.now();
  const chosen = withChoice(
    { ...moved, updatedAt: changedAt(moved, now) },
    { price: price.value, addressTo: address.display, permanentAddressId: address.permanentAddressId },
  );
  await repositories.invoices.save(chosen);
  if (gone) await repositories.addresses.retire({ invoiceId: invoice.id, family });
  if (address.fresh) await repositories.addresses.insert(issued(address.fresh, invoice, now));
  return ok(chosen);
}

/** The asset's earlier price, or the one that choosing it now would fix. */
export function priceOf(
  deps: AppDependencies,
  invoice: Invoice,
  asset: Asset,
): Result<InvoicePrice, AppError> {
  const before = choicesOf(invoice).find((choice) => choice.price.asset === asset.key);
  if (before !== undefined) return ok(before.price);
  const rates = deps.rateBook.usable({ sandbox: invoice.sandbox });
  return rates === null ? err(ratesUnavailable()) : priceIn(asset, pricingOf(invoice), rates);
}

/**
 * The allowed assets whose minimum the amount reaches, and those chosen before. Without a rate none
 * is excluded yet.
 */
export function offeredAssets(deps: AppDependencies, invoice: Invoice): readonly Asset[] {
  const rates = deps.rateBook.usable({ sandbox: invoice.sandbox });
  const known = new Set(choicesOf(invoice).map(({ price }) => price.asset));
  return payableAssets(deps, invoice).filter((asset) => {
    if (rates === null || known.has(asset.key)) return true;
    const price = priceIn(asset, pricingOf(invoice), rates);
    return price.ok || price.error.code !== 'INVOICE_REJECTED';
  });
}

function pricingOf(invoice: Invoice): InvoicePricing {
  return {
    sandbox: invoice.sandbox,
    requested: { in: 'fiat', micros: invoice.initialFiatMicros },
    fiatCurrency: invoice.fiatCurrency,
    priceModifierPpm: invoice.priceModifierPpm,
    feeBearer: invoice.feeBearer,
    commissionPpm: invoice.commissionPpm,
  };
}

function refusal(deps: AppDependencies, invoice: Invoice, asset: Asset): AppError | null {
  const now = deps.clock.now();
  const again = invoice.price?.asset === asset.key;
  if (invoice.price !== null && !invoice.customerChooses && !again)
    return invoiceRejected('fixed_asset', `This invoice is already to be paid in ${invoice.price.asset}.`);
  if (!accepts(invoice, now))
    return invoiceRejected('not_payable', 'This invoice does not take payments any more.');
  if (!isUnpaid(invoice, now)) return paidAlready();
  if (payableAssets(deps, invoice).includes(asset)) return null;
  return (
    chainTrouble(deps, asset, invoice.sandbox) ??
    invoiceRejected('asset_not_offered', `This invoice cannot be paid in ${asset.key}.`)
  );
}

/**
 * Whether any payment was seen. A stray at its address counts: its sender must not be asked to pay
 * elsewhere before somebody checked it.
 */
export async function paymentWasSeen({ deposits }: Repositories, invoiceId: string): Promise<boolean> {
  return (await deposits.hasPayment(invoiceId)) || (await deposits.hasArrivals(invoiceId, CHAIN_NAMES));
}

function paidAlready(): AppError {
  return invoiceRejected('was_paid', 'A payment was seen: the currency cannot be changed any more.');
}
