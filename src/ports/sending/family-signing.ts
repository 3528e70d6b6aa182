/**
 * What a family of chains brings to signing: the addresses of our private keys, the reading of what is to be signed, and the
 * signature itself. It knows no policy and keeps no state; the keystore signer decides.
 */
import type { SigningOrder, WalletKey } from './signer.ts';

export interface FamilySigning {
  /** Whether `check` knows loans (SigningOrder.lends); no order of another family may be one. */
  readonly delegates?: true;
  /** The form in which addresses are compared (AddressDeriver.normalize); null when it is no address of the family. */
  normalize(address: string): string | null;
  /** Normalized address of one of our keys. Throws RangeError for an index that there cannot be. */
  addressOf(key: WalletKey): Promise<string>;
  /**
   * Reads the payload and holds every field of it against the order. Throws SigningRefused, with a reason that does not
   * repeat the payload, unless it does exactly what the order says. Answers the most native base units it can cost.
   */
  check(order: SigningOrder, terms: SigningTerms): Promise<{ readonly maxFeeUnits: bigint }>;
  /**
   * Only where nonces are free (SendingCapabilities): until when the network may still take what is signed for the order at `at`, with
   * a margin for clocks that differ. No other transaction of the nonce is signed sooner, whoever says that the first is dead.
   */
  aliveUntil?(order: SigningOrder, at: Date): Date;
  /** Signs the payload with the order's key, unchecked: the same order gives the same bytes. */
  sign(order: SigningOrder): Promise<{ readonly raw: string; readonly txid: string }>;
}

/** What the signer knows of the order's chain and asset from its own configuration. */
export interface SigningTerms {
  /** EIP-155 chain id; null outside evm. */
  readonly chainId: number | null;
  /** The asset's contract; null for the chain's own coin. */
  readonly contract: string | null;
  readonly decimals: number;
}
