/**
 * Finds the masterchain block of a transaction of the basechain. An index returns it. Without one,
 * its time gives a first guess, and states of its account lead to it. The lists of the lite server
 * confirm it.
 */
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import { accountAt } from '../accounts.ts';
import { fromIndex } from '../index-api.ts';
import type { TonNode } from '../toncenter.ts';
import { masterBlock, shardTips, transactionsBetween } from './blocks.ts';
import type { ReadTransaction } from './deposits.ts';
import { indexedHeight } from './indexed-blocks.ts';

/** Masterchain blocks around the transaction's own time that usually include its shard block. */
const BEFORE = 2;
const AFTER = 8;
/**
 * Otherwise (several came within a second, or the shard was slow) it was at most so many blocks
 * earlier.
 */
const LONG_BEFORE = 64;

interface TransactionToPlace {
  /** Raw. */
  readonly account: string;
  readonly read: ReadTransaction;
  readonly tip: BlockRef;
}

/**
 * NodeLagging when no block of the node up to `tip` lists it; RpcError when the node keeps no
 * blocks of that time.
 */
export async function blockOf(node: TonNode, sought: TransactionToPlace): Promise<BlockRef> {
  const { read, tip } = sought;
  const told = await fromIndex(node, 'places', (index) => indexedHeight(index, read.hash));
  if (told !== null && told <= tip.height && (await holds(node, told, sought)))
    return masterBlock(node, told);
  const near = await firstSince(node, tip, read.transaction.now);
  const last = Math.min(tip.height, near + AFTER);
  for (let height = Math.max(1, near - BEFORE); height <= last; height++)
    if (await holds(node, height, sought)) return masterBlock(node, height);
  const height = await firstStateWith(node, sought, Math.max(0, near - LONG_BEFORE));
  if (height !== null && (await holds(node, height, sought))) return masterBlock(node, height);
  throw new NodeLagging(`${node.label}: does not tell which block has a transaction`);
}

async function holds(node: TonNode, height: number, { account, read }: TransactionToPlace): Promise<boolean> {
  const [before, after] = await Promise.all([shardTips(node, height - 1), shardTips(node, height)]);
  const listed = await transactionsBetween(node, before, after);
  return listed.some((entry) => entry.account === account && entry.hash === read.hash);
}

/**
 * The lowest height above `low` at which the account has reached the transaction; null when there
 * is none.
 */
async function firstStateWith(
  node: TonNode,
  { account, read, tip }: TransactionToPlace,
  low: number,
): Promise<number | null> {
  const reached = async (height: number): Promise<boolean> =>
    height > 0 && (await accountAt(node, account, height)).lastLt >= read.transaction.lt;
  if ((await reached(low)) || !(await reached(tip.height))) return null;
  return lowest({ low, high: tip.height }, reached);
}

/**
 * The lowest height whose block is not older than `time`, or the tip's. Steps double, then halve.
 * Blocks that the node does not keep count as older, so the range may be larger than needed.
 */
export async function firstSince(node: TonNode, tip: BlockRef, time: number): Promise<number> {
  const since = async (height: number): Promise<boolean> => {
    try {
      return (await masterBlock(node, height)).time >= time;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  };
  let high = tip.height;
  let low = high;
  for (let step = 1; low > 0; step *= 2) {
    low = Math.max(0, high - step);
    if (!(await since(low))) break;
    high = low;
  }
  return lowest({ low, high }, since);
}

/**
 * The lowest height for which `holds` is true. It is true for `high` and all above, and false for
 * `low`.
 */
async function lowest(
  { low, high }: { low: number; high: number },
  holdsAt: (height: number) => Promise<boolean>,
): Promise<number> {
  let [no, yes] = [low, high];
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (await holdsAt(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
