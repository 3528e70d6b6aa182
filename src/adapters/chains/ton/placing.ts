/** In which masterchain block a transaction of the basechain is: the API does not say, but times lead there, and lists tell. */
import type { BlockRef } from '../../../ports/chain-scanner.ts';
import { NodeBehind } from '../shared/faults.ts';
import { masterBlock, shardTips, transactionsBetween } from './blocks.ts';
import type { ReadTransaction } from './deposits.ts';
import type { TonNode } from './toncenter.ts';

/** Masterchain blocks around the transaction's own time that may have taken its shard's block. */
const BEFORE = 2;
const AFTER = 8;

/** `account`: raw. NodeBehind when no block near its time lists it. */
export async function blockOf(
  node: TonNode,
  { account, read, tip }: { account: string; read: ReadTransaction; tip: BlockRef },
): Promise<BlockRef> {
  const near = await firstSince(node, tip, read.transaction.now);
  const to = Math.min(tip.height, near + AFTER);
  for (let height = Math.max(1, near - BEFORE); height <= to; height++) {
    const [before, after] = await Promise.all([shardTips(node, height - 1), shardTips(node, height)]);
    const listed = await transactionsBetween(node, before, after);
    if (listed.some((entry) => entry.account === account && entry.hash === read.hash))
      return masterBlock(node, height);
  }
  throw new NodeBehind(`${node.label}: does not tell which block has a transaction`);
}

/** The lowest height whose block is not older than `time`, or the tip's: looked for in steps that double, then halve. */
async function firstSince(node: TonNode, tip: BlockRef, time: number): Promise<number> {
  let high = tip.height;
  let low = high;
  for (let step = 1; low > 0; step *= 2) {
    low = Math.max(0, high - step);
    if ((await masterBlock(node, low)).time < time) break;
    high = low;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await masterBlock(node, middle)).time < time) low = middle;
    else high = middle;
  }
  return high;
}
