/**
 * Which of the newest blocks has a transaction, for nodes without an index of transactions: a
 * transaction that is looked up was waiting a moment ago. Lists of ids are cached by block, so each
 * block is read once.
 */
import { boundedMap } from '../../../../domain/bounded-map.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';

/** Some hundred kilobytes each. */
const BLOCKS = 20;

export interface RecentTransactions {
  /** Hash of the block, searched from the canonical tip downwards, or null. */
  blockOf(txid: string): Promise<string | null>;
}

export function recentTransactions(node: RpcNode): RecentTransactions {
  const blocks = boundedMap<string, { readonly parent: unknown; readonly txids: ReadonlySet<unknown> }>(
    BLOCKS,
  );

  async function read(blockHash: string) {
    const known = blocks.get(blockHash);
    if (known !== undefined) return known;
    const answer = fields(await node.call('getblock', blockHash, true), 'block');
    const block = { parent: answer.previousblockhash, txids: new Set(list(answer.tx, 'transactions')) };
    blocks.set(blockHash, block);
    return block;
  }

  return {
    blockOf: async (txid) => {
      let blockHash = await node.call('getbestblockhash');
      for (let depth = 0; depth < BLOCKS && typeof blockHash === 'string'; depth++) {
        const { parent, txids } = await read(blockHash);
        if (txids.has(txid)) return blockHash;
        blockHash = parent;
      }
      return null;
    },
  };
}
