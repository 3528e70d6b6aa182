/** One range of blocks on one node, from raw answers to the transfers that pay somebody on the watch list. */
import type { ClaimedTransfer, ScannedBlock, Transfer, WatchList } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { normalizeEvmAddress } from '../shared/eip55.ts';
import { RpcError } from '../shared/faults.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { unknownField } from '../shared/unknown.ts';
import { confirmCanonical, readBlocks, readFrames, readLogs, readReceipts } from './block-reader.ts';
import type { NodeBlock } from './decode.ts';
import { unexplainedArrivals } from './reconcile.ts';
import type { EvmTokens } from './tokens.ts';
import { internalTransfers, nativeTransfer, tokenTransfers } from './transfers.ts';
import { unknownIn } from './unknown.ts';

export interface RangeScanner {
  /**
   * With `claimed`, the blocks are traced only when some of those came by internal transfers, and only the balances are reconciled
   * that told of some: a node that does not trace, or has lost the state of the block, does not confirm these.
   */
  scan(
    node: RpcNode,
    range: { from: number; to: number },
    watch: WatchList,
    claimed?: readonly ClaimedTransfer[],
  ): Promise<readonly ScannedBlock[]>;
}

export function rangeScanner(options: {
  chain: string;
  nativeAsset: string;
  tokens: EvmTokens;
  trace: boolean;
  logger: Logger;
}): RangeScanner {
  const { chain, nativeAsset, tokens, logger } = options;
  /** What the first try told about each node. */
  const traces = new Map<RpcNode, boolean>();

  /** Frames of every block, or null where the node does not trace (at all, or this time). */
  async function framesOf(
    node: RpcNode,
    blocks: readonly NodeBlock[],
  ): Promise<readonly (readonly unknown[])[] | null> {
    if (!options.trace || traces.get(node) === false) return null;
    if (blocks.every(({ transactions }) => transactions.length === 0)) return blocks.map(() => []);
    try {
      const frames = await readFrames(node, blocks);
      traces.set(node, true);
      return frames;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const problem = { chain, node: node.label, problem: error.message };
      if (traces.get(node) === true) {
        logger.warn('node.trace_failed', problem);
      } else {
        traces.set(node, false);
        logger.info('node.traces_nothing', problem);
      }
      return null;
    }
  }

  /** An old block's state may be gone from the node: then the range goes on without, loudly, rather than stop for ever. */
  async function reconciled(
    scan: Omit<Parameters<typeof unexplainedArrivals>[0], 'chain' | 'asset'>,
  ): Promise<ReadonlyMap<number, readonly Transfer[]>> {
    if (scan.addresses.length === 0) return new Map();
    try {
      return await unexplainedArrivals({ chain, asset: nativeAsset, ...scan });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const [from, to] = [scan.blocks[0]!.height, scan.blocks.at(-1)!.height];
      const problem = { chain, node: scan.node.label, from, to, problem: error.message };
      logger.warn('chain.balances_unreconciled', problem);
      return new Map();
    }
  }

  return {
    scan: async (node, range, watch, claimed) => {
      const blocks = await readBlocks(node, range);
      const contracts = await tokens.usable(node);
      const logs = await readLogs(node, { blocks, contracts: [...contracts.keys()] });
      const traced = claimed?.some(({ output }) => output.startsWith('call:')) ?? true;
      const frames = traced ? await framesOf(node, blocks) : null;
      const tokensPaid = logs.map((ofBlock) => tokenTransfers(ofBlock, contracts));
      const candidates = blocks.map((block, position): readonly Transfer[] => [
        ...block.transactions.flatMap((transaction) => nativeTransfer(transaction, nativeAsset) ?? []),
        ...(frames?.[position] ?? []).flatMap((frame, index) =>
          internalTransfers({ txid: block.transactions[index]!.hash, frame, asset: nativeAsset }),
        ),
        ...tokensPaid[position]!,
      ]);
      const known = await watch.known([...new Set(candidates.flat().map(({ to }) => to))]);
      const untraced = frames === null && claimed === undefined;
      const expecting = untraced ? await expectingNative(watch) : reconciledAmong(claimed ?? []);
      const reconciling = new Set(expecting);
      const receipts = await readReceipts(
        node,
        blocks.flatMap((block) =>
          block.transactions
            .filter(({ from, to, value }) => {
              const pays = value > 0n && to !== null && known.has(to);
              return pays || reconciling.has(from) || (to !== null && reconciling.has(to));
            })
            .map(({ hash }) => ({ txid: hash, blockHash: block.hash })),
        ),
      );
      const unexplained = await reconciled({ node, blocks, addresses: expecting, receipts });
      const { spending } = watch;
      const unknown = await unknownIn(node, blocks, { spending, nativeAsset, tokens: tokensPaid.flat() });
      await confirmCanonical(node, blocks);
      return blocks.map(({ transactions, ...ref }, position) => {
        const order = new Map(transactions.map(({ hash }, index) => [hash, index]));
        const paid = candidates[position]!.filter(
          ({ to, txid, output }) =>
            known.has(to) && (output !== 'native' || receipts.get(txid)?.succeeded === true),
        ).toSorted((a, b) => order.get(a.txid)! - order.get(b.txid)!);
        const transfers = [...paid, ...(unexplained.get(ref.height) ?? [])];
        return { ...ref, transfers, ...unknownField(unknown[position]) };
      });
    },
  };
}

/** Receivers of what balances told of. */
const reconciledAmong = (claimed: readonly ClaimedTransfer[]): readonly string[] =>
  claimed.flatMap(({ output, to }) => (output.startsWith('balance:') ? [to] : []));

async function expectingNative(watch: WatchList): Promise<readonly string[]> {
  const addresses = await watch.expectingNative();
  return [...new Set(addresses.flatMap((address) => normalizeEvmAddress(address) ?? []))];
}
