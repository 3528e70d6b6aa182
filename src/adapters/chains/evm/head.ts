/** The tip of a node's chain and what of it is final, by one rule for scanner and sender alike. */
import type { ChainHead } from '../../../ports/chain-scanner.ts';
import { finalizedByConfirmations } from '../shared/finality.ts';
import type { RpcNode, RpcOutcome } from '../shared/rpc-node.ts';
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
    if (finalized !== undefined && 'result' in finalized && finalized.result !== null)
      lastTagged.set(node, blockRef(finalized.result).height);
    const counted = finality.confirmations ?? defaultConfirmations(chain);
    // A refusal for once is a disturbance: counting instead would call blocks final too early.
    const finalizedHeight =
      lastTagged.get(node) ??
      (finalized === undefined || lacksTag(finalized) ? finalizedByConfirmations(tip.height, counted) : -1);
    return { tip, finalizedHeight: Math.min(tip.height, finalizedHeight) };
  };
}

const UNKNOWN_TAG_CODES = [-32601, -32602, -39001];
const UNKNOWN_TAG_TEXT =
  /\bfinali[sz]ed\b.*\b(not found|not supported|unsupported|unknown|invalid)|unknown block|block not found|(invalid|unsupported) (argument|block|tag)|hex string/i;

/** Whether the node says that it does not know the tag (safety.md R6). */
function lacksTag(outcome: RpcOutcome): boolean {
  if ('result' in outcome) return outcome.result === null;
  const { code, message } = outcome.error;
  return UNKNOWN_TAG_CODES.includes(code) || UNKNOWN_TAG_TEXT.test(message);
}
