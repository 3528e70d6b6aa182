/**
 * The blocks up to the tip of a chain that makes several a poll, for as many
 * questions however many they are (decision 0022): logs tell of tokens, balances of the coin and of our
 * hot wallet, and whole blocks are read where they do.
 */
import {
  type BlockRange,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { heightsOf } from '../../shared/read/block-range.ts';
import { refOf } from '../decode.ts';
import type { EvmTokens } from '../tokens.ts';
import { headerAt, headersAt } from './block-reader.ts';
import { balanceFollower, followedOf, movedAmong, movesIn } from './coin-moves.ts';
import type { LogOfRange, LogRanges } from './log-ranges.ts';
import { mayHaveTransfers } from './logs.ts';
import type { Held, RangeScanner } from './range-scan.ts';
import { tokenTransfers } from './transfers.ts';

export type SparseRange = Required<BlockRange>;

export interface SparseScanner {
  /**
   * The blocks that hold something, and the last one, whose hash the node told before. Null where all blocks have to be read, since what
   * the node says does not show that the others hold nothing.
   */
  scan(
    node: RpcNode,
    range: SparseRange,
    watch: WatchList,
    last: { readonly hash: string; readonly isTip: boolean },
  ): Promise<readonly ScannedBlock[] | null>;
}

/** Headers that are looked at of the newest blocks without logs: an index that is behind its blocks lacks those of the newest. */
const SILENT_MOST = 8;

export function sparseScanner(options: {
  chain: string;
  tokens: EvmTokens;
  ranges: RangeScanner;
  logsOver: LogRanges;
  held: Held;
}): SparseScanner {
  const { chain, tokens, ranges, logsOver, held } = options;
  const balancesAround = balanceFollower();

  return {
    async scan(node, { from, to, after }, watch, { hash: tip, isTip }) {
      const contracts = await tokens.usable(node);
      const [logs, before, followed] = await Promise.all([
        contracts.size === 0 ? [] : logsOver(node, { from, to }, [...contracts.keys()]),
        headerAt(node, from - 1),
        followedOf(watch),
      ]);
      if (before?.hash !== after.hash) return null;
      const hashes = hashesOf(logs);
      if ((hashes.get(to) ?? tip) !== tip) throw moving(chain, to);
      const around = await balancesAround(node, { after: after.hash, addresses: followed, tip });
      if (around === null) return null;
      const paid = tokenTransfers(
        logs.map(({ of }) => of),
        contracts,
      );
      const wallet = watch.spending?.wallet;
      // After a restored backup a payment and its sweep may be in one range, and only our wallet tells.
      if (!isTip && wallet === undefined) return null;
      const changed = movedAmong(followed, around);
      const open = wallet !== undefined && changed.includes(wallet) ? followed : changed;
      const known = await watch.known([...new Set([...open, ...paid.map((transfer) => transfer.to)])]);
      const ours = open.filter((address) => known.has(address) || address === wallet);
      const moves = await movesIn(node, { from, to }, ours, around, wallet);
      if (moves === null) return null;
      const paying = new Set(paid.filter((transfer) => known.has(transfer.to)).map(({ txid }) => txid));
      const heights = new Set([
        ...logs.filter(({ of }) => paying.has(of.txid)).map(({ height }) => height),
        ...moves.map(({ height }) => height),
      ]);
      const blocks: ScannedBlock[] = [];
      for (const height of [...heights].toSorted((a, b) => a - b)) {
        const moved = moves.find((move) => move.height === height)?.addresses ?? [];
        const [block] = await ranges.scan(node, { from: height, to: height }, watch, {
          moved: moved.filter((address) => known.has(address)),
        });
        if (block!.hash !== (hashes.get(height) ?? block!.hash)) throw moving(chain, height);
        blocks.push(block!);
      }
      // Last: what was read before is of the branch whose tip this was all the time.
      const silent = contracts.size === 0 ? [] : silentAmong(hashes, { from, to });
      const headers = await headersAt(node, [...silent, to]);
      const last = headers.at(-1)!;
      if (last.hash !== tip) throw moving(chain, to);
      const without = headers.filter(({ height }) => !hashes.has(height) && !heights.has(height));
      if (without.some(({ logsBloom }) => mayHaveTransfers(logsBloom, held(contracts)))) return null;
      return linked(heights.has(to) ? blocks : [...blocks, { ...refOf(last), transfers: [] }], after.hash);
    },
  };
}

const moving = (chain: string, height: number): ChainUnavailable =>
  new ChainUnavailable(`${chain} was reorganised while block ${height} was read`);

/** By height: the hash of the block, as the logs in it say. */
function hashesOf(logs: readonly LogOfRange[]): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  for (const { height, of } of logs) {
    if ((hashes.get(height) ?? of.blockHash) !== of.blockHash)
      throw new NodeLagging(`told logs of two blocks of height ${height}`);
    hashes.set(height, of.blockHash);
  }
  return hashes;
}

/** The newest blocks below `to` since the last one with logs, at most SILENT_MOST of them. */
function silentAmong(
  hashes: ReadonlyMap<number, string>,
  { from, to }: { from: number; to: number },
): readonly number[] {
  const newest = Math.max(from - 1, ...hashes.keys());
  return newest + 1 > to - 1 ? [] : heightsOf({ from: Math.max(newest + 1, to - SILENT_MOST), to: to - 1 });
}

/** Each with the block on which it follows, where that is not its parent. */
function linked(blocks: readonly ScannedBlock[], after: string): readonly ScannedBlock[] {
  return blocks.map((block, position) => {
    const follows = blocks[position - 1]?.hash ?? after;
    return follows === block.parentHash ? block : { ...block, follows };
  });
}
