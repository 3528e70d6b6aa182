/** Recognises on EVM nodes the machines that lag behind others (shared/nodes/lagging.ts). */
import { type Lag, looks } from '../shared/nodes/lagging.ts';
import type { RpcNode, RpcOutcome } from '../shared/nodes/rpc-node.ts';

/** How nodes report that they do not have a block. */
const NO_BLOCK_TEXT = /unknown (block|header)|(block|header( for hash)?) not found|not currently canonical/i;

/**
 * Wraps `node` for questions about blocks that it announced: what it seems not to have is asked
 * again.
 */
export function lagBridged(node: RpcNode, lag: Lag): RpcNode {
  const outcomes: RpcNode['outcomes'] = async (calls) => {
    let told: readonly RpcOutcome[] = calls.map(() => ({ result: null }));
    for await (const _ of looks(lag)) {
      const open = calls.filter((_, position) => isLacking(told[position]!));
      const again = (await node.outcomes(open)).values();
      told = told.map((outcome) => (isLacking(outcome) ? again.next().value! : outcome));
      if (!told.some(isLacking)) break;
    }
    return told;
  };
  return {
    label: node.label,
    outcomes,
    call: async (method, ...params) => {
      const [outcome] = await outcomes([{ method, params }]);
      if ('error' in outcome!) throw outcome.error;
      return outcome!.result;
    },
    batch: async (calls) =>
      Promise.all(
        (await outcomes(calls)).map(async (outcome, position) => {
          const { method, params } = calls[position]!;
          return 'error' in outcome ? node.call(method, ...params) : outcome.result;
        }),
      ),
  };
}

function isLacking(outcome: RpcOutcome): boolean {
  return 'error' in outcome ? NO_BLOCK_TEXT.test(outcome.error.message) : outcome.result === null;
}
