/**
 * The machines behind one address of a provider lag behind each other by up to some seconds (safety.md R10): what one of them does not
 * have yet, although another told of it, is asked again shortly.
 */
import type { RpcNode, RpcOutcome } from '../shared/rpc-node.ts';

/** How long the slowest machine is waited for. */
export const LAG_MS = 5_000;
const FIRST_PAUSE_MS = 250;

/** How nodes say that they do not have a block. */
const NO_BLOCK_TEXT = /unknown (block|header)|(block|header( for hash)?) not found|not currently canonical/i;

/** `node` for questions about blocks that it told of: what it seems not to have is asked again, for `lagMs` in all. */
export function lagBridged(node: RpcNode, lagMs: number): RpcNode {
  const outcomes: RpcNode['outcomes'] = async (calls) => {
    let told = await node.outcomes(calls);
    for (const ms of pauses(lagMs)) {
      if (!told.some(isLacking)) break;
      await Bun.sleep(ms);
      const open = calls.filter((_, position) => isLacking(told[position]!));
      const again = (await node.outcomes(open)).values();
      told = told.map((outcome) => (isLacking(outcome) ? again.next().value! : outcome));
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

/** Milliseconds that grow, `inAllMs` together. */
function* pauses(inAllMs: number): Generator<number> {
  let left = inAllMs;
  for (let ms = FIRST_PAUSE_MS; left > 0; ms *= 2) {
    yield Math.min(ms, left);
    left -= ms;
  }
}
