/**
 * The customer's choice of currency on the checkout: prices the invoice and gives it an address. It may be changed while nothing was
 * paid. What was chosen before comes back at its price and address: each price is fixed when its asset is first chosen, and an invoice
 * has one address per family.
 */
import type { Asset, AssetCatalog } from '../domain/asset.ts';
import { CHAINS } from '../domain/chain.ts';
import { type AppError, appError } from '../domain/errors.ts';
import { accepts, type InvoicePrice } from '../domain/invoice.ts';
import { choicesOf, chosenBefore, mayChoose, withChoice } from '../domain/invoice-choice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import type { PricingRequest } from '../domain/invoice-terms.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { IssuedAddress, Repositories } from '../ports/repositories.ts';
import type { AddressAllocator, FreshAddress } from './address-allocator.ts';
import { payableAssets } from './asset-access.ts';
import { priceIn, ratesUnavailable } from './create-invoice.ts';
import type { AppDependencies } from './dependencies.ts';
import type { PermanentAddresses } from './permanent-addresses.ts';
import { runOrRollBack } from './rolled-back.ts';

/** Allocates and finds addresses; both are asked outside of transactions. */
export interface AddressSources {
  readonly allocator: AddressAllocator;
  readonly permanent: PermanentAddresses;
}

const CHAIN_NAMES = CHAINS.map(({ name }) => name);

/** Answers the invoice with its asset. Choosing what is chosen already changes nothing; a change is refused once anything was seen. */
export function chooseCurrency(
  deps: AppDependencies,
  sources: AddressSources,
): (externalId: string, asset: Asset) => Promise<Result<Invoice, AppError>> {
  return async (externalId, asset) => {
    const seen = await deps.queries.invoiceByExternalId(externalId);
    if (!seen) return err(appError('NOT_FOUND', 'No such invoice.'));
    if (seen.price?.asset === asset.key) return ok(seen);
    const refused = refusal(deps, seen, asset);
    if (refused) return err(refused);

    const address = await addressFor(deps, sources, seen, asset);
    if (!address.ok) return address;
    return runOrRollBack(deps.unitOfWork, async (repositories) => {
      const invoice = await repositories.invoices.lockByExternalId(externalId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      if (invoice.price?.asset === asset.key) return ok(invoice);
      // A payment takes this lock before it is recorded: what cannot be seen now finds the choice changed.
      const refusedNow =
        refusal(deps, invoice, asset) ?? ((await wasPaid(repositories, invoice.id)) ? paidAlready() : null);
      if (refusedNow) return err(refusedNow);
      return assign(deps, repositories, invoice, asset, address.value);
    });
  };
}

/** What the customer may choose from now, the present choice included; empty when there is nothing (else) to choose. */
export function choosableAssets(deps: AppDependencies, invoice: Invoice): readonly Asset[] {
  if (!mayChoose(invoice, deps.clock.now())) return [];
  const offered = offeredAssets(deps, invoice);
  return offered.some(({ key }) => key !== invoice.price?.asset) ? offered : [];
}

/** Gives the invoice `asset`, at an earlier choice's price or at the present one, with its address, and saves it. It must be locked. */
export async function assign(
  deps: AppDependencies,
  repositories: Repositories,
  invoice: Invoice,
  asset: Asset,
  found: ChosenAddress,
): Promise<Result<Invoice, AppError>> {
  const price = priceOf(deps, invoice, asset);
  if (!price.ok) return price;
  // Another choice may have brought an address of the family since this one was found.
  const address = ownAddress(deps.catalog, invoice, asset) ?? found;
  const chosen = withChoice(invoice, {
    price: price.value,
    addressTo: address.display,
    permanentAddressId: address.permanentAddressId,
  });
  await repositories.invoices.save(chosen);
  if (address.own) await repositories.addresses.insert({ ...address.own, invoiceId: invoice.id });
  return ok(chosen);
}

function priceOf(deps: AppDependencies, invoice: Invoice, asset: Asset): Result<InvoicePrice, AppError> {
  const before = chosenBefore(invoice, asset.key);
  if (before !== null) return ok(before.price);
  const rates = deps.rateBook.usable({ sandbox: invoice.sandbox });
  return rates === null ? err(ratesUnavailable()) : priceIn(asset, pricingOf(invoice), rates);
}

export interface ChosenAddress {
  readonly display: string;
  readonly permanentAddressId: string | null;
  readonly own: Omit<IssuedAddress, 'invoiceId'> | null;
}

/** The address an invoice gets in `asset`: the one it has in that family, a fresh one, or the permanent one it binds. */
export async function addressFor(
  deps: Pick<AppDependencies, 'catalog'>,
  { allocator, permanent }: AddressSources,
  invoice: Invoice,
  asset: Asset,
): Promise<Result<ChosenAddress, AppError>> {
  if (invoice.bindsPermanentAddress) {
    if (asset.family === 'monero' || invoice.userId === null)
      throw new Error('not an asset of a permanent address');
    const found = await permanent.getOrCreate(
      { merchantId: invoice.merchantId, sandbox: invoice.sandbox },
      { userId: invoice.userId, family: asset.family, notifyUrl: null, metadata: null },
    );
    if (!found.ok) return found;
    return ok({
      display: found.value.address.address,
      permanentAddressId: found.value.address.id,
      own: null,
    });
  }
  const had = ownAddress(deps.catalog, invoice, asset);
  if (had !== null) return ok(had);
  const fresh = await allocator.next(asset.family, invoice.sandbox);
  if (fresh === null)
    return err(appError('INVOICE_REJECTED', `No address can be made for ${asset.key} yet.`));
  return ok({ display: fresh.display, permanentAddressId: null, own: issued(fresh, invoice) });
}

/** Where a choice of the asset's family is paid already; never for permanent addresses, which may have been replaced since. */
function ownAddress(catalog: AssetCatalog, invoice: Invoice, asset: Asset): ChosenAddress | null {
  if (invoice.bindsPermanentAddress) return null;
  const had = choicesOf(invoice).find(({ price }) => catalog.require(price.asset).family === asset.family);
  return had ? { display: had.addressTo, permanentAddressId: null, own: null } : null;
}

/** Allowed assets whose minimum the amount reaches, and those chosen before. Without a rate none is ruled out yet. */
export function offeredAssets(deps: AppDependencies, invoice: Invoice): readonly Asset[] {
  const rates = deps.rateBook.usable({ sandbox: invoice.sandbox });
  const known = new Set(choicesOf(invoice).map(({ price }) => price.asset));
  return payableAssets(deps, invoice).filter((asset) => {
    if (rates === null || known.has(asset.key)) return true;
    const price = priceIn(asset, pricingOf(invoice), rates);
    return price.ok || price.error.code !== 'INVOICE_REJECTED';
  });
}

function pricingOf(invoice: Invoice): PricingRequest {
  return {
    requested: { in: 'fiat', micros: invoice.initialFiatMicros },
    fiatCurrency: invoice.fiatCurrency,
    priceModifierPpm: invoice.priceModifierPpm,
    feeBearer: invoice.feeBearer,
    commissionPpm: invoice.commissionPpm,
  };
}

function issued(fresh: FreshAddress, invoice: Invoice): Omit<IssuedAddress, 'invoiceId'> {
  return {
    family: fresh.family,
    address: fresh.normalized,
    deriver: fresh.deriver,
    derivationIndex: fresh.derivationIndex,
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    permanentAddressId: null,
  };
}

function refusal(deps: AppDependencies, invoice: Invoice, asset: Asset): AppError | null {
  const now = deps.clock.now();
  if (invoice.price !== null && !invoice.customerChooses)
    return rejected(`This invoice is already to be paid in ${invoice.price.asset}.`);
  if (!accepts(invoice, now)) return rejected('This invoice does not take payments any more.');
  if (!mayChoose(invoice, now)) return paidAlready();
  return payableAssets(deps, invoice).includes(asset)
    ? null
    : rejected(`This invoice cannot be paid in ${asset.key}.`);
}

/** A stray at its address counts: whoever sent it must not be asked to pay elsewhere before somebody looked. */
async function wasPaid({ deposits }: Repositories, invoiceId: string): Promise<boolean> {
  return (await deposits.hasPayment(invoiceId)) || (await deposits.hasArrivals(invoiceId, CHAIN_NAMES));
}

function paidAlready(): AppError {
  return rejected('A payment was seen: the currency cannot be changed any more.');
}

function rejected(message: string): AppError {
  return appError('INVOICE_REJECTED', message);
}
