/**
 * Holds the keys and signs. It believes nobody: the payload is read again and must say what the order says, and the order
 * what the signer's own policy allows. Only a worker, or the signer's own process, has one; the API role has none.
 */
import type { OutgoingPurpose } from '../domain/outgoing.ts';

export interface Signer {
  /**
   * Signs `payload` (ChainSender.prepare) with the wallet's key. Rejects with SigningRefused when payload, order and policy
   * do not agree, and with SignerUnavailable when the signer cannot be reached: nothing is known to be signed then.
   */
  sign(order: SigningOrder): Promise<{ readonly raw: string; readonly txid: string }>;
  close(): Promise<void>;
}

/** Which key: the hot wallet of the family, or the deposit address of a derivation index. */
export type WalletKey = { readonly role: 'hot' } | { readonly role: 'deposit'; readonly index: number };

export interface SigningOrder {
  readonly transferId: string;
  readonly chain: string;
  readonly key: WalletKey;
  /** Address of `key`. */
  readonly wallet: string;
  readonly sequence: bigint;
  readonly purpose: OutgoingPurpose;
  /** Payout id for payouts and refunds. */
  readonly referenceId: string;
  readonly asset: string;
  readonly to: string;
  /** Key of `to` where that is a wallet of ours: needed for top-ups, which go to deposit addresses only. */
  readonly toKey: WalletKey | null;
  readonly units: bigint;
  readonly voids: boolean;
  readonly payload: string;
}

/** The signer will not sign this order as long as its policy and the payout are what they are. */
export class SigningRefused extends Error {
  override readonly name = 'SigningRefused';
  /**
   * False when something that passes stands in the way (a halt, the limit of a day, a fee over the ceiling, a held payout):
   * the same order may be signed later, so nobody should give the payment up for it.
   */
  readonly lasting: boolean;
  constructor(message: string, { lasting = true }: { lasting?: boolean } = {}) {
    super(message);
    this.lasting = lasting;
  }
}

/** The signer cannot be reached or did not answer in time: try again later. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable';
}
