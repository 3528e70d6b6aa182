/**
 * Blocks of a node. A block of the ports is a masterchain block: its seqno is the height, and the
 * shard blocks that it names are final with it.
 */
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeError } from '../../shared/nodes/node-errors.ts';
import { heightsOf } from '../../shared/read/block-range.ts';
import { accountIn, hash, units, wholeNumber } from '../answers.ts';
import type { TonNode } from '../toncenter.ts';
import { type ShardBlock, type ShardTip, shardBlocksBetween } from './shards.ts';

/** The masterchain's only shard. */
export const MASTERCHAIN = { workchain: -1, shard: '-9223372036854775808' } as const;

/** Most that a lite server lists at once. */
const PAGE = 256;
/** Pages of one block: no block of the basechain has more transactions. */
const PAGES_MAX = 200;

/** A transaction as a block lists it. */
export interface ListedTransaction {
  /** Raw address, lower case. */
  readonly account: string;
  readonly lt: bigint;
  /** Lower-case hex. */
  readonly hash: string;
}

export interface ListedBlock extends BlockRef {
  /** Transactions of the shard blocks that this block is the first to name. */
  readonly listed: readonly ListedTransaction[];
}

export async function masterTip(node: TonNode): Promise<BlockRef> {
  return masterBlock(node, (await masterInfo(node)).height);
}

/** The masterchain block at `height`, or null when the node's chain is shorter. */
export async function masterBlockAt(node: TonNode, height: number): Promise<BlockRef | null> {
  const { height: newest } = await masterInfo(node);
  return newest < height ? null : masterBlock(node, height);
}

export async function masterInfo(node: TonNode): Promise<{ height: number; zeroHash: string }> {
  const { last, init } = fields(await node.call('getMasterchainInfo'), 'masterchain info');
  return {
    height: wholeNumber(fields(last, 'block id').seqno, 'seqno'),
    zeroHash: hash(fields(init, 'block id').root_hash, 'root hash'),
  };
}

/** RpcError when the node does not have it. */
export async function masterBlock(node: TonNode, height: number): Promise<BlockRef> {
  // The zero state is no block: the chain begins with it, and it has no header.
  if (height === 0)
    return { height, hash: (await masterInfo(node)).zeroHash, parentHash: '0'.repeat(64), time: 0 };
  const answer = fields(await node.call('getBlockHeader', { ...MASTERCHAIN, seqno: height }), 'block header');
  const id = fields(answer.id, 'block id');
  const [parent] = list(answer.prev_blocks, 'prev_blocks');
  if (wholeNumber(id.seqno, 'seqno') !== height) throw unusable('another block than asked');
  return {
    height,
    hash: hash(id.root_hash, 'root hash'),
    parentHash: hash(fields(parent, 'block id').root_hash, 'root hash'),
    time: wholeNumber(answer.gen_utime, 'gen_utime'),
  };
}

/** All of these blocks: two calls each, and one for each new block of a shard. */
export async function listedBlocks(
  node: TonNode,
  { from, to }: { from: number; to: number },
): Promise<readonly ListedBlock[]> {
  const heights = heightsOf({ from, to });
  const blocks = await Promise.all(heights.map((height) => masterBlock(node, height)));
  const tips = await Promise.all(
    [Math.max(0, from - 1), ...heights].map((height) => shardTips(node, height)),
  );
  return Promise.all(
    blocks.map(async (block, position) => ({
      ...block,
      listed: await transactionsBetween(node, tips[position]!, tips[position + 1]!),
    })),
  );
}

/** The newest block of every shard as of a masterchain block; empty for the zero state. */
export async function shardTips(node: TonNode, height: number): Promise<readonly ShardTip[]> {
  if (height === 0) return [];
  const { shards } = fields(await node.call('shards', { seqno: height }), 'shards');
  return list(shards, 'shards').map((item) => {
    const id = fields(item, 'block id');
    const shard = String(id.shard);
    if (!/^-?\d{1,19}$/.test(shard)) throw unusable('shard');
    return {
      workchain: wholeNumber(id.workchain, 'workchain'),
      shard,
      seqno: wholeNumber(id.seqno, 'seqno'),
      rootHash: hash(id.root_hash, 'root hash'),
      fileHash: hash(id.file_hash, 'file hash'),
    };
  });
}

/**
 * The transactions of every shard block between two masterchain blocks: one call each, more past
 * 256 transactions.
 */
export async function transactionsBetween(
  node: TonNode,
  before: readonly ShardTip[],
  after: readonly ShardTip[],
): Promise<readonly ListedTransaction[]> {
  const blocks = shardBlocksBetween(before, after);
  if (blocks === null)
    throw new NodeError(`${node.label}: the shards of two blocks do not follow each other`);
  return (await Promise.all(blocks.map((block) => listed(node, block)))).flat();
}

async function listed(node: TonNode, block: ShardBlock): Promise<readonly ListedTransaction[]> {
  const { workchain, shard, seqno, tip } = block;
  const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
  const named = tip === null ? {} : { root_hash: base64(tip.rootHash), file_hash: base64(tip.fileHash) };
  const found: ListedTransaction[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const last = found.at(-1);
    const after =
      last === undefined
        ? {}
        : {
            after_lt: last.lt.toString(),
            after_hash: base64(last.account.slice(last.account.indexOf(':') + 1)),
          };
    const query = { workchain, shard, seqno, count: PAGE, ...named, ...after };
    const answer = fields(await node.call('getBlockTransactions', query), 'block transactions');
    const transactions = list(answer.transactions, 'transactions').map((item) => {
      const entry = fields(item, 'transaction');
      return {
        account: accountIn(entry.account, workchain),
        lt: units(entry.lt, 'lt'),
        hash: hash(entry.hash, 'transaction hash'),
      };
    });
    found.push(...transactions);
    if (answer.incomplete !== true) return found;
    if (transactions.length === 0) throw unusable('an incomplete list of transactions');
  }
  throw new NodeError(`${node.label}: a block's transactions do not end`);
}
