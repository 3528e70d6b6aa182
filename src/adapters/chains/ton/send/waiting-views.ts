/**
 * What a node showed of requests that wait, at its newest masterchain block. While that block is
 * the same, so is all that the node can tell, and a look that comes sooner than a block asks
 * nothing else. Only what lets no money be sent again is kept: that a request is in no block yet,
 * or in one that is not final. It serves looks of the sender alone, and is forgotten when the node
 * shows again which chain it is of.
 */
import { boundedMap } from '../../../../domain/bounded-map.ts';
import type { NodeView } from '../../shared/nodes/node-views.ts';
import { hasteNow } from '../../shared/nodes/urgency.ts';
import type { TonNode } from '../toncenter.ts';

export interface WaitingViews {
  /** What the node showed of `query` at the block of that hash, or else `look`. */
  at(node: TonNode, query: { name: string; tip: string }, look: () => Promise<NodeView>): Promise<NodeView>;
  forget(node: TonNode): void;
}

/** Of a node. */
const KEPT = 256;

export function waitingViews(): WaitingViews {
  const kept = new WeakMap<TonNode, ReturnType<typeof viewsOfNode>>();
  return {
    async at(node, { name, tip }, look) {
      if (hasteNow().round === null) return look();
      const views = kept.get(node) ?? viewsOfNode();
      kept.set(node, views);
      const known = views.get(name);
      if (known?.tip === tip) return known.view;
      const view = await look();
      const waits = view.kind === 'unseen' || (view.kind === 'mined' && !view.mined.final);
      if (waits) views.set(name, { tip, view });
      else views.delete(name);
      return view;
    },
    forget: (node) => void kept.delete(node),
  };
}

const viewsOfNode = () => boundedMap<string, { readonly tip: string; readonly view: NodeView }>(KEPT);
