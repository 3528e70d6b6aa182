/**
 * Where a payout or refund may go: an address of the asset's chain, and not one of the gateway's
 * own.
 */
import { hasAddressShape, isNobodys, whyOutOfReach } from '../../domain/catalog/address-shape.ts';
import type { Asset } from '../../domain/catalog/asset.ts';
import { type AppError, payoutRejected } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { AddressDeriver } from '../../ports/chains/address-deriver.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';

type Needs = Pick<AppDependencies, 'liveDerivers'>;

/** Monero, for example, has no sender: a payout in it would wait for ever. */
export function cannotSend(
  { sendingChains }: Pick<AppDependencies, 'sendingChains'>,
  { chain }: Asset,
  sandbox: boolean,
): AppError | null {
  return sandbox || sendingChains.has(chain)
    ? null
    : payoutRejected('chain_not_sent_on', `This gateway cannot send on ${chain}.`);
}

/**
 * Returns the normalized address: of the asset's chain and its configured network, and not the hot
 * wallet. The database has the gateway's other addresses under the normalized text, so no spelling
 * hides one. The sandbox sends nothing, and accepts the hot wallet like any address, so that it
 * does not reveal which addresses are the gateway's (safety.md W5).
 */
export function destinationOf(
  deps: Needs,
  asset: Asset,
  { address, sandbox }: { readonly address: string; readonly sandbox: boolean },
): Result<string, AppError> {
  const deriver = deps.liveDerivers.get(asset.family);
  const normalized = deriver ? deriver.normalize(address) : shapedAddress(asset, address);
  if (normalized === null || isNobodys(asset.family, normalized)) {
    return err(payoutRejected('invalid_address', `The address is not a valid ${asset.chain} address.`));
  }
  const outOfReach = whyOutOfReach(asset.family, normalized);
  if (outOfReach !== null) return err(payoutRejected('invalid_address', outOfReach));
  if (sandbox) return ok(normalized);
  const hotWallet = deriver?.hotWallet() ?? null;
  const own = hotWallet !== null && deriver !== undefined && isOf(deriver, normalized, hotWallet);
  return own ? err(ownAddress()) : ok(normalized);
}

/** On XRP any destination tag of our account counts, issued or not. */
function isOf(deriver: AddressDeriver, normalized: string, hotWallet: string): boolean {
  if (!deriver.parts) return normalized === deriver.normalize(hotWallet);
  return deriver.parts(normalized)?.account === deriver.parts(hotWallet)?.account;
}

function shapedAddress({ family }: Asset, address: string): string | null {
  return hasAddressShape(family, address) ? address : null;
}

export function ownAddress(): AppError {
  return payoutRejected('own_address', 'The address belongs to this gateway. Payouts to it are refused.');
}

/**
 * As destinationOf for real money. Also refuses issued deposit addresses and our change addresses.
 * Null if the address may be paid.
 */
export async function refusedDestination(
  deps: Needs,
  repositories: Repositories,
  asset: Asset,
  address: string,
): Promise<AppError | null> {
  const normalized = destinationOf(deps, asset, { address, sandbox: false });
  if (!normalized.ok) return normalized.error;
  return (await repositories.addresses.isOurs(asset.family, normalized.value)) ? ownAddress() : null;
}
