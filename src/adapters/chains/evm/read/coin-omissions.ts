/**
 * Payments in the coin that a node left out of its blocks (safety.md R9): every node's balances around final blocks have to be explained
 * by what was told of these blocks, and by what this gateway sent from there. Where one's are not, each node is asked for the block in
 * which they changed.
 */
import { outputKey } from '../../../../domain/deposits/deposit.ts';
import type { BlockRange, ScannedBlock, Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { SentTransaction, WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { fullReceipt } from '../decode.ts';
import { headersAt } from './block-reader.ts';
import { balanceFollower, followedOf, type Move, movesIn } from './coin-moves.ts';
import type { RangeScanner } from './range-scan.ts';

interface Known {
  readonly addresses: readonly string[];
  /** What was told to have come to each. */
  readonly told: ReadonlyMap<string, bigint>;
  readonly sent: readonly SentTransaction[];
}

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
  const toldUtxos = new Map<string, { readonly height: number; readonly transfer: Transfer }>();

  /** What left each address in the range by our own transactions, their fees included, as this node's receipts tell. */
  async function leftBy(
    node: RpcNode,
    { from, to }: BlockRange,
    sent: readonly SentTransaction[],
  ): Promise<ReadonlyMap<string, bigint>> {
    const calls = sent.map(({ txid }) => ({ method: 'eth_getTransactionReceipt', params: [txid] }));
    const left = new Map<string, bigint>();
    for (const [position, outcome] of (await node.outcomes(calls)).entries()) {
      if ('error' in outcome || outcome.result === null) continue;
      const { txid, from: sender, units } = sent[position]!;
      const { height, feeWei, succeeded } = fullReceipt(outcome.result, { txid, signedGasPrice: 0n });
      if (height < from || height > to) continue;
      left.set(sender, (left.get(sender) ?? 0n) + feeWei + (succeeded ? units : 0n));
    }
    return left;
  }

  /** Where UTXOs of ours moved otherwise than what was told and our own transactions explain, as this node's balances tell. */
  async function unexplained(
    node: RpcNode,
    { from, to }: BlockRange,
    { addresses, told, sent }: Known,
    watch: WatchList,
  ): Promise<readonly Move[]> {
    // Nothing comes before the genesis block, whose own balances are no payments.
    const first = Math.max(1, from);
    const [after, tip] = (await headersAt(node, [first - 1, to])).map(({ hash }) => hash);
    const around = await balancesAround(node, { after: after!, tip: tip!, addresses });
    if (around === null) return [];
    const left = await leftBy(node, { from: first, to }, sent);
    const open = addresses.filter((address) => {
      const more = around.now.get(address)! - (around.before.get(address) ?? 0n);
      return more !== (told.get(address) ?? 0n) - (left.get(address) ?? 0n);
    });
    const known = open.length === 0 ? new Set() : await watch.known(open);
    const ours = open.filter((address) => known.has(address));
    // As much as came may have been swept: then the wallet alone tells where.
    const wallet = ours.some((address) => left.has(address)) ? watch.spending?.wallet : undefined;
    const looked = wallet === undefined ? ours : [...ours, wallet];
    const moves = (await movesIn(node, { from: first, to }, looked, around, wallet)) ?? [];
    return moves.map(({ height, addresses: moved }) => ({
      height,
      addresses: moved.filter((each) => each !== wallet),
    }));
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
          if (transfer.asset === nativeAsset) toldUtxos.set(outputKey(transfer), { height, transfer });
    },

    async find(range, watch) {
      const told = new Map<string, bigint>();
      for (const { height, transfer } of toldUtxos.values())
        if (height >= range.from && height <= range.to)
          told.set(transfer.to, (told.get(transfer.to) ?? 0n) + transfer.units);
      const addresses = await followedOf(watch);
      const followed = new Set(addresses);
      const sent = ((await watch.spending?.sent(range.from)) ?? []).filter(({ from }) => followed.has(from));
      const ofNodes = await pool.every((node) => unexplained(node, range, { addresses, told, sent }, watch));
      const moves = ofNodes.flat().filter(({ addresses: moved }) => moved.length > 0);
      const found: ScannedBlock[] = [];
      for (const [height, ofBlock] of Map.groupBy(moves, (move) => move.height)) {
        const moved = [...new Set(ofBlock.flatMap(({ addresses }) => addresses))];
        found.push(...(await shownAt(height, moved, watch)).filter(({ transfers }) => transfers.length > 0));
      }
      for (const [key, { height }] of toldUtxos) if (height <= range.to) toldUtxos.delete(key);
      return found;
    },
  };
}
