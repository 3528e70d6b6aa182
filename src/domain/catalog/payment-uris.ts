/**
 * Payment requests for wallets to scan, with address, chain and amount where a standard exists.
 * Amounts are whole coins as a plain decimal unless stated otherwise.
 */
import type { PaymentRequest } from './family-facts.ts';

/** Where there is no standard: every wallet reads the plain address. */
export const plainAddress = ({ address }: PaymentRequest): string => address;

/** EIP-681: `ethereum:<address>@<chain id>?value=<wei>`, or a token's transfer call. */
export function ethereumUri({ contract, address, units, chainId }: PaymentRequest): string {
  return contract === null
    ? `ethereum:${address}@${chainId}?value=${units}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${units}`;
}

/** BIP-21. */
export const bip21Uri =
  (scheme: string) =>
  ({ address, coins }: PaymentRequest): string =>
    `${scheme}:${address}?amount=${coins}`;

/** BIP-21 with cashaddr's own prefix, which the address has, as the scheme. */
export const cashaddrUri = ({ address, coins }: PaymentRequest): string => `${address}?amount=${coins}`;

/** Monero's own scheme. */
export const moneroUri = ({ address, coins }: PaymentRequest): string =>
  `monero:${address}?tx_amount=${coins}`;

/**
 * Solana Pay's transfer request, with the mint of a token; the recipient stays its owner ("SPL
 * Token").
 */
export function solanaUri({ address, coins, contract }: PaymentRequest): string {
  const token = contract === null ? '' : `&spl-token=${contract}`;
  return `solana:${address}?amount=${coins}${token}`;
}

/** TON's scheme, with amounts in base units; a jetton is named by its master contract. */
export function tonUri({ address, units, contract }: PaymentRequest): string {
  const jetton = contract === null ? '' : `&jetton=${contract}`;
  return `ton://transfer/${address}?amount=${units}${jetton}`;
}

/**
 * `ripple:<account>?amount=&dt=<tag>`, for wallets that do not know X-addresses. An address without
 * a tag stays as it is, because a payment without a tag would belong to nobody.
 */
export function rippleUri({ address, coins, parts }: PaymentRequest): string {
  if (parts === null || parts.tag === null) return address;
  return `ripple:${parts.account}?amount=${coins}&dt=${parts.tag}`;
}
