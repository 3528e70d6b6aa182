/**
 * What may be told of a nonce by what a round shares. It shows that a payment was made, or that it
 * waits. Whatever lets money be sent again is looked up for its nonce alone: `expired`,
 * `superseded`, and a transaction in a block that paid nobody.
 */
import type { NodeView } from '../node-views.ts';
import { inHaste } from '../urgency.ts';
import type { Moment } from './moments.ts';

/**
 * What `shared` tells, or else `alone`, which asks outside of any round. A node that fails in what
 * is shared is asked alone: one failed request would otherwise take its vote from all payments of
 * the round. But another machine may answer then. So in this look the node sees nothing that lets
 * money be sent again; before the next one it shows its chain (NodePool.doubt).
 */
export async function sharedOrAlone(
  moment: Moment,
  shared: () => Promise<NodeView | null>,
  alone: () => Promise<NodeView>,
): Promise<NodeView> {
  let told: NodeView | null = null;
  let hasFailed = false;
  if (moment.batches > 0)
    try {
      told = await shared();
    } catch (error) {
      hasFailed = moment.passOver(error);
    }
  if (told !== null && letsNothingBeSentAgain(told)) return told;
  const view = await inHaste({ round: null }, alone);
  return letsNothingBeSentAgain(view) || !(hasFailed || moment.hasFailed) ? view : { kind: 'unseen' };
}

function letsNothingBeSentAgain(view: NodeView): boolean {
  if (view.kind === 'mined') return view.mined.effects.every(Boolean);
  return view.kind === 'waiting' || view.kind === 'unseen';
}
