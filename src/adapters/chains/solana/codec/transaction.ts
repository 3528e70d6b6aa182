/**
 * The transactions that we sign, as bytes and as payments. A payment moves the native coin or a
 * token. With a token it creates the recipient's associated account where that is missing and the
 * fee is paid for it, and a sweep of everything closes the emptied account. Nothing else is ever
 * written or read: what was read is written again, and must be the same to the last byte.
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
  /**
   * Lamports that the network takes for signatures and priority. The rent of a created account
   * comes on top.
   */
  readonly feeUnits: bigint;
}

export interface SignedSolanaTransaction extends UnsignedSolanaTransaction {
  readonly txid: string;
}

/** Whether it pays the wallet of this owner. */
export function paysTo(
  { recipient, token, creates }: Pick<SolanaPayment, 'recipient' | 'token' | 'creates'>,
  wallet: string,
): boolean {
  return recipient === (token === null || creates ? wallet : associatedAccount(wallet, token));
}

/** The token account that a token payment goes to. */
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
 * Two payments of one amount to one recipient with one blockhash would be the same transaction,
 * which pays once. So the nonce is part of it: in the limit of loaded data, far above what a
 * payment loads and below the network's maximum (64 MiB).
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

/** The signers, in the order of the signatures. */
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

/** Reads an unsigned message; null for anything that `writeUnsigned` does not write. */
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

/**
 * Like readUnsigned, for a signed transaction. Signatures are not checked: the bytes come from our
 * own storage.
 */
function readSigned(raw: string): SignedSolanaTransaction | null {
  const bytes = Buffer.from(raw, 'base64');
  const signatures = bytes[0] ?? 0;
  const unsigned = readUnsigned(bytes.subarray(1 + signatures * SIGNATURE_BYTES).toString('base64'));
  if (unsigned === null || signatures !== signersOf(unsigned).length) return null;
  return { ...unsigned, txid: addressText(bytes.subarray(1, 1 + SIGNATURE_BYTES)) };
}

/**
 * Signed bytes of our own storage. Throws when they are no transaction of ours, which means that
 * the storage is damaged.
 */
export function storedTransaction(raw: string): SignedSolanaTransaction {
  const transaction = readSigned(raw);
  if (transaction === null) throw new Error('the stored bytes are no transaction that this gateway signs');
  return transaction;
}
