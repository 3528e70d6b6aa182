/** What a customer's wallet scans, in the form that its family reads (payment-uris.ts). */

import { formatUnits } from '../money/decimal.ts';
import type { Asset } from './asset.ts';
import { chainNamed } from './chain.ts';
import { FAMILY_ROWS } from './family.ts';
import type { PaymentRequest } from './family-facts.ts';

type PaidAsset = Pick<Asset, 'chain' | 'contract' | 'decimals'>;
type UriPayment = Pick<PaymentRequest, 'address' | 'units'> & {
  /** Default: none. */
  readonly parts?: PaymentRequest['parts'];
  /** Of the chain's network. Default, and where it is null: of the main one. */
  readonly chainId?: number | null;
};

export function paymentUri(asset: PaidAsset, payment: UriPayment): string {
  const { address, units, parts = null } = payment;
  const { family, chainId } = chainNamed(asset.chain);
  return FAMILY_ROWS[family].paymentUri({
    address,
    units,
    coins: formatUnits(units, asset.decimals),
    contract: asset.contract,
    chainId: payment.chainId ?? chainId,
    parts,
  });
}
