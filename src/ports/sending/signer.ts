/**
 * Holds the keys and signs. It believes nobody: the payload is read again and must say what the order says, and the order
 * what the signer's own policy allows. Only a worker, or the signer's own process, has one; the API role has none.
 */
import type { OutgoingPurpose } from '../../domain/sending/outgoing.ts';
import type { IndexRange } from '../chains/address-deriver.ts';
import type { Delegation } from './energy-delegation.ts';

export interface Signer {
  /**
   * Signs `payload` (ChainSender.prepare) with the wallet's key. Rejects with SigningRefused when payload, order and policy
   * do not agree, and with SignerUnavailable when the signer cannot be reached: nothing is known to be signed then.
   *
   * Where nonces are free, two transactions of one could both be mined: what was signed before under it, and `replaces` does
   * not name, is given out again in place of a new one. Its caller lost it: it died before it stored it, or its database is older.
   */
  sign(order: SigningOrder): Promise<Signed>;
  /**
   * Normalized deposit addresses, in order, of a family of which only private keys derive them (ports/chains/address-pool.ts). Rejects
   * with SigningRefused for a family that it has no keys of, and for indexes that there cannot be or that are too many.
   */
  addresses(wanted: DerivedRange): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Signed {
  readonly raw: string;
  readonly txid: string;
  /** Of what is given out again: its own limits, since it is not the payload of this order. */
  readonly again?: SignedLimits;
}

export interface SignedLimits {
  readonly validUntil: bigint;
  readonly maxFeeUnits: bigint;
}

/** At most DERIVED_AT_ONCE indexes of a family. */
export interface DerivedRange extends IndexRange {
  readonly family: string;
}

export const DERIVED_AT_ONCE = 256;

/**
 * Which key: the hot wallet of the family, the deposit address of a derivation index, or (UTXO chains) the address that
 * takes the change of the wallet's transaction of that nonce: index = nonce + 1.
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
  /** What it spends on a UTXO chain; empty elsewhere. The payload spends these, in this order, and nothing else. */
  readonly inputs: readonly SigningInput[];
  readonly voids: boolean;
  /** Who pays the fee, and signs too, where that is not `wallet`: the hot wallet, for sweeps. */
  readonly feePayer: string | null;
  readonly payload: string;
  /** UnsignedTransaction.validUntil. */
  readonly validUntil: bigint | null;
  /** Txid of the newest transaction of the nonce that is stored; null before the first. */
  readonly replaces: string | null;
  /** SendingOrder.lends. */
  readonly delegates?: Delegation;
}

export interface SigningPayment {
  readonly transferId: string;
  /** Payout id for payouts and refunds. */
  readonly referenceId: string;
  readonly to: string;
  /** Key of `to` where that is a wallet of ours; null for payouts. */
  readonly toKey: WalletKey | null;
  readonly units: bigint;
}

export interface SigningInput {
  readonly txid: string;
  readonly vout: number;
  readonly key: WalletKey;
  readonly units: bigint;
}

/** The signer will not sign this order as long as its policy and the payout are what they are. */
export class SigningRefused extends Error {
  override readonly name = 'SigningRefused';
  /**
   * False when something that passes stands in the way (a halt, the limit of a day, a fee over the ceiling, a held payout):
   * the same order may be signed later, so nobody should give the payment up for it.
   */
  readonly lasting: boolean;
  /** The transfer of the payment to blame; null when it is the whole order. */
  readonly transferId: string | null;
  /** Set where the nonce was signed for something else: the first one that none of the wallet's was signed behind. */
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

/** The signer cannot be reached or did not answer in time: try again later. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable';
}
