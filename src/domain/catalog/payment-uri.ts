/** What a customer's wallet scans: a payment request that carries address, chain and amount where the family has a standard for it. */

import { formatUnits } from '../money/decimal.ts';
import type { Asset } from './asset.ts';
import { chainNamed } from './chain.ts';

type PaidAsset = Pick<Asset, 'chain' | 'contract' | 'decimals'>;
interface Payment {
  readonly address: string;
  /** Base units of the asset. */
  readonly units: bigint;
  /** The parts of the address, where it has some (XRP). */
  readonly parts?: { readonly account: string; readonly tag: number | null } | null;
  /** Of the chain's network (EIP-155). Default, and where it is null: of the main one. */
  readonly chainId?: number | null;
}

/**
 * EIP-681 for evm: `ethereum:<address>@<chain id>?value=<wei>`, or a token's transfer call. BIP-21 for bitcoin and litecoin,
 * the same with cashaddr's own prefix as the scheme for bitcoincash, Monero's scheme, Solana Pay's transfer request, and XRP's
 * `ripple:<account>?amount=&dt=<tag>`, which wallets read that know no X-address; their amounts are whole coins as a plain
 * decimal. TON's scheme has amounts in base units, and names a jetton by its master contract. Other families answer the
 * plain address, which every wallet reads.
 */
export function paymentUri(asset: PaidAsset, payment: Payment): string {
  const { family, chainId } = chainNamed(asset.chain);
  const coins = formatUnits(payment.units, asset.decimals);
  switch (family) {
    case 'evm':
      return evmUri(asset, { ...payment, chainId: payment.chainId ?? chainId });
    case 'bitcoin':
    case 'litecoin':
      return `${family}:${payment.address}?amount=${coins}`;
    case 'bitcoincash':
      return `${payment.address}?amount=${coins}`;
    case 'monero':
      return `monero:${payment.address}?tx_amount=${coins}`;
    case 'ton': {
      const jetton = asset.contract === null ? '' : `&jetton=${asset.contract}`;
      return `ton://transfer/${payment.address}?amount=${payment.units}${jetton}`;
    }
    case 'solana':
      return `solana:${payment.address}?amount=${coins}${tokenOf(asset)}`;
    case 'xrp':
      return xrpUri(payment, coins);
    default:
      return payment.address;
  }
}

/** The mint of a token; the recipient stays its owner (Solana Pay, "SPL Token"). */
const tokenOf = ({ contract }: PaidAsset): string => (contract === null ? '' : `&spl-token=${contract}`);

/** Without the tag the money would be nobody's: an address that has none is left as it is. */
function xrpUri({ address, parts = null }: Payment, coins: string): string {
  if (parts === null || parts.tag === null) return address;
  return `ripple:${parts.account}?amount=${coins}&dt=${parts.tag}`;
}

function evmUri({ contract }: PaidAsset, { address, units, chainId }: Payment): string {
  return contract === null
    ? `ethereum:${address}@${chainId}?value=${units}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${units}`;
}
