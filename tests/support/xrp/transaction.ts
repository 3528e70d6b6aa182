/**
 * Signed transactions as the test network takes them: the real codec, and signatures checked by
 * @noble, which is not the library that signs. What the network does not model is refused as
 * temUNKNOWN.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { decode, encode, encodeAccountID, encodeForSigning } from 'xrpl';
import type { Amount } from './issued.ts';

export interface SubmittedTransaction {
  readonly TransactionType: string;
  readonly Account: string;
  readonly Fee: string;
  readonly Sequence: number;
  readonly LastLedgerSequence?: number;
  readonly Flags?: number;
  readonly Destination?: string;
  readonly DestinationTag?: number;
  readonly Amount?: Amount;
  readonly SendMax?: Amount;
  readonly DeliverMin?: Amount;
  readonly SetFlag?: number;
  readonly ClearFlag?: number;
  readonly LimitAmount?: Exclude<Amount, string>;
  readonly TakerGets?: Amount;
  readonly TakerPays?: Amount;
  readonly CheckID?: string;
  readonly Owner?: string;
  readonly OfferSequence?: number;
  readonly FinishAfter?: number;
  readonly SigningPubKey: string;
  readonly TxnSignature: string;
}

export interface Submitted {
  readonly txid: string;
  readonly blob: string;
  readonly tx: SubmittedTransaction;
}

const half = (data: Uint8Array): Uint8Array => sha512(data).subarray(0, 32);
export const sha512Half = (hex: string): string =>
  Buffer.from(half(Buffer.from(hex, 'hex')))
    .toString('hex')
    .toUpperCase();

/** Null when the bytes are no transaction in the one encoding that it has. */
export function readBlob(blob: string): Submitted | null {
  try {
    const tx = decode(blob) as unknown as SubmittedTransaction;
    if (encode(tx as never) !== blob.toUpperCase()) return null;
    return { tx, blob: blob.toUpperCase(), txid: sha512Half(`54584E00${blob}`) };
  } catch {
    return null;
  }
}

const verified = new WeakMap<SubmittedTransaction, boolean>();

/**
 * Whether the account's own key signed it; told once for each, since ledgers are built over and
 * over.
 */
export function isSigned(tx: SubmittedTransaction): boolean {
  const known = verified.get(tx);
  if (known !== undefined) return known;
  const signed = hasSignature(tx);
  verified.set(tx, signed);
  return signed;
}

function hasSignature(tx: SubmittedTransaction): boolean {
  const { SigningPubKey: key, TxnSignature: signature, Account } = tx;
  if (!key || !signature) return false;
  const keyBytes = Buffer.from(key, 'hex');
  if (encodeAccountID(ripemd160(sha256(keyBytes)) as never) !== Account) return false;
  const message = Buffer.from(encodeForSigning(tx as never), 'hex');
  const bytes = Buffer.from(signature, 'hex');
  try {
    return key.startsWith('ED')
      ? ed25519.verify(bytes, message, keyBytes.subarray(1))
      : secp256k1.verify(bytes, half(message), keyBytes, { prehash: false, format: 'der', lowS: true });
  } catch {
    return false;
  }
}
