/**
 * Receipts of blocks that were read: those of a block in one call where the node supports it, else
 * one by one.
 */
import { type BlockId, ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { type BudgetTime, systemTime } from '../../shared/nodes/call-log.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { hexBytes, type NodeBlock, type NodeReceipt, receipt } from '../decode.ts';
import { hexHeight } from './block-reader.ts';

export interface ReceiptReader {
  /** By transaction hash, each of the block its transaction was read in. */
  of(node: RpcNode, wanted: readonly WantedReceipt[]): Promise<ReadonlyMap<string, NodeReceipt>>;
  /** All of each block, unchecked. */
  ofBlocks(node: RpcNode, blocks: readonly NodeBlock[]): Promise<readonly (readonly unknown[])[]>;
}

export interface WantedReceipt {
  readonly txid: string;
  readonly block: BlockId;
}

/** Up to so many of a block are fetched one by one: all receipts of a block are a megabyte. */
const MANY = 4;
/** How long a node that refused is not asked again: plans change. */
const REFUSED_MS = 600_000;

export function receiptReader(time: Pick<BudgetTime, 'now'> = systemTime): ReceiptReader {
  /** By the node's label. */
  const refusedUntil = new Map<string, number>();

  /** Null for each block for which the node does not return all receipts in one call. */
  async function together(
    node: RpcNode,
    blocks: readonly BlockId[],
  ): Promise<readonly (readonly unknown[] | null)[]> {
    if ((refusedUntil.get(node.label) ?? 0) > time.now()) return blocks.map(() => null);
    const outcomes = await node.outcomes(
      blocks.map(({ height }) => ({ method: 'eth_getBlockReceipts', params: [hexHeight(height)] })),
    );
    if (outcomes.some((outcome) => 'error' in outcome)) refusedUntil.set(node.label, time.now() + REFUSED_MS);
    return outcomes.map((outcome, position) => {
      if ('error' in outcome) return null;
      if (outcome.result === null)
        throw new NodeLagging(`has no receipts of block ${blocks[position]!.height}`);
      return list(outcome.result, 'block receipts');
    });
  }

  async function oneByOne(node: RpcNode, txids: readonly string[]): Promise<readonly unknown[]> {
    const calls = txids.map((txid) => ({ method: 'eth_getTransactionReceipt', params: [txid] }));
    const answers = await node.batch(calls);
    if (answers.includes(null)) throw new NodeLagging('has no receipt of a mined transaction');
    return answers;
  }

  return {
    async of(node, wanted) {
      const byBlock = [...Map.groupBy(wanted, ({ block }) => block.hash).values()];
      const full = byBlock.filter(({ length }) => length >= MANY).map(([first]) => first!.block);
      const told = (await together(node, full)).flatMap((receipts) => receipts ?? []);
      const found = new Map(
        told.map((each) => [hexBytes(fields(each, 'receipt').transactionHash, 'receipt hash', 32), each]),
      );
      const rest = wanted.map(({ txid }) => txid).filter((txid) => !found.has(txid));
      for (const [position, each] of (await oneByOne(node, rest)).entries()) found.set(rest[position]!, each);
      return new Map(
        wanted.map(({ txid, block }) => {
          const read = receipt(found.get(txid));
          if (read.blockHash !== block.hash)
            throw new ChainUnavailable('the chain was reorganised while it was read');
          return [txid, read];
        }),
      );
    },

    async ofBlocks(node, blocks) {
      const told = await together(node, blocks);
      return Promise.all(
        blocks.map(
          async ({ transactions }, position) =>
            told[position] ??
            oneByOne(
              node,
              transactions.map(({ hash }) => hash),
            ),
        ),
      );
    },
  };
}
