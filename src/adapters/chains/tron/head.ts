/** The tip of a node's chain and what of it is final, by one rule for scanner and sender alike. */
import type { ChainHead } from '../../../ports/chains/chain-scanner.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import type { TronNode } from './node.ts';
import { headHeader, type TronHeader } from './read/blocks.ts';

export interface TronHead extends ChainHead {
  readonly tip: TronHeader;
  /** The best block that two thirds of the producers have built on. */
  readonly solid: TronHeader;
}

/** Final is what is solidified (safety.md T4); `confirmations` can only ask for more than that. */
export async function readHead(
  node: TronNode,
  { confirmations }: { confirmations: number | null },
  readTip: (node: TronNode) => Promise<TronHeader> = (asked) => headHeader(asked, 'wallet'),
): Promise<TronHead> {
  // In this order, so that what is solid is not ahead of the tip.
  const solid = await headHeader(node, 'walletsolidity');
  const tip = await readTip(node);
  const counted = confirmations === null ? tip.height : finalizedByConfirmations(tip.height, confirmations);
  return { tip, solid, finalizedHeight: Math.min(tip.height, solid.height, counted) };
}
