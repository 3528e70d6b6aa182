/** What a customer's wallet scans: a payment request that carries address, chain and amount where the family has a standard for it. */
import type { Asset } from './asset.ts';
import { chainNamed } from './chain.ts';

/**
 * EIP-681 for evm: `ethereum:<address>@<chain id>?value=<wei>`, or a token's transfer call. Other families answer the plain
 * address, which every wallet reads. `units` are base units of the asset.
 */
export function paymentUri(
  asset: Pick<Asset, 'chain' | 'contract'>,
  payment: { readonly address: string; readonly units: bigint },
): string {
  const { chainId } = chainNamed(asset.chain);
  if (chainId === null) return payment.address;
  return asset.contract === null
    ? `ethereum:${payment.address}@${chainId}?value=${payment.units}`
    : `ethereum:${asset.contract}@${chainId}/transfer?address=${payment.address}&uint256=${payment.units}`;
}
