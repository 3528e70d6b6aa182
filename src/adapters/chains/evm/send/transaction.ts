/**
 * EVM transactions as this gateway sends them: the native coin, or ERC-20 `transfer`, and nothing
 * else. They are written without a signature. The signer and replacements read them again, byte for
 * byte.
 */
import { type SigningKey, Transaction } from 'ethers';
import { normalizeEvmAddress } from '../address.ts';
import { readTransferCall, transferCall } from '../contract.ts';

/** Wei per unit of gas (EIP-1559, or the one price of a chain or a transaction from before it). */
export type GasFees =
  | { readonly kind: 'dynamic'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly kind: 'legacy'; readonly gasPrice: bigint };

/** The parts of our transactions that pay somebody. */
export interface EvmPayment {
  readonly chainId: bigint;
  readonly nonce: bigint;
  /** Lower case, as all addresses here. */
  readonly asset: { readonly kind: 'native' } | { readonly kind: 'token'; readonly contract: string };
  readonly recipient: string;
  /** Base units of the asset; zero for a transaction that only uses up its nonce. */
  readonly units: bigint;
}

interface ReadTransaction extends EvmPayment {
  /** The address the transaction goes to: recipient, or token contract. */
  readonly to: string;
  readonly gasLimit: bigint;
  readonly fees: GasFees;
  /**
   * Most wei the network takes for gas. The data fee of an OP-stack chain comes on top: no
   * transaction limits it.
   */
  readonly maxFeeUnits: bigint;
}

export type UnsignedEvmTransaction = ReadTransaction;

export interface SignedEvmTransaction extends ReadTransaction {
  readonly txid: string;
  /** The address whose key signed it. */
  readonly from: string;
}

/** Most wei that one unit of gas can cost. */
export const highestPrice = (fees: GasFees): bigint =>
  fees.kind === 'dynamic' ? fees.maxFeePerGas : fees.gasPrice;

/** The unsigned transaction (EIP-2718; a legacy one with EIP-155's chain id), 0x hex. */
export function writeUnsigned(payment: EvmPayment, gas: { limit: bigint; fees: GasFees }): string {
  const { asset, recipient, units } = payment;
  const { fees } = gas;
  const transaction = Transaction.from({
    chainId: payment.chainId,
    nonce: Number(payment.nonce),
    gasLimit: gas.limit,
    ...(fees.kind === 'dynamic'
      ? { type: 2, maxFeePerGas: fees.maxFeePerGas, maxPriorityFeePerGas: fees.maxPriorityFeePerGas }
      : { type: 0, gasPrice: fees.gasPrice }),
    ...(asset.kind === 'native'
      ? { to: recipient, value: units, data: '0x' }
      : { to: asset.contract, value: 0n, data: transferCall({ to: recipient, units }) }),
  });
  return transaction.unsignedSerialized;
}

/**
 * What an unsigned transaction says; null for anything that `writeUnsigned` does not write: another
 * type, a signature, an access list, other call data, value on top of a token transfer, no chain
 * id, bytes left over.
 */
export function readUnsigned(payload: string): UnsignedEvmTransaction | null {
  const transaction = parsedUnsigned(payload);
  return transaction === null ? null : contentOf(transaction);
}

/** The signed bytes of a payload that readUnsigned reads, and their hash; throws for another. */
export function signUnsigned(payload: string, key: SigningKey): { raw: string; txid: string } {
  const transaction = parsedUnsigned(payload);
  if (transaction === null || contentOf(transaction) === null)
    throw new Error('a payload to be signed cannot be read');
  transaction.signature = key.sign(transaction.unsignedHash);
  const { serialized: raw, hash: txid } = transaction;
  if (txid === null) throw new Error('a signed transaction has no hash');
  return { raw, txid };
}

/** Like readUnsigned, for a signed transaction. */
export function readSigned(raw: string): SignedEvmTransaction | null {
  const transaction = parsed(raw);
  if (transaction === null || transaction.signature === null) return null;
  if (transaction.serialized !== raw.toLowerCase()) return null;
  const content = contentOf(transaction);
  const { from, hash } = transaction;
  if (content === null || from === null || hash === null) return null;
  return { ...content, from: from.toLowerCase(), txid: hash };
}

/**
 * Signed bytes of our own storage. Throws when they are no transaction of ours, which means that
 * the storage is damaged.
 */
export function storedTransaction(raw: string): SignedEvmTransaction {
  const transaction = readSigned(raw);
  if (transaction === null) throw new Error('the stored bytes are no transaction that this gateway signs');
  return transaction;
}

/** Only a transaction's single canonical encoding is read, so what is checked is what is signed. */
function parsedUnsigned(payload: string): Transaction | null {
  const transaction = parsed(payload);
  if (transaction === null || transaction.signature !== null) return null;
  try {
    // Writing checks more than reading does: for example that no tip is above the highest price.
    return transaction.unsignedSerialized === payload ? transaction : null;
  } catch {
    return null;
  }
}

function parsed(hex: string): Transaction | null {
  try {
    return Transaction.from(hex);
  } catch {
    return null;
  }
}

function contentOf(transaction: Transaction): ReadTransaction | null {
  const fees = feesOf(transaction);
  const to = transaction.to === null ? null : normalizeEvmAddress(transaction.to);
  if (fees === null || to === null || transaction.chainId === 0n) return null;
  const payment = paymentOf(transaction, to);
  if (payment === null) return null;
  const { chainId, gasLimit } = transaction;
  return {
    chainId,
    nonce: BigInt(transaction.nonce),
    to,
    ...payment,
    gasLimit,
    fees,
    maxFeeUnits: gasLimit * highestPrice(fees),
  };
}

function feesOf(transaction: Transaction): GasFees | null {
  const { type, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  if (type === 0 && gasPrice !== null) return { kind: 'legacy', gasPrice };
  if (type !== 2 || maxFeePerGas === null || maxPriorityFeePerGas === null) return null;
  if ((transaction.accessList ?? []).length > 0) return null;
  return { kind: 'dynamic', maxFeePerGas, maxPriorityFeePerGas };
}

function paymentOf(
  { data, value }: Transaction,
  to: string,
): Pick<EvmPayment, 'asset' | 'recipient' | 'units'> | null {
  if (data === '0x') return { asset: { kind: 'native' }, recipient: to, units: value };
  const call = readTransferCall(data);
  if (call === null || value !== 0n) return null;
  return { asset: { kind: 'token', contract: to }, recipient: call.to, units: call.units };
}
