/**
 * Checks what nodes answer: a value of another shape throws NodeError. Hex text is returned in
 * lower case.
 */
import type { BlockRef } from '../../../ports/chains/chain-scanner.ts';
import { fields, list, unusable } from '../shared/nodes/answers.ts';

export interface NodeTransaction {
  readonly hash: string;
  readonly from: string;
  /** Null when the transaction creates a contract. */
  readonly to: string | null;
  /** Wei. */
  readonly value: bigint;
  /** In full, as the node sent it. Few callers need it. */
  readonly nonce?: unknown;
}

export interface NodeHeader extends BlockRef {
  /** Filter of the block's logs; null where the node does not show it. */
  readonly logsBloom: string | null;
}

export interface NodeBlock extends NodeHeader {
  readonly transactions: readonly NodeTransaction[];
}

export const refOf = ({ height, hash, parentHash, time }: BlockRef): BlockRef => ({
  ...{ height, hash, parentHash, time },
});

export interface NodeReceipt {
  readonly blockHash: string;
  readonly succeeded: boolean;
  /** Wei the sender paid for gas (and for data on an OP-stack chain). */
  readonly feeWei: bigint;
}

export interface FullReceipt extends NodeReceipt {
  readonly height: number;
  readonly logs: readonly NodeLog[];
}

export interface ReceiptLogs {
  readonly txid: string;
  readonly blockHash: string;
  readonly logs: readonly NodeLog[];
}

export interface NodeLog {
  readonly contract: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly txid: string;
  readonly blockHash: string;
  readonly logIndex: number;
}

const LOGS_BLOOM_BYTES = 256;

/** A JSON-RPC quantity: at most 256 bits. */
export function quantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw unusable(what);
  return BigInt(value);
}

export function smallNumber(value: unknown, what: string): number {
  const number = Number(quantity(value, what));
  if (!Number.isSafeInteger(number)) throw unusable(what);
  return number;
}

export function hexBytes(value: unknown, what: string, bytes?: number): string {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value)) throw unusable(what);
  if (bytes !== undefined && value.length !== 2 + 2 * bytes) throw unusable(what);
  return value.toLowerCase();
}

const hash = (value: unknown, what: string): string => hexBytes(value, what, 32);
export const address = (value: unknown, what: string): string => hexBytes(value, what, 20);

/** Header fields of a mined block. */
export function blockRef(value: unknown): BlockRef {
  const block = fields(value, 'block');
  return {
    height: smallNumber(block.number, 'block number'),
    hash: hash(block.hash, 'block hash'),
    parentHash: hash(block.parentHash, 'block parentHash'),
    time: smallNumber(block.timestamp, 'block timestamp'),
  };
}

export function header(value: unknown): NodeHeader {
  const { logsBloom } = fields(value, 'block');
  const filter = logsBloom == null ? null : hexBytes(logsBloom, 'block logsBloom', LOGS_BLOOM_BYTES);
  return { ...blockRef(value), logsBloom: filter };
}

/** A mined block with its transactions in full; each must say that it is in this very block. */
export function fullBlock(value: unknown): NodeBlock {
  const ref = header(value);
  const block = fields(value, 'block');
  const transactions = list(block.transactions, 'block transactions').map((item) => {
    if (hash(fields(item, 'transaction').blockHash, 'transaction blockHash') !== ref.hash)
      throw unusable('a transaction of another block');
    return transaction(item);
  });
  return { ...ref, transactions };
}

export function transaction(value: unknown): NodeTransaction {
  const item = fields(value, 'transaction');
  return {
    hash: hash(item.hash, 'transaction hash'),
    from: address(item.from, 'transaction from'),
    to: item.to == null ? null : address(item.to, 'transaction to'),
    value: quantity(item.value, 'transaction value'),
    nonce: item.nonce,
  };
}

/**
 * `signedGasPrice`: wei per gas of the transaction. Receipts from before EIP-1559 do not repeat it.
 */
export function receipt(value: unknown, signedGasPrice = 0n): NodeReceipt {
  const item = fields(value, 'receipt');
  const gasUsed = quantity(item.gasUsed, 'receipt gasUsed');
  const gasPrice =
    item.effectiveGasPrice == null
      ? signedGasPrice
      : quantity(item.effectiveGasPrice, 'receipt effectiveGasPrice');
  const dataFee = item.l1Fee == null ? 0n : quantity(item.l1Fee, 'receipt l1Fee');
  return {
    blockHash: hash(item.blockHash, 'receipt blockHash'),
    succeeded: quantity(item.status, 'receipt status') === 1n,
    feeWei: gasUsed * gasPrice + dataFee,
  };
}

/** A receipt with its block and its logs. */
export function fullReceipt(
  value: unknown,
  { txid, signedGasPrice }: { txid: string; signedGasPrice: bigint },
): FullReceipt {
  const { logs, ...place } = receiptLogs(value);
  if (place.txid !== txid) throw unusable('another receipt than asked');
  const height = smallNumber(fields(value, 'receipt').blockNumber, 'receipt blockNumber');
  return { ...receipt(value, signedGasPrice), height, logs };
}

/** The logs of a receipt. Each must name this transaction and this block. */
export function receiptLogs(value: unknown): ReceiptLogs {
  const item = fields(value, 'receipt');
  const txid = hash(item.transactionHash, 'receipt transactionHash');
  const blockHash = hash(item.blockHash, 'receipt blockHash');
  const logs = list(item.logs, 'receipt logs').map(log);
  if (!logs.every((entry) => entry.txid === txid && entry.blockHash === blockHash))
    throw unusable('a log of another transaction');
  return { txid, blockHash, logs };
}

export function log(value: unknown): NodeLog {
  const item = fields(value, 'log');
  if (item.removed === true) throw unusable('a removed log');
  return {
    contract: address(item.address, 'log address'),
    topics: list(item.topics, 'log topics').map((topic) => hash(topic, 'log topic')),
    data: hexBytes(item.data, 'log data'),
    txid: hash(item.transactionHash, 'log transactionHash'),
    blockHash: hash(item.blockHash, 'log blockHash'),
    logIndex: smallNumber(item.logIndex, 'log logIndex'),
  };
}
