/** Reads the tip of a node's chain and its final height. Scanner and sender share this rule. */
import type { ChainHead } from '../../../ports/chains/chain-scanner.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import type { TronNode } from './node.ts';
import { headHeader, type TronHeader } from './read/blocks.ts';

export interface TronHead extends ChainHead {
  readonly tip: TronHeader;
  /** The best block that two thirds of the producers have built on. */
  readonly solid: TronHeader;
}

/** A final block is solidified (safety.md T4); `confirmations` can only require more. */
export async function readHead(
  node: TronNode,
  { confirmations }: { confirmations: number | null },
  readTip: (node: TronNode) => Promise<TronHeader> = (asked) => headHeader(asked, 'wallet'),
): Promise<TronHead> {
  // The order matters: the solidified block must not be ahead of the tip.
  const solid = await headHeader(node, 'walletsolidity');
  const tip = await readTip(node);
  const counted = confirmations === null ? tip.height : finalizedByConfirmations(tip.height, confirmations);
  return { tip, solid, finalizedHeight: Math.min(tip.height, solid.height, counted) };
}
