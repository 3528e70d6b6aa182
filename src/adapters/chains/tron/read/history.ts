/**
 * Whether a node's history reaches back to before a transaction was written: only then its "not
 * found" means something. Nodes may start from a snapshot, without any earlier history.
 */

import type { TronTransaction } from '../codec/transaction.ts';
import type { TronNode } from '../node.ts';
import { headerAt, type TronHeader } from './blocks.ts';

/** A transaction names the low 16 bits of its reference's height. */
const HEIGHTS = 65_536;

/**
 * The block that the transaction refers to was solidified when it was written, so the node must
 * have it.
 */
export async function reachesBack(
  node: TronNode,
  solid: TronHeader,
  { reference, timestamp }: TronTransaction,
): Promise<boolean> {
  const low = Number.parseInt(reference.height, 16);
  const back = (solid.height - low) % HEIGHTS;
  for (let height = solid.height - back; height >= 0; height -= HEIGHTS) {
    const found = await headerAt(node, height);
    if (found === null) return false;
    if (found.timeMs <= timestamp) return found.hash.slice(16, 32) === reference.hash;
  }
  return false;
}
