/**
 * Transactions of the XRP Ledger as this gateway sends them: a Payment of XRP, and two kinds of
 * AccountSet, one without any setting, and one that makes the account require destination tags.
 * They are written without key and signature. Signer and outcomes read them again, to the last
 * field.
 */
import { decode, encode, hashes, type SubmittableTransaction, verifySignature, Wallet } from 'xrpl';
import { accountOfKey } from '../deriver.ts';
import type { XrpAddress } from './address.ts';
import { dropsOrNull } from './decode.ts';

export interface XrpTransaction {
  /** Classic address of the sender. */
  readonly account: string;
  readonly sequence: number;
  readonly feeDrops: bigint;
  /** LastLedgerSequence: the last ledger that can take it. */
  readonly lastLedger: number;
  readonly content: XrpContent;
}

export type XrpContent =
  | { readonly kind: 'payment'; readonly to: XrpAddress; readonly drops: bigint }
  /** Only uses up the sequence. */
  | { readonly kind: 'void' }
  /** The account requires destination tags from then on. Repeating it has no effect. */
  | { readonly kind: 'require_tags' };

export interface SignedXrpTransaction extends XrpTransaction {
  readonly txid: string;
}

/** asfRequireDest. */
const REQUIRE_DEST = 1;
const UINT32_MAX = 2 ** 32 - 1;

type Fields = Readonly<Record<string, unknown>>;

/** The unsigned transaction in the ledger's binary form, upper-case hex, as all hex here. */
export function writeUnsigned(transaction: XrpTransaction): string {
  return encode(fieldsOf(transaction) as unknown as SubmittableTransaction);
}

/** Reads an unsigned transaction; null for anything that `writeUnsigned` does not write. */
export function readUnsigned(payload: string): XrpTransaction | null {
  const read = contentOf(decoded(payload));
  return read !== null && writeUnsigned(read) === payload ? read : null;
}

/**
 * The signed bytes of a payload that readUnsigned reads, and their hash; throws for another. Both
 * keys as hex.
 */
export function signUnsigned(
  payload: string,
  key: { publicKey: string; privateKey: string },
): { raw: string; txid: string } {
  const transaction = readUnsigned(payload);
  if (transaction === null || accountOfKey(key.publicKey) !== transaction.account)
    throw new Error('a payload to be signed cannot be read, or is of another account');
  const wallet = new Wallet(key.publicKey.toUpperCase(), `00${key.privateKey.toUpperCase()}`);
  const { tx_blob: raw, hash: txid } = wallet.sign(
    fieldsOf(transaction) as unknown as SubmittableTransaction,
  );
  return { raw, txid };
}

/** Like readUnsigned, for a signed transaction, with a valid signature of the account's own key. */
export function readSigned(raw: string): SignedXrpTransaction | null {
  const fields = decoded(raw);
  if (fields === null || typeof fields.SigningPubKey !== 'string') return null;
  const { SigningPubKey, TxnSignature, ...unsigned } = fields;
  const read = contentOf(unsigned);
  if (read === null || typeof TxnSignature !== 'string') return null;
  if (accountOf(SigningPubKey) !== read.account) return null;
  const whole = encode({
    ...fieldsOf(read),
    SigningPubKey,
    TxnSignature,
  } as unknown as SubmittableTransaction);
  if (whole !== raw || !isVerified(raw)) return null;
  return { ...read, txid: hashes.hashSignedTx(raw) };
}

/**
 * Signed bytes of our own storage. Throws when they are no transaction of ours, which means that
 * the storage is damaged.
 */
export function storedTransaction(raw: string): SignedXrpTransaction {
  const transaction = readSigned(raw);
  if (transaction === null) throw new Error('the stored bytes are no transaction that this gateway signs');
  return transaction;
}

function fieldsOf({ account, sequence, feeDrops, lastLedger, content }: XrpTransaction): Fields {
  const common = {
    Account: account,
    Fee: feeDrops.toString(),
    Sequence: sequence,
    LastLedgerSequence: lastLedger,
  };
  if (content.kind === 'void') return { TransactionType: 'AccountSet', ...common };
  if (content.kind === 'require_tags')
    return { TransactionType: 'AccountSet', SetFlag: REQUIRE_DEST, ...common };
  const { to, drops } = content;
  const tag = to.tag === null ? {} : { DestinationTag: to.tag };
  return {
    ...{ TransactionType: 'Payment', Destination: to.account, Amount: drops.toString() },
    ...tag,
    ...common,
  };
}

/** Reads the known fields. Writing the result again proves that there are no others. */
function contentOf(fields: Fields | null): XrpTransaction | null {
  if (fields === null) return null;
  const { Account: account, Sequence: sequence, LastLedgerSequence: lastLedger } = fields;
  const feeDrops = dropsOrNull(fields.Fee);
  if (typeof account !== 'string' || feeDrops === null || !isUint32(sequence) || !isUint32(lastLedger))
    return null;
  const common = { account, sequence, feeDrops, lastLedger };
  if (fields.TransactionType === 'AccountSet')
    return { ...common, content: { kind: fields.SetFlag === undefined ? 'void' : 'require_tags' } };
  const { Destination: destination, DestinationTag: tag = null } = fields;
  const drops = dropsOrNull(fields.Amount);
  if (fields.TransactionType !== 'Payment' || typeof destination !== 'string' || drops === null) return null;
  if (tag !== null && !isUint32(tag)) return null;
  return { ...common, content: { kind: 'payment', to: { account: destination, tag }, drops } };
}

function decoded(hex: string): Fields | null {
  if (!/^(?:[0-9A-F]{2})+$/.test(hex)) return null;
  try {
    return decode(hex) as unknown as Fields;
  } catch {
    return null;
  }
}

/** The library throws for text that is not even shaped like a signature. */
function isVerified(raw: string): boolean {
  try {
    return verifySignature(raw);
  } catch {
    return false;
  }
}

function accountOf(publicKey: string): string | null {
  try {
    return accountOfKey(publicKey);
  } catch {
    return null;
  }
}

const isUint32 = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= UINT32_MAX;
