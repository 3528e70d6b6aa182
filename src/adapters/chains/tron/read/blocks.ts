/**
 * Blocks of one node and the results of their transactions, checked so that they belong together.
 */

import { member } from '../../../../domain/money/lossless-json.ts';
import { type BlockRef, ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeError, NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import { asFarAsRead } from '../../shared/read/as-far-as-read.ts';
import { amount, hash, hexText, smallNumber } from '../answers.ts';
import { EMPTY_ROOT, transactionRoot } from '../codec/transaction-root.ts';
import type { TronNode } from '../node.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface TronHeader extends BlockRef {
  /** Block time, milliseconds since 1970. */
  readonly timeMs: bigint;
}

export interface TronBlock extends TronHeader {
  readonly transactions: readonly NodeTransaction[];
  /** The root of these transactions, if it can be computed and differs from the header's. */
  readonly otherRoot: string | null;
}

/** A transaction as its block lists it. */
export interface NodeTransaction {
  readonly txid: string;
  /** The result that the block's producer reports. */
  readonly succeeded: boolean;
  /** Name of its contract type, for example `TransferContract`, and that contract's fields. */
  readonly type: string;
  readonly value: Fields;
}

/** The result of a transaction, as the node that executed it reports. */
export interface TransactionInfo {
  readonly txid: string;
  readonly height: number;
  /** Time of its block, milliseconds since 1970. */
  readonly blockTimeMs: bigint;
  readonly succeeded: boolean;
  /** Sun that the network took in total. */
  readonly feeUnits: bigint;
  /** Unchecked, since most do not concern us; `readLogs` and `internalPayments` read them. */
  readonly logs: readonly unknown[];
  readonly internal: readonly unknown[];
}

/** The best header of the chain, or of its solidified part. */
export async function headHeader(node: TronNode, part: 'wallet' | 'walletsolidity'): Promise<TronHeader> {
  return header(await node.ask(`${part}/getblock`, { detail: false }));
}

/** The canonical header at `height`, or null when the node's chain is shorter. */
export async function headerAt(node: TronNode, height: number): Promise<TronHeader | null> {
  const answer = fields(
    await node.ask('wallet/getblock', { id_or_num: `${height}`, detail: false }),
    'block',
  );
  if (answer.blockID === undefined) return null;
  const found = header(answer);
  if (found.height !== height) throw new NodeError('unusable answer: another block than asked');
  return found;
}

function header(answer: unknown): TronHeader {
  const block = fields(answer, 'block');
  const raw = fields(fields(block.block_header, 'block header').raw_data, 'block header');
  const id = hash(block.blockID, 'block id');
  const height = smallNumber(raw.number, 'block number');
  if (BigInt(`0x${id.slice(0, 16)}`) !== BigInt(height)) throw unusable('a block id of another height');
  const timeMs = amount(raw.timestamp, 'block timestamp');
  return {
    height,
    hash: id,
    parentHash: hash(raw.parentHash, 'parent hash'),
    time: Number(timeMs / 1000n),
    timeMs,
  };
}

const PARALLEL_QUESTIONS = 4;

/** Most blocks of one call (java-tron allows a hundred; a full one is some 500 KB). */
export const BLOCKS_AT_ONCE = 8;

/**
 * The blocks from `from` on in full, linked: `count` of them, or as many as the node has; at most
 * BLOCKS_AT_ONCE.
 */
export async function blocksFrom(node: TronNode, from: number, count: number): Promise<readonly TronBlock[]> {
  // The end is exclusive. Where a gateway includes it, the extra block is dropped.
  const question = { startNum: from, endNum: from + count };
  const answer = fields(await node.ask('wallet/getblockbylimitnext', question), 'blocks');
  const blocks = list(answer.block ?? [], 'blocks')
    .slice(0, count)
    .map(fullBlock);
  return linked(blocks, from);
}

/**
 * The blocks `from` .. `to` in full, linked, or those that could be read; NodeLagging when one is
 * missing.
 */
export async function readBlocks(
  node: TronNode,
  { from, to }: { from: number; to: number },
): Promise<readonly TronBlock[]> {
  const count = to - from + 1;
  try {
    const blocks = await blocksFrom(node, from, count);
    if (blocks.length < count) throw new NodeLagging(`has no block ${from + blocks.length}`);
    return blocks;
  } catch (error) {
    if (!refusesRanges(error)) throw error;
    const heights = Array.from({ length: count }, (_, offset) => from + offset);
    return linked(await asFarAsRead(heights, PARALLEL_QUESTIONS, (height) => blockAt(node, height)), from);
  }
}

/**
 * Whether the node may still serve single blocks: gateways without ranges refuse them in many ways,
 * also with a web page or 403.
 */
export const refusesRanges = (error: unknown): boolean =>
  error instanceof RpcError || error instanceof NodeError;

/** The same blocks, if they begin at `from` and follow each other. */
function linked(blocks: readonly TronBlock[], from: number): readonly TronBlock[] {
  for (const [position, block] of blocks.entries()) {
    if (block.height !== from + position) throw new NodeError('unusable answer: another block than asked');
    if (position > 0 && block.parentHash !== blocks[position - 1]!.hash)
      throw new ChainUnavailable(`the chain was reorganised while blocks from ${from} on were read`);
  }
  return blocks;
}

/** The block at `height` in full; NodeLagging when the node does not have it. */
export async function blockAt(node: TronNode, height: number): Promise<TronBlock> {
  const answer = fields(await node.ask('wallet/getblockbynum', { num: height }), 'block');
  if (answer.blockID === undefined) throw new NodeLagging(`has no block ${height}`);
  const [block] = linked([fullBlock(answer)], height);
  return block!;
}

function fullBlock(item: unknown): TronBlock {
  const found = header(item);
  const listed = list(fields(item, 'block').transactions ?? [], 'transactions');
  const root = member(item, 'block_header', 'raw_data', 'txTrieRoot') ?? '';
  if (listed.length === 0 && root !== '' && root !== EMPTY_ROOT)
    throw unusable(`block ${found.height} without its transactions`);
  const own = root === '' ? root : transactionRoot(listed);
  return { ...found, transactions: listed.map(transaction), otherRoot: own === root ? null : own };
}

function transaction(item: unknown): NodeTransaction {
  const { txID, raw_data, ret } = fields(item, 'transaction');
  const type = member(raw_data, 'contract', '0', 'type');
  const value = member(raw_data, 'contract', '0', 'parameter', 'value');
  return {
    txid: hash(txID, 'transaction id'),
    succeeded: member(ret, '0', 'contractRet') === 'SUCCESS',
    // java-tron omits what it cannot print: such a contract is none of those that are read here.
    type: typeof type === 'string' ? type : '',
    value: value === undefined || value === null ? {} : fields(value, 'parameter value'),
  };
}

/** The results of the transactions of each block; of fewer blocks where the node fails later. */
export function readInfosOf(
  node: TronNode,
  blocks: readonly TronBlock[],
): Promise<readonly (readonly TransactionInfo[])[]> {
  return asFarAsRead(blocks, PARALLEL_QUESTIONS, (block) => readInfos(node, block));
}

/**
 * The result of each transaction of a block, in order. A node without the block returns nothing,
 * one on another branch something else, and one that omitted some transactions of the block has
 * more results: all are NodeLagging.
 */
export async function readInfos(node: TronNode, block: TronBlock): Promise<readonly TransactionInfo[]> {
  if (block.transactions.length === 0) return [];
  const answer = await node.ask('wallet/gettransactioninfobyblocknum', { num: block.height });
  const infos = Array.isArray(answer) ? answer.map(transactionInfo) : [];
  const byTxid = new Map(infos.map((info) => [info.txid, info]));
  if (byTxid.size > block.transactions.length)
    throw new NodeLagging(`left transactions out of block ${block.height}`);
  return block.transactions.map(({ txid }) => {
    const info = byTxid.get(txid);
    if (info?.height !== block.height || info.blockTimeMs !== block.timeMs)
      throw new NodeLagging(`does not tell what became of the transactions of block ${block.height}`);
    return info;
  });
}

/**
 * ChainUnavailable unless the last of `blocks` is still canonical: what was read by height might
 * otherwise mix two branches.
 */
export async function confirmCanonical(node: TronNode, blocks: readonly TronBlock[]): Promise<void> {
  const last = blocks.at(-1)!;
  if ((await headerAt(node, last.height))?.hash !== last.hash)
    throw new ChainUnavailable(`the chain was reorganised while block ${last.height} was read`);
}

/** The transaction's result on this node; null when no block, or no solidified block, has it. */
export async function readInfo(
  node: TronNode,
  txid: string,
  part: 'wallet' | 'walletsolidity' = 'wallet',
): Promise<TransactionInfo | null> {
  const answer = fields(
    await node.ask(`${part}/gettransactioninfobyid`, { value: txid }),
    'transaction info',
  );
  if (answer.id === undefined) return null;
  const info = transactionInfo(answer);
  if (info.txid !== txid) throw unusable('another transaction than asked');
  return info;
}

/**
 * The results of the transactions of this node's block at `height`, by txid and unchecked; none
 * where it has no such block. One call (java-tron's `gettransactioninfobyblocknum`) for all.
 */
export async function listInfos(node: TronNode, height: number): Promise<ReadonlyMap<unknown, unknown>> {
  const answer = await node.ask('wallet/gettransactioninfobyblocknum', { num: height });
  return new Map(list(answer, 'transaction infos').map((item) => [member(item, 'id'), item]));
}

/** One of `listInfos`, checked as a single one is. */
export function listedInfo(item: unknown, of: { txid: string; height: number }): TransactionInfo {
  const info = transactionInfo(item);
  if (info.txid !== of.txid || info.height !== of.height) throw unusable('a transaction of another block');
  return info;
}

/**
 * The block of `info`, as this node has it; NodeLagging during a reorganisation, when the node has
 * another block there.
 */
export async function blockOf(
  node: TronNode,
  info: TransactionInfo,
  readHeader: typeof headerAt = headerAt,
): Promise<TronHeader> {
  const found = await readHeader(node, info.height);
  if (found?.timeMs !== info.blockTimeMs)
    throw new NodeLagging(`${node.label}: was reorganised while a transaction was looked up`);
  return found;
}

function transactionInfo(item: unknown): TransactionInfo {
  const info = fields(item, 'transaction info');
  const receipt = fields(info.receipt ?? {}, 'receipt');
  return {
    txid: hash(info.id, 'transaction id'),
    height: smallNumber(info.blockNumber, 'block number'),
    blockTimeMs: amount(info.blockTimeStamp, 'block time'),
    // The protocol spells it like this. Only contracts have a result in their receipt.
    succeeded:
      (info.result === undefined || info.result === 'SUCESS') &&
      (receipt.result === undefined || receipt.result === 'SUCCESS'),
    feeUnits: amount(info.fee, 'fee'),
    logs: list(info.log ?? [], 'logs'),
    internal: list(info.internal_transactions ?? [], 'internal transactions'),
  };
}

export interface NodeLog {
  /** 40 hex digits: contracts omit the first byte of addresses. */
  readonly contract: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export function readLog(item: unknown): NodeLog {
  const { address, topics, data } = fields(item, 'log');
  return {
    contract: hexText(address, 'log address').slice(-40),
    topics: list(topics ?? [], 'log topics').map((topic) => hash(topic, 'log topic')),
    data: hexText(data ?? '', 'log data'),
  };
}
