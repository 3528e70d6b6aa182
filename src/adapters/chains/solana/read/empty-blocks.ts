/**
 * Blocks that a node shows without any transaction. The main network has none (each has votes of
 * validators and other payments), so the node has lost the transactions or does not have them yet
 * (safety.md R9).
 */
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { type BudgetTime, systemTime } from '../../shared/nodes/call-log.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import type { SlotBlock } from './blocks.ts';

/** Within the time for which machines that lag are waited for. */
const SAID_FOR_MS = 3_000;
const REMEMBERED = 1_000;

/**
 * Throws NodeLagging for a block that `node` shows as empty, until a second node confirms it, or
 * the same one after some seconds: the scan must not stop at such a block.
 */
export function emptyBlocks(options: {
  chain: string;
  logger: Logger;
  time?: Pick<BudgetTime, 'now'> | undefined;
}): (node: Pick<RpcNode, 'label'>, block: Pick<SlotBlock, 'hash' | 'height'>) => void {
  const { chain, logger, time = systemTime } = options;
  /** By block hash: the first node that showed it empty, and when. */
  const said = new Map<string, { readonly label: string; readonly at: number }>();
  return ({ label }, { hash, height }) => {
    const first = said.get(hash) ?? { label, at: time.now() };
    if (said.size > REMEMBERED) said.clear();
    said.set(hash, first);
    if (first.label === label && time.now() - first.at < SAID_FOR_MS)
      throw new NodeLagging(`${label}: shows no transaction in block ${height}`);
    logger.warn('chain.transactions_unproven', { chain, node: label, height });
  };
}
