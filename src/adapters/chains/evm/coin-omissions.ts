/**
 * Payments in the coin that a node left out of its blocks (safety.md R9): every node's balances around final blocks have to be explained
 * by what was told of these blocks. Where one's are not, each node is asked for the block in which they changed.
 */
import { outputKey } from '../../../domain/deposit.ts';
import type { BlockRange, ScannedBlock, Transfer, WatchList } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { NodePool } from '../shared/node-pool.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { headersAt } from './block-reader.ts';
import { balanceFollower, followedOf, type Move, movesIn } from './coin-moves.ts';
import type { RangeScanner } from './range-scan.ts';

export interface CoinOmissions {
  /** Notes what blocks were told to pay. */
  told(blocks: readonly ScannedBlock[]): void;
  /** Blocks of the range, which is final, that pay more than was told, as far as nodes have the state of such old blocks. */
  find(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]>;
}

export function coinOmissions(options: {
  chain: string;
  nativeAsset: string;
  pool: NodePool<RpcNode>;
  ranges: RangeScanner;
  logger: Logger;
}): CoinOmissions {
  const { chain, nativeAsset, pool, ranges, logger } = options;
  const balancesAround = balanceFollower();
  /** By transaction and output: a block may be told again, or its transactions in another one. */
  const toldCoins = new Map<string, { readonly height: number; readonly transfer: Transfer }>();

  /** Where more came to an address of ours than `explained` says, as this node's balances tell. */
  async function unexplained(
    node: RpcNode,
    { from, to }: BlockRange,
    addresses: readonly string[],
    { watch, explained }: { watch: WatchList; explained: ReadonlyMap<string, bigint> },
  ): Promise<readonly Move[]> {
    // Nothing comes before the genesis block, whose own balances are no payments.
    const first = Math.max(1, from);
    const [after, tip] = (await headersAt(node, [first - 1, to])).map(({ hash }) => hash);
    const around = await balancesAround(node, { after: after!, tip: tip!, addresses });
    if (around === null) return [];
    const richer = addresses.filter((address) => {
      const came = around.now.get(address)! - (around.before.get(address) ?? 0n);
      return came > (explained.get(address) ?? 0n);
    });
    const known = richer.length === 0 ? new Set() : await watch.known(richer);
    const ours = richer.filter((address) => known.has(address));
    return (await movesIn(node, { from: first, to }, ours, around)) ?? [];
  }

  async function shownAt(
    height: number,
    moved: readonly string[],
    watch: WatchList,
  ): Promise<ScannedBlock[]> {
    const shown = await pool.every(async (node) => {
      const [block] = await ranges.scan(node, { from: height, to: height }, watch, { moved });
      return { node: node.label, block: block! };
    });
    const each = shown.map(({ block }) => new Map(block.transfers.map((one) => [outputKey(one), one])));
    // What one node explains by a payment is no money without one.
    const transfers = new Map(
      each
        .flatMap((ofNode) => [...ofNode])
        .filter(([key, { kind }]) => kind === 'payment' || each.every((ofNode) => ofNode.has(key))),
    );
    for (const [position, { node }] of shown.entries())
      if ([...transfers.keys()].some((key) => !each[position]!.has(key)))
        logger.warn('node.payments_missing', { chain, node, height });
    const [first] = shown;
    const isOne = shown.every(({ block }) => block.hash === first?.block.hash);
    return first && isOne ? [{ ...first.block, transfers: [...transfers.values()] }] : [];
  }

  return {
    told(blocks) {
      for (const { height, transfers } of blocks)
        for (const transfer of transfers)
          if (transfer.asset === nativeAsset) toldCoins.set(outputKey(transfer), { height, transfer });
    },

    async find(range, watch) {
      const explained = new Map<string, bigint>();
      for (const { height, transfer } of toldCoins.values())
        if (height >= range.from && height <= range.to)
          explained.set(transfer.to, (explained.get(transfer.to) ?? 0n) + transfer.units);
      const addresses = await followedOf(watch);
      const told = await pool.every((node) => unexplained(node, range, addresses, { watch, explained }));
      const moves = told.flat();
      const found: ScannedBlock[] = [];
      for (const [height, ofBlock] of Map.groupBy(moves, (move) => move.height)) {
        const moved = [...new Set(ofBlock.flatMap(({ addresses }) => addresses))];
        found.push(...(await shownAt(height, moved, watch)));
      }
      for (const [key, { height }] of toldCoins) if (height <= range.to) toldCoins.delete(key);
      return found;
    },
  };
}
