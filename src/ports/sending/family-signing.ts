/**
 * A chain family's part of signing: addresses of private keys, decoding and checking of a payload,
 * and the signature. It knows no policy and keeps no state; the keystore signer decides.
 */
import type { SigningOrder, WalletKey } from './signer.ts';

export interface FamilySigning {
  /** Whether `check` knows SigningOrder.delegates; other families refuse such orders. */
  readonly delegates?: true;
  /** The form in which addresses are compared (AddressDeriver.normalize); null if it is none. */
  normalize(address: string): string | null;
  /**
   * The same without the tag of a shared account (XRP). Absent where an address has no tag.
   */
  accountOf?(address: string): string | null;
  /** Normalized address of one of our keys. Throws RangeError for an impossible index. */
  addressOf(key: WalletKey): Promise<string>;
  /**
   * Decodes the payload and compares each field with the order. Throws SigningRefused unless it
   * does exactly what the order says; the reason does not repeat the payload. Returns the most
   * native base units that it can cost.
   */
  check(order: SigningOrder, terms: SigningTerms): Promise<{ readonly maxFeeUnits: bigint }>;
  /**
   * Only where nonces are independent (SendingCapabilities): until when the network may take a
   * transaction that is signed at `at`, with a margin for clock differences. No other transaction
   * of the nonce is signed before then, whatever the caller claims.
   */
  aliveUntil?(order: SigningOrder, at: Date): Date;
  /** Signs the payload with the order's key, unchecked: the same order gives the same bytes. */
  sign(order: SigningOrder): Promise<{ readonly raw: string; readonly txid: string }>;
}

/** The order's chain and asset, from the signer's own configuration. */
export interface SigningTerms {
  /** EIP-155 chain id; null outside evm. */
  readonly chainId: number | null;
  /** The asset's contract; null for the native coin. */
  readonly contract: string | null;
  readonly decimals: number;
}
