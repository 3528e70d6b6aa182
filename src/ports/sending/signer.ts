/**
 * Holds the keys and signs. It trusts nobody: it decodes the payload, which must do what the order
 * says, and the order must be what the signer's own policy allows. Only a worker or the signer's
 * own process has one; the API role has none.
 */
import type { OutgoingPurpose } from '../../domain/sending/outgoing-purpose.ts';
import type { IndexRange } from '../chains/address-deriver.ts';
import type { Delegation } from './energy-delegation.ts';

export interface Signer {
  /**
   * Signs `payload` (ChainSender.prepare) with the wallet's key. Rejects with SigningRefused when
   * payload, order and policy disagree, and with SignerUnavailable when the signer cannot be
   * reached: then nobody knows whether anything was signed.
   *
   * Where nonces are independent and transactions expire, two of one nonce could both be mined. So
   * if one was signed before that `replaces` does not name, that one is returned again instead of a
   * new one. Its caller lost it: it died before it stored it, or its database is older.
   */
  sign(order: SigningOrder): Promise<Signed>;
  /**
   * Normalized deposit addresses, in order, of a family without public derivation
   * (ports/chains/address-pool.ts). Rejects with SigningRefused for a family without keys here, for
   * impossible indexes, and for too many.
   */
  addresses(wanted: DerivedRange): Promise<readonly string[]>;
  /**
   * Where the signer's policy lets forwards of the asset go, as it is written there; null where it
   * names no address. Rejects with SigningRefused while the policy cannot be used, and with
   * SignerUnavailable.
   */
  coldAddress(of: ColdAsset): Promise<string | null>;
  close(): Promise<void>;
}

export interface Signed {
  readonly raw: string;
  readonly txid: string;
  /**
   * Set if an earlier signature is returned again: its limits, which may differ from the payload's.
   */
  readonly again?: SignedLimits;
}

export interface SignedLimits {
  readonly validUntil: bigint;
  readonly maxFeeUnits: bigint;
}

export interface ColdAsset {
  readonly chain: string;
  readonly asset: string;
}

/** At most DERIVED_AT_ONCE indexes of a family. */
export interface DerivedRange extends IndexRange {
  readonly family: string;
}

export const DERIVED_AT_ONCE = 256;

/**
 * A key: the family's hot wallet, the deposit address of a derivation index, or (UTXO chains) the
 * change address of a transaction, whose index is its nonce + 1.
 */
export type WalletKey =
  | { readonly role: 'hot' }
  | { readonly role: 'deposit' | 'change'; readonly index: number };

/** One transaction to sign, whatever it pays. */
export interface SigningOrder {
  readonly chain: string;
  readonly key: WalletKey;
  /** Address of `key`. */
  readonly wallet: string;
  readonly nonce: bigint;
  readonly purpose: OutgoingPurpose;
  readonly asset: string;
  /** At least one. */
  readonly payments: readonly SigningPayment[];
  /** UTXO chains: exactly what the payload spends, in this order; empty elsewhere. */
  readonly inputs: readonly SigningInput[];
  readonly voids: boolean;
  /** The hot wallet, if it pays the fee of a sweep and signs too; otherwise null. */
  readonly feePayer: string | null;
  readonly payload: string;
  /** UnsignedTransaction.validUntil. */
  readonly validUntil: bigint | null;
  /** Txid of the newest stored transaction of the nonce; null before the first. */
  readonly replaces: string | null;
  /** SendingOrder.delegates. */
  readonly delegates?: Delegation;
}

export interface SigningPayment {
  readonly transferId: string;
  /** Payout id for payouts and refunds. */
  readonly referenceId: string;
  readonly to: string;
  /** Key of `to` if it is our own wallet; null for payouts and forwards. */
  readonly toKey: WalletKey | null;
  readonly units: bigint;
}

export interface SigningInput {
  readonly txid: string;
  readonly vout: number;
  readonly key: WalletKey;
  readonly units: bigint;
}

/** The signer does not sign this order. */
export class SigningRefused extends Error {
  override readonly name = 'SigningRefused';
  /**
   * False if the reason will pass (signing is stopped, the daily limit, a fee above the ceiling, a
   * held payout): the same order may be signed later, so the payment must not be given up.
   */
  readonly lasting: boolean;
  /** The transfer of the payment to blame; null when it is the whole order. */
  readonly transferId: string | null;
  /**
   * Set if the nonce was signed for something else: the wallet's first nonce after all signed ones.
   */
  readonly unusedFrom: bigint | null;
  /** `fee`: it may cost more than the policy allows. */
  readonly because: 'fee' | null;
  constructor(
    message: string,
    why: Partial<Pick<SigningRefused, 'lasting' | 'transferId' | 'unusedFrom' | 'because'>> = {},
  ) {
    super(message);
    this.lasting = why.lasting ?? true;
    this.transferId = why.transferId ?? null;
    this.unusedFrom = why.unusedFrom ?? null;
    this.because = why.because ?? null;
  }
}

/** The signer is unreachable or too slow: try again later. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable';
}
