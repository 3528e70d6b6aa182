/** The tip of a node's chain and what of it is final, by one rule for scanner and sender alike. */
import type { ChainHead } from '../../../ports/chain-scanner.ts';
import { finalizedByConfirmations } from '../shared/finality.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { blockRef } from './decode.ts';
import { defaultConfirmations, type FinalityRule } from './finality.ts';

/**
 * Reads the head of whichever node is given. It remembers what each node last said of the `finalized` tag (make one per client):
 * no node's word makes another call a block final.
 */
export function headReader(options: {
  chain: string;
  finality: FinalityRule;
}): (node: RpcNode) => Promise<ChainHead> {
  const { chain, finality } = options;
  const lastTagged = new Map<RpcNode, number>();

  return async (node) => {
    const byTag = finality.confirmations === null;
    const headers = (byTag ? ['latest', 'finalized'] : ['latest']).map((tag) => ({
      method: 'eth_getBlockByNumber',
      params: [tag, false],
    }));
    const [latest, finalized] = await node.outcomes(headers);
    if ('error' in latest!) throw latest.error;
    const tip = blockRef(latest!.result);
    const tagged = finalized !== undefined && 'result' in finalized && finalized.result !== null;
    if (tagged) lastTagged.set(node, blockRef(finalized.result).height);
    // Where the tag was known once, a refusal is a disturbance: counting instead would call blocks final too early.
    const finalizedHeight =
      lastTagged.get(node) ??
      finalizedByConfirmations(tip.height, finality.confirmations ?? defaultConfirmations(chain));
    return { tip, finalizedHeight: Math.min(tip.height, finalizedHeight) };
  };
}
