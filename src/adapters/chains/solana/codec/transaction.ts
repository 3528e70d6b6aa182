/**
 * The transactions that we sign, as text and as what they say. A payment is one of the coin, or of a token: then the recipient's
 * associated account is made where it lacks, unless nobody pays for that, and a sweep that takes all ends the emptied account. Nothing
 * else is ever written, and nothing else is read: what is read is written again, and must be the same to the last byte.
 */
import { Message, PublicKey, type TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import { addressText } from '../address.ts';
import { associatedAccount, type TokenOf } from '../programs.ts';
import {
  closeAccount,
  computeBudget,
  createAssociated,
  transferChecked,
  transferLamports,
} from './instructions.ts';
import type { SolanaPayment } from './payment.ts';
import { contentOf } from './read-instructions.ts';

export interface UnsignedSolanaTransaction extends SolanaPayment {
  readonly blockhash: string;
  /** Lamports that the network takes for signatures and priority. Rent of an account that is made comes on top. */
  readonly feeUnits: bigint;
}

export interface SignedSolanaTransaction extends UnsignedSolanaTransaction {
  readonly txid: string;
}

/** Whether a wallet's owner is paid by it. */
export function paysTo(
  { recipient, token, creates }: Pick<SolanaPayment, 'recipient' | 'token' | 'creates'>,
  wallet: string,
): boolean {
  return recipient === (token === null || creates ? wallet : associatedAccount(wallet, token));
}

/** The account that a payment of a token goes to. */
export function tokenAccountOf(
  { recipient, creates }: Pick<SolanaPayment, 'recipient' | 'creates'>,
  token: TokenOf,
): string {
  return creates ? associatedAccount(recipient, token) : recipient;
}

export const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO_LAMPORTS = 1_000_000n;
const SIGNATURE_BYTES = 64;

/**
 * Two payments of one amount to one recipient with one blockhash would be one and the same transaction, which pays once. So the
 * nonce is part of it: in the limit of loaded data, far above what a payment loads and below the network's most (64 MiB).
 */
const LOADED_BYTES_BASE = 2 ** 24;
const TAGS = 2n ** 25n;
export const tagOf = (nonce: bigint): number => Number(nonce % TAGS);

export function feeOf(
  payment: Pick<SolanaPayment, 'feePayer' | 'wallet' | 'unitLimit' | 'unitPrice'>,
): bigint {
  const { unitLimit, unitPrice } = payment;
  const signatures = signersOf(payment).length;
  return LAMPORTS_PER_SIGNATURE * BigInt(signatures) + priorityFee(unitLimit, unitPrice);
}

/** Rounded up, as the runtime does. */
export function priorityFee(unitLimit: number, unitPrice: bigint): bigint {
  return (BigInt(unitLimit) * unitPrice + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

/** Who signs, in the order of the signatures. */
export function signersOf({
  feePayer,
  wallet,
}: Pick<SolanaPayment, 'feePayer' | 'wallet'>): readonly string[] {
  return feePayer === wallet ? [wallet] : [feePayer, wallet];
}

/** The unsigned message, base64. */
export function writeUnsigned(payment: SolanaPayment, blockhash: string): string {
  const message = new TransactionMessage({
    payerKey: new PublicKey(payment.feePayer),
    recentBlockhash: blockhash,
    instructions: instructionsOf(payment),
  }).compileToLegacyMessage();
  return Buffer.from(message.serialize()).toString('base64');
}

function instructionsOf(payment: SolanaPayment): TransactionInstruction[] {
  const { feePayer, wallet, recipient, units, token, creates, closes, tag, unitLimit, unitPrice } = payment;
  const budget = computeBudget({ unitLimit, unitPrice, loadedBytes: LOADED_BYTES_BASE + tag });
  if (token === null) return [...budget, transferLamports({ from: wallet, to: recipient, lamports: units })];
  const from = associatedAccount(wallet, token);
  const to = tokenAccountOf(payment, token);
  const { program, decimals } = token;
  return [
    ...budget,
    ...(creates ? [createAssociated({ payer: feePayer, owner: recipient, token })] : []),
    transferChecked({ from, to, owner: wallet, token, units, decimals }),
    ...(closes ? [closeAccount({ account: from, to: feePayer, owner: wallet, program })] : []),
  ];
}

/** What an unsigned message says; null when it is anything but one that `writeUnsigned` writes. */
export function readUnsigned(payload: string): UnsignedSolanaTransaction | null {
  const message = messageOf(Buffer.from(payload, 'base64'));
  const content = message === null ? null : contentOf(message);
  if (message === null || content === null) return null;
  const { loadedBytes, ...payment } = content;
  const said = { ...payment, tag: loadedBytes - LOADED_BYTES_BASE };
  const { recentBlockhash: blockhash } = message;
  if (!(said.tag >= 0 && said.tag < Number(TAGS)) || !writesSame(said, blockhash, payload)) return null;
  return { ...said, blockhash, feeUnits: feeOf(said) };
}

function messageOf(bytes: Buffer): Message | null {
  try {
    return Message.from(bytes);
  } catch {
    return null;
  }
}

function writesSame(payment: SolanaPayment, blockhash: string, payload: string): boolean {
  try {
    return writeUnsigned(payment, blockhash) === payload;
  } catch {
    return false;
  }
}

/** The wire form, base64, with the signatures of `signersOf`, and its id. */
export function writeSigned(
  payload: string,
  signatures: readonly Uint8Array[],
): { readonly raw: string; readonly txid: string } {
  const [first] = signatures;
  if (first === undefined) throw new Error('a transaction has a signature');
  const bytes = Buffer.concat([Buffer.of(signatures.length), ...signatures, Buffer.from(payload, 'base64')]);
  return { raw: bytes.toString('base64'), txid: addressText(first) };
}

/** As readUnsigned, for a signed one. Signatures are not checked: these are bytes of our own storage. */
function readSigned(raw: string): SignedSolanaTransaction | null {
  const bytes = Buffer.from(raw, 'base64');
  const signatures = bytes[0] ?? 0;
  const unsigned = readUnsigned(bytes.subarray(1 + signatures * SIGNATURE_BYTES).toString('base64'));
  if (unsigned === null || signatures !== signersOf(unsigned).length) return null;
  return { ...unsigned, txid: addressText(bytes.subarray(1, 1 + SIGNATURE_BYTES)) };
}

/** Signed bytes of our own storage; throws when they are no transaction of ours, which only damage explains. */
export function storedTransaction(raw: string): SignedSolanaTransaction {
  const transaction = readSigned(raw);
  if (transaction === null) throw new Error('the stored bytes are no transaction that this gateway signs');
  return transaction;
}
