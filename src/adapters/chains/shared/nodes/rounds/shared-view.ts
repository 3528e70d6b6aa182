/**
 * What may be told of a nonce by what a round shares. It shows that a payment was made, or that it
 * waits. Whatever lets money be sent again is looked up for its nonce alone: `expired`,
 * `superseded`, and a transaction in a block that paid nobody.
 */
import { NodeLimited } from '../node-errors.ts';
import type { NodeView } from '../node-views.ts';
import { inHaste } from '../urgency.ts';
import { isOfNode } from './moments.ts';

/** What `shared` tells, or else `alone`, which asks outside of any round. */
export async function sharedOrAlone(
  shared: () => Promise<NodeView | null>,
  alone: () => Promise<NodeView>,
): Promise<NodeView> {
  return (await toldBy(shared)) ?? inHaste({ round: null }, alone);
}

/**
 * Null where what is shared does not tell, or the node failed in it: one failed request would
 * otherwise take the node's vote from all payments of the round. Throws NodeLimited, which no
 * look-up alone would be spared.
 */
async function toldBy(look: () => Promise<NodeView | null>): Promise<NodeView | null> {
  try {
    const view = await look();
    return view !== null && letsNothingBeSentAgain(view) ? view : null;
  } catch (error) {
    if (error instanceof NodeLimited || !isOfNode(error)) throw error;
    return null;
  }
}

function letsNothingBeSentAgain(view: NodeView): boolean {
  if (view.kind === 'mined') return view.mined.effects.every(Boolean);
  return view.kind === 'waiting' || view.kind === 'unseen';
}
