/**
 * Balances of the newest blocks of a chain whose blocks are all read, on nodes that do not trace: they are compared over some blocks
 * together, as each comparison costs a call for each 5,000 addresses. What came is told by its block all the same.
 */
import type { BlockRange, ChainScanner, ScannedBlock, WatchList } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { heightsOf } from '../shared/block-range.ts';
import type { Lag } from '../shared/lagging.ts';
import type { NodePool } from '../shared/node-pool.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { lagBridged } from './lagging.ts';
import { expectingNative, type LeftBlock, type RangeScanner } from './range-scan.ts';
import { someLooks } from './some-looks.ts';

/** Two minutes on Ethereum. What is found waits for an operator anyway (safety.md E6). */
const JOINED_BLOCKS = 10;
/** Blocks of which it is remembered that they were dealt with: more than follow on a reorganisation, or on a comparison that failed. */
const REMEMBERED = 1_000;

export interface JoinedBalances {
  /** Notes blocks that were read: traced where `expecting` is null, else to be compared for these addresses, whatever becomes of them. */
  read(blocks: readonly LeftBlock[], expecting: readonly string[] | null): void;
  /** ChainScanner.late: what came in blocks that were not traced, as soon as they are not few. */
  readonly look: NonNullable<ChainScanner['late']>;
}

export function joinedBalances(options: {
  chain: string;
  pool: NodePool<RpcNode>;
  ranges: RangeScanner;
  lag: Lag;
  logger: Logger;
}): JoinedBalances {
  const { chain, pool, ranges, lag, logger } = options;
  /** By height, what this process read; null: traced, or compared since. Traced payments must not be told again by balances. */
  const seen = new Map<number, LeftBlock | null>();
  /** Of the blocks that are not compared: an invoice may end meanwhile. */
  const expected = new Set<string>();
  const looks = someLooks({ chain, logger, event: 'chain.balances_unreconciled' });

  /** Others may have read some of the blocks, or a process before this one, and all again after a reorganisation: those are read anew. */
  async function arrivalsIn(
    node: RpcNode,
    range: BlockRange,
    { watch, addresses }: { watch: WatchList; addresses: readonly string[] },
  ): Promise<readonly ScannedBlock[]> {
    const scan = (some: BlockRange) => ranges.scan(node, some, watch, { moved: addresses });
    const heights = heightsOf(range);
    const scanned: ScannedBlock[] = [];
    for (const hole of piecesOf(heights.filter((height) => !seen.has(height))))
      scanned.push(...(await scan(hole)));
    const left = heights.flatMap((height) => seen.get(height) ?? []);
    const all = [...scanned, ...left.map(({ block }) => block)].toSorted((a, b) => a.height - b.height);
    const isOne = all.every(({ parentHash }, at) => at === 0 || parentHash === all[at - 1]!.hash);
    if (!isOne) return paying(await scan(range));
    const found = [...paying(scanned)];
    for (const { from, to } of piecesOf(left.map(({ block }) => block.height))) {
      const piece = left.filter(({ block }) => block.height >= from && block.height <= to);
      found.push(...(await ranges.arrivals(node, piece, addresses)));
    }
    return found;
  }

  async function arrivals(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]> {
    const addresses = [...new Set([...expected, ...(await expectingNative(watch))])];
    if (addresses.length === 0) return [];
    return pool.use(async (node) => {
      const asked = lagBridged(node, lag);
      const found: ScannedBlock[] = [];
      for (const piece of piecesOf(heightsOf(range).filter((height) => seen.get(height) !== null)))
        found.push(...(await arrivalsIn(asked, piece, { watch, addresses })));
      const told: ScannedBlock[] = [];
      for (const block of found) told.push(await tracedAgain(asked, block, watch));
      return told;
    });
  }

  /** A trace may have failed for once, or for this instance only: what a node traces now is a payment, and the same to all instances. */
  async function tracedAgain(node: RpcNode, block: ScannedBlock, watch: WatchList): Promise<ScannedBlock> {
    const { height, transfers } = block;
    if (transfers.every(({ kind }) => kind === 'payment')) return block;
    const moved = [...new Set(transfers.map(({ to }) => to))];
    const [again] = await ranges.scan(node, { from: height, to: height }, watch, { moved });
    return again === undefined || again.transfers.length === 0 ? block : again;
  }

  return {
    read(blocks, expecting) {
      for (const each of blocks) seen.set(each.block.height, expecting === null ? null : each);
      for (const address of expecting ?? []) expected.add(address);
    },

    async look(upTo, watch, take) {
      for (const height of seen.keys()) if (height < upTo - REMEMBERED) seen.delete(height);
      const own = [...seen].flatMap(([height, left]) => (left !== null && height <= upTo ? [height] : []));
      const lowest = Math.min(...own);
      if (!(upTo - lowest + 1 >= JOINED_BLOCKS)) return;
      // What another instance, or the process before this one, may have left.
      const range = { from: Math.max(1, lowest - JOINED_BLOCKS + 1), to: upTo };
      const found = await looks.at(range, arrivals(range, watch));
      if (found === null) return;
      if (found.length > 0) await take(found);
      for (const height of heightsOf(range)) seen.set(height, null);
      if (![...seen.values()].some((left) => left !== null)) expected.clear();
      looks.done();
    },
  };
}

const paying = (blocks: readonly ScannedBlock[]): readonly ScannedBlock[] =>
  blocks.filter(({ transfers }) => transfers.length > 0);

/** Ascending heights as ranges. */
function piecesOf(heights: readonly number[]): readonly BlockRange[] {
  const pieces: { from: number; to: number }[] = [];
  for (const height of heights) {
    const last = pieces.at(-1);
    if (last?.to === height - 1) last.to = height;
    else pieces.push({ from: height, to: height });
  }
  return pieces;
}
