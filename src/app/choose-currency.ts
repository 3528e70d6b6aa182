/** The customer's choice of currency on the checkout: prices the invoice and allocates its address, once. */
import type { Asset } from '../domain/asset.ts';
import { type AppError, appError } from '../domain/errors.ts';
import { accepts } from '../domain/invoice.ts';
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

/** Answers the invoice with its asset. Choosing again what was chosen already changes nothing; another asset is refused. */
export function chooseCurrency(
  deps: AppDependencies,
  allocator: AddressAllocator,
  permanent: PermanentAddresses,
): (externalId: string, asset: Asset) => Promise<Result<Invoice, AppError>> {
  return async (externalId, asset) => {
    const seen = await deps.queries.invoiceByExternalId(externalId);
    if (!seen) return err(appError('NOT_FOUND', 'No such invoice.'));
    const refused = refusal(deps, seen, asset);
    if (refused) return err(refused);
    if (seen.price !== null) return ok(seen);

    const address = await addressFor(allocator, permanent, seen, asset);
    if (!address.ok) return address;
    return runOrRollBack(deps.unitOfWork, async (repositories) => {
      const invoice = await repositories.invoices.lockByExternalId(externalId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      const refusedNow = refusal(deps, invoice, asset);
      if (refusedNow) return err(refusedNow);
      if (invoice.price !== null) return ok(invoice);
      return assign(deps, repositories, invoice, asset, address.value);
    });
  };
}

/** Prices an invoice that has no asset, gives it its address and saves it. The invoice must be locked. */
export async function assign(
  deps: AppDependencies,
  repositories: Repositories,
  invoice: Invoice,
  asset: Asset,
  address: ChosenAddress,
): Promise<Result<Invoice, AppError>> {
  const rates = deps.rateBook.usable({ sandbox: invoice.sandbox });
  if (rates === null) return err(ratesUnavailable());
  const price = priceIn(asset, pricingOf(invoice), rates);
  if (!price.ok) return price;
  const chosen: Invoice = {
    ...invoice,
    price: price.value,
    initialAsset: invoice.initialAsset ?? asset.key,
    addressTo: address.display,
    permanentAddressId: address.permanentAddressId,
  };
  await repositories.invoices.save(chosen);
  if (address.own) await repositories.addresses.insert({ ...address.own, invoiceId: invoice.id });
  return ok(chosen);
}

export interface ChosenAddress {
  readonly display: string;
  readonly permanentAddressId: string | null;
  readonly own: Omit<IssuedAddress, 'invoiceId'> | null;
}

/** The address an invoice gets in `asset`: of its own, or the permanent one it binds. */
export async function addressFor(
  allocator: AddressAllocator,
  permanent: PermanentAddresses,
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
  const fresh = await allocator.next(asset.family, invoice.sandbox);
  if (fresh === null)
    return err(appError('INVOICE_REJECTED', `No address can be made for ${asset.key} yet.`));
  return ok({ display: fresh.display, permanentAddressId: null, own: issued(fresh, invoice) });
}

/** What the customer may choose from: allowed assets whose minimum the amount reaches. Without a rate none is ruled out yet. */
export function offeredAssets(deps: AppDependencies, invoice: Invoice): readonly Asset[] {
  const rates = deps.rateBook.usable({ sandbox: invoice.sandbox });
  return payableAssets(deps, invoice).filter((asset) => {
    const price = rates === null ? null : priceIn(asset, pricingOf(invoice), rates);
    return price === null || price.ok || price.error.code !== 'INVOICE_REJECTED';
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
  if (invoice.price !== null) {
    return invoice.price.asset === asset.key
      ? null
      : appError('INVOICE_REJECTED', `This invoice is already to be paid in ${invoice.price.asset}.`);
  }
  if (!accepts(invoice, deps.clock.now())) {
    return appError('INVOICE_REJECTED', 'This invoice does not take payments any more.');
  }
  return payableAssets(deps, invoice).includes(asset)
    ? null
    : appError('INVOICE_REJECTED', `This invoice cannot be paid in ${asset.key}.`);
}
