/**
 * Transfer logs of many blocks in few calls. Plans limit a call to between five and some thousand
 * blocks, or to a number of logs.
 */
import type { BlockRange } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { type BudgetTime, systemTime } from '../../shared/nodes/call-log.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { log, type NodeLog, smallNumber } from '../decode.ts';
import { hexHeight } from './block-reader.ts';
import { TRANSFER_TOPIC } from './transfers.ts';

export interface LogOfRange {
  readonly height: number;
  readonly of: NodeLog;
}

/** Of `contracts`, from the node's index. RpcError when it refuses even a single block. */
export type LogRanges = (
  node: RpcNode,
  range: BlockRange,
  contracts: readonly string[],
) => Promise<readonly LogOfRange[]>;

/** A refused span is halved. The longer one is tried again after this time, since plans change. */
const REMEMBERED_MS = 600_000;

export function logRanges(time: Pick<BudgetTime, 'now'> = systemTime): LogRanges {
  /** By the node's label. */
  const most = new Map<string, { readonly blocks: number; readonly until: number }>();

  function widthOf(node: RpcNode): number {
    const known = most.get(node.label);
    return known === undefined || known.until < time.now() ? Number.POSITIVE_INFINITY : known.blocks;
  }

  async function piece(node: RpcNode, { from, to }: BlockRange, contracts: readonly string[]) {
    const [fromBlock, toBlock] = [hexHeight(from), hexHeight(to)];
    const filter = { fromBlock, toBlock, address: contracts, topics: [TRANSFER_TOPIC] };
    return list(await node.call('eth_getLogs', filter), 'logs').map((item) => ({
      height: smallNumber(fields(item, 'log').blockNumber, 'log blockNumber'),
      of: log(item),
    }));
  }

  return async (node, { from, to }, contracts) => {
    const found: LogOfRange[] = [];
    for (let next = from; next <= to; ) {
      const blocks = Math.min(to - next + 1, widthOf(node));
      try {
        found.push(...(await piece(node, { from: next, to: next + blocks - 1 }, contracts)));
        next += blocks;
      } catch (error) {
        if (!(error instanceof RpcError) || blocks === 1) throw error;
        most.set(node.label, { blocks: Math.floor(blocks / 2), until: time.now() + REMEMBERED_MS });
      }
    }
    return found;
  };
}
