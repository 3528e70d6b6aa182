/**
 * The address for a choice: the invoice's own in that family, a new one, or its permanent one. An
 * address whose owner changed on the chain is never returned: a payment there may go to somebody
 * else (safety.md T5).
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { isPermanentFamily } from '../../domain/catalog/family.ts';
import type { AppError } from '../../domain/errors.ts';
import { choicesOf } from '../../domain/invoices/invoice-choice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { ok, type Result } from '../../domain/result.ts';
import type { IssuedAddress } from '../../ports/invoices/address-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { AddressAllocator, FreshAddress } from './addresses/address-allocator.ts';
import { isFrozen } from './frozen-address.ts';
import type { PermanentAddresses } from './permanent-addresses.ts';

/** Allocates and finds addresses, both outside of transactions. */
export interface AddressSources {
  readonly allocator: AddressAllocator;
  readonly permanent: PermanentAddresses;
}

export interface ChosenAddress {
  readonly display: string;
  readonly permanentAddressId: string | null;
  /** To store with the choice; null if the address is stored already. */
  readonly fresh: FreshAddress | null;
}

type Needs = Pick<AppDependencies, 'catalog' | 'liveDerivers' | 'unitOfWork'>;

export async function addressFor(
  deps: Needs,
  { allocator, permanent }: AddressSources,
  invoice: Invoice,
  asset: Asset,
): Promise<Result<ChosenAddress, AppError>> {
  const { merchantId, sandbox, userId, webhookFormat } = invoice;
  if (invoice.bindsPermanentAddress) {
    if (!isPermanentFamily(asset.family) || userId === null)
      throw new Error('not an asset of a permanent address');
    const found = await permanent.getOrCreate(
      { merchantId, sandbox },
      { userId, family: asset.family, notifyUrl: null, webhookFormat, metadata: null },
    );
    if (!found.ok) return found;
    const { id, address } = found.value;
    return ok({ display: address, permanentAddressId: id, fresh: null });
  }
  const had = ownAddress(deps, invoice, asset);
  const frozen =
    had !== null &&
    (await deps.unitOfWork.run((repositories) => isFrozen(deps, repositories, placeOf(asset), had)));
  if (had !== null && !frozen) return ok({ display: had, permanentAddressId: null, fresh: null });
  const fresh = await allocator.next(asset.family, sandbox);
  // An asset is payable only if its family has a deriver (asset-access.ts).
  if (fresh === null) throw new Error(`no address can be made for ${asset.key}`);
  return ok({ display: fresh.display, permanentAddressId: null, fresh });
}

/**
 * Returns the address of a refused choice, or of one that used another address, to the pool: some
 * families have few.
 */
export function returnUnused(
  { allocator }: AddressSources,
  { display, fresh }: ChosenAddress,
  done: Result<Invoice, AppError>,
): void {
  if (fresh !== null && !(done.ok && done.value.addressTo === display)) allocator.giveBack(fresh);
}

/**
 * The invoice's earlier address in the asset's family; never a permanent one, which may have been
 * replaced since.
 */
export function ownAddress(
  { catalog }: Pick<Needs, 'catalog'>,
  invoice: Invoice,
  asset: Asset,
): string | null {
  if (invoice.bindsPermanentAddress) return null;
  const had = choicesOf(invoice).find(({ price }) => catalog.require(price.asset).family === asset.family);
  return had?.addressTo ?? null;
}

/**
 * Whether payments to the invoice's present address are no longer taken: its permanent address was
 * deactivated or is frozen.
 */
export async function isAddressGone(
  deps: Needs,
  repositories: Repositories,
  { price, addressTo, permanentAddressId }: Invoice,
): Promise<boolean> {
  if (price === null || addressTo === null) return false;
  if (permanentAddressId !== null) {
    const permanent = await repositories.permanentAddresses.find(permanentAddressId);
    if (!permanent?.active) return true;
  }
  return isFrozen(deps, repositories, placeOf(deps.catalog.require(price.asset)), addressTo);
}

/** The chains on which the address of a choice must not be frozen. */
export const placeOf = ({ family, chain }: Asset) => ({ family, chains: [chain] });

export function issued(
  fresh: FreshAddress,
  { id, merchantId, sandbox }: Invoice,
  issuedAt: Date,
): IssuedAddress {
  return {
    family: fresh.family,
    address: fresh.normalized,
    deriver: fresh.deriver,
    derivationIndex: fresh.derivationIndex,
    merchantId,
    sandbox,
    invoiceId: id,
    permanentAddressId: null,
    issuedAt,
  };
}
