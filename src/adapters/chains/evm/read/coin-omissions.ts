/**
 * Payments in the native coin that a node left out of its blocks (safety.md R9). Around final
 * blocks, two things explain the balances of every node: the payments that were read, and what this
 * gateway sent. Where balances differ, each node is asked for the block in which they changed.
 */
import { outputKey } from '../../../../domain/deposits/deposit.ts';
import type { BlockRange, ScannedBlock, Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { SentTransaction, WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { fullReceipt } from '../decode.ts';
import { headersAt } from './block-reader.ts';
import { type BalanceFollower, balanceFollower, followedOf, type Move, movesIn } from './coin-moves.ts';
import type { RangeScanner } from './range-scan.ts';

interface CoinOmissionOptions {
  readonly chain: string;
  readonly nativeAsset: string;
  readonly pool: NodePool<RpcNode>;
  readonly ranges: RangeScanner;
  readonly logger: Logger;
}

interface CoinOmissionContext extends CoinOmissionOptions {
  readonly balancesAround: BalanceFollower;
  /**
   * By transaction and output: a block may be read twice, and its transactions in another block.
   */
  readonly toldPayments: Map<string, { readonly height: number; readonly transfer: Transfer }>;
}

interface ReportedMoney {
  readonly addresses: readonly string[];
  /** What was read to have come to each address, in base units. */
  readonly told: ReadonlyMap<string, bigint>;
  readonly sent: readonly SentTransaction[];
}

export interface CoinOmissions {
  /** Notes the payments of blocks that were read. */
  told(blocks: readonly ScannedBlock[]): void;
  /**
   * The blocks of a final range that pay more than was read, as far as nodes have the state of such
   * old blocks.
   */
  find(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]>;
}

export function coinOmissions(options: CoinOmissionOptions): CoinOmissions {
  const context: CoinOmissionContext = {
    ...options,
    balancesAround: balanceFollower(),
    toldPayments: new Map(),
  };
  const { nativeAsset, toldPayments } = context;
  return {
    told(blocks) {
      for (const { height, transfers } of blocks)
        for (const transfer of transfers)
          if (transfer.asset === nativeAsset) toldPayments.set(outputKey(transfer), { height, transfer });
    },
    find: (range, watch) => find(context, range, watch),
  };
}

async function find(
  context: CoinOmissionContext,
  range: BlockRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { pool, toldPayments } = context;
  const told = toldIn(context, range);
  const addresses = await followedOf(watch);
  const followed = new Set(addresses);
  const sent = ((await watch.spending?.sent(range.from)) ?? []).filter(({ from }) => followed.has(from));
  const known: ReportedMoney = { addresses, told, sent };
  const ofNodes = await pool.every((node) => unexplained(context, node, range, { ...known, watch }));
  const moves = ofNodes.flat().filter(({ addresses: moved }) => moved.length > 0);
  const found: ScannedBlock[] = [];
  for (const [height, ofBlock] of Map.groupBy(moves, (move) => move.height)) {
    const moved = [...new Set(ofBlock.flatMap(({ addresses: each }) => each))];
    const shown = await shownAt(context, height, moved, watch);
    found.push(...shown.filter(({ transfers }) => transfers.length > 0));
  }
  for (const [key, { height }] of toldPayments) if (height <= range.to) toldPayments.delete(key);
  return found;
}

/** By address, in base units. */
function toldIn(
  { toldPayments }: CoinOmissionContext,
  { from, to }: BlockRange,
): ReadonlyMap<string, bigint> {
  const told = new Map<string, bigint>();
  for (const { height, transfer } of toldPayments.values())
    if (height >= from && height <= to) told.set(transfer.to, (told.get(transfer.to) ?? 0n) + transfer.units);
  return told;
}

/** Where the balances of this node differ from what is known to have moved. */
async function unexplained(
  { balancesAround }: CoinOmissionContext,
  node: RpcNode,
  { from, to }: BlockRange,
  { addresses, told, sent, watch }: ReportedMoney & { readonly watch: WatchList },
): Promise<readonly Move[]> {
  // No block comes before the genesis block, and its own balances are no payments.
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
  // A sweep may have taken as much as came. Then only the wallet's balance shows where.
  const wallet = ours.some((address) => left.has(address)) ? watch.spending?.wallet : undefined;
  const looked = wallet === undefined ? ours : [...ours, wallet];
  const moves = (await movesIn(node, { from: first, to }, looked, around, wallet)) ?? [];
  return moves.map(({ height, addresses: moved }) => ({
    height,
    addresses: moved.filter((each) => each !== wallet),
  }));
}

/**
 * What our own transactions in the range took from each address, fees included, in base units, by
 * this node's receipts.
 */
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

/**
 * The block at `height` with the payments that any node shows in it; empty where nodes have
 * different blocks.
 */
async function shownAt(
  { chain, pool, ranges, logger }: CoinOmissionContext,
  height: number,
  moved: readonly string[],
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const shown = await pool.every(async (node) => {
    const [block] = await ranges.scan(node, { from: height, to: height }, watch, { moved });
    return { node: node.label, block: block! };
  });
  const each = shown.map(({ block }) => new Map(block.transfers.map((one) => [outputKey(one), one])));
  // Money without a payment counts only where no node shows a payment that explains it.
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
