/** Native payments that wait in a node's pending block, on chains whose blocks come seldom. */
import type { ChainScanner, Transfer } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import type { BudgetTime } from '../../shared/nodes/call-log.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import type { SeenHead } from '../../shared/read/scanner-over.ts';
import { smallNumber, transaction } from '../decode.ts';
import { nativeTransfer } from './transfers.ts';

/**
 * ChainScanner.pending: reads at every poll that finds no new tip, and each `everyMs` while blocks
 * come. `heightTold`: the highest tip that the node announced.
 */
export function pendingPayments(options: {
  nativeAsset: string;
  pool: NodePool<RpcNode>;
  seen: SeenHead;
  heightTold: (node: RpcNode) => number;
  everyMs: number;
  time: Pick<BudgetTime, 'now'>;
}): ChainScanner['pending'] {
  const { nativeAsset, pool, seen, heightTold, everyMs, time } = options;
  /** The tip at the last read of the pending block, and its time. */
  let askedTip: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (watch) => {
    if ((await watch.expectingNative()).length === 0) return [];
    const tip = seen.head?.tip.hash;
    const isNewTip = tip !== askedTip;
    askedTip = tip;
    if (isNewTip && time.now() - askedAt < everyMs) return null;
    askedAt = time.now();
    const transfers = await pool.use((node) => waitingAt(node, { nativeAsset, height: heightTold(node) }));
    const known = await watch.known([...new Set(transfers.map(({ to }) => to))]);
    return transfers.filter(({ to }) => known.has(to));
  };
}

/**
 * ERC-20 calls are only intentions until there is a log (E1). `height`: of the node's latest block.
 */
async function waitingAt(
  node: RpcNode,
  { nativeAsset, height }: { nativeAsset: string; height: number },
): Promise<readonly Transfer[]> {
  const [pending] = await node.outcomes([{ method: 'eth_getBlockByNumber', params: ['pending', true] }]);
  if ('error' in pending! || pending!.result === null) return [];
  const block = fields(pending!.result, 'pending block');
  // Rollups return their latest block for `pending`: its transactions are mined.
  const isMined = block.number != null && smallNumber(block.number, 'pending number') <= height;
  if (isMined) return [];
  return list(block.transactions, 'pending transactions').flatMap(
    (item) => nativeTransfer(transaction(item), nativeAsset) ?? [],
  );
}
