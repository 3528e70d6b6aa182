/**
 * Which nodes trace blocks. If a trace fails, balances are compared for its blocks (safety.md R4,
 * R5). One failure says nothing about the next block; after several the node is not asked for a
 * while. A node without the method is asked again after an hour, since its plan may change.
 */
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { type BudgetTime, systemTime } from '../../shared/nodes/call-log.ts';
import { NodeError, NodeLagging, NodeLimited, RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { hasteNow } from '../../shared/nodes/urgency.ts';
import type { NodeBlock } from '../decode.ts';
import { readFrames } from './block-reader.ts';

export interface BlockTraces {
  /** False for a node known to have no traces, until it may be asked again. */
  mayTrace(node: RpcNode): boolean;
  /**
   * Call frames of each block, one per transaction in order; null where the node does not trace,
   * always or this time.
   */
  framesOf(node: RpcNode, blocks: readonly NodeBlock[]): Promise<readonly (readonly unknown[])[] | null>;
}

interface TraceRest {
  readonly failures: number;
  readonly hasTraces: boolean;
  /** Monotonic milliseconds. */
  readonly until: number;
}

const METHOD_NOT_FOUND = -32601;
/** How providers say that a plan has no traces, under any error code. */
const NO_TRACES_TEXT =
  /method\b.*\b(not (found|available|supported|allowed|whitelisted)|does not exist|disabled)|unsupported method|not available on the .*\b(tier|plan)|upgrade (to|your plan)/i;
const WITHOUT_MS = 3_600_000;
/** From the second failure in a row on; it doubles with each. */
const FAILED_MS = 15_000;
const FAILED_MAX_MS = 600_000;

export function blockTraces(options: {
  chain: string;
  logger: Logger;
  time?: Pick<BudgetTime, 'now'>;
}): BlockTraces {
  const { chain, logger, time = systemTime } = options;
  /** By the node's label. */
  const rests = new Map<string, TraceRest>();

  function rest(node: RpcNode, error: Error): void {
    const failures = (rests.get(node.label)?.failures ?? 0) + 1;
    const hasTraces = !hasNoTraces(error);
    const restMs = failures < 2 ? 0 : Math.min(FAILED_MAX_MS, FAILED_MS * 2 ** (failures - 2));
    rests.set(node.label, { failures, hasTraces, until: time.now() + (hasTraces ? restMs : WITHOUT_MS) });
    const problem = { chain, node: node.label, problem: error.message };
    if (hasTraces) logger.warn('node.trace_failed', problem);
    else logger.info('node.traces_nothing', problem);
  }

  const isResting = ({ until }: TraceRest): boolean => until > time.now();

  return {
    mayTrace({ label }) {
      const known = rests.get(label);
      return known === undefined || known.hasTraces || !isResting(known);
    },

    async framesOf(node, blocks) {
      if (blocks.every(({ transactions }) => transactions.length === 0)) return blocks.map(() => []);
      const known = rests.get(node.label);
      if (known !== undefined && isResting(known)) return null;
      try {
        const frames = await readFrames(node, blocks);
        rests.delete(node.label);
        return frames;
      } catch (error) {
        // Another node may trace these blocks; without one their balances are compared.
        if (error instanceof NodeLimited && hasteNow().hasChoice) throw error;
        if (!(error instanceof RpcError || error instanceof NodeError || error instanceof NodeLagging))
          throw error;
        rest(node, error);
        return null;
      }
    },
  };
}

function hasNoTraces(error: Error): boolean {
  return error instanceof RpcError && (error.code === METHOD_NOT_FOUND || NO_TRACES_TEXT.test(error.message));
}
