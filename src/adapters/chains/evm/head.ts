/** The tip of a node's chain and what of it is final, by one rule for scanner and sender alike. */
import type { ChainHead } from '../../../ports/chain-scanner.ts';
import { finalizedByConfirmations } from '../shared/finality.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { blockRef } from './decode.ts';
import { defaultConfirmations, type FinalityRule } from './finality.ts';

/** Reads the head of whichever node is given. It remembers that a node knew the `finalized` tag: make one per client. */
export function headReader(options: {
  chain: string;
  finality: FinalityRule;
}): (node: RpcNode) => Promise<ChainHead> {
  const { chain, finality } = options;
  /** The last answer to the finalized tag; null while no node knew it. */
  let lastTagged: number | null = null;

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
    if (tagged) lastTagged = blockRef(finalized.result).height;
    // Where the tag was known once, a refusal is a disturbance: counting instead would call blocks final too early.
    const finalizedHeight =
      lastTagged ??
      finalizedByConfirmations(tip.height, finality.confirmations ?? defaultConfirmations(chain));
    return { tip, finalizedHeight: Math.min(tip.height, finalizedHeight) };
  };
}
