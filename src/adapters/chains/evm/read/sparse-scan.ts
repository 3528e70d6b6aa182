/**
 * The blocks up to the tip of a chain that makes several a poll. The number of questions does not
 * grow with the number of blocks (decision 0022). Logs tell of tokens, and balances of the coin and
 * of our hot wallet. Only blocks that they point to are read whole.
 */
import {
  type BlockRange,
  ChainUnavailable,
  type ScannedBlock,
  type Transfer,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { heightsOf } from '../../shared/read/block-range.ts';
import { type NodeHeader, refOf } from '../decode.ts';
import type { EvmTokens } from '../tokens.ts';
import { headerAt, headersAt } from './block-reader.ts';
import {
  type BalanceFollower,
  balanceFollower,
  followedOf,
  type Move,
  movedAmong,
  movesIn,
} from './coin-moves.ts';
import type { LogOfRange, LogRanges } from './log-ranges.ts';
import { mayHaveTransfers } from './logs.ts';
import type { CreditedContracts, RangeScanner } from './range-scan.ts';
import { tokenTransfers } from './transfers.ts';

export type SparseRange = Required<BlockRange>;

/** The end of a range, as the node told it before. */
interface LastBlock {
  readonly hash: string;
  readonly isTip: boolean;
}

export interface SparseScanner {
  /**
   * The blocks that hold something, and the last one, whose hash the node told before. Null where
   * the node's answers do not show that the other blocks hold nothing: then all must be read.
   */
  scan(
    node: RpcNode,
    range: SparseRange,
    watch: WatchList,
    last: LastBlock,
  ): Promise<readonly ScannedBlock[] | null>;
}

/**
 * Newest blocks without logs whose headers are checked: an index that lags lacks the newest logs.
 */
const SILENT_MOST = 8;

interface SparseOptions {
  readonly chain: string;
  readonly tokens: EvmTokens;
  readonly ranges: RangeScanner;
  readonly logsOver: LogRanges;
  readonly held: CreditedContracts;
}

interface SparseScanContext extends SparseOptions {
  readonly balancesAround: BalanceFollower;
}

/** What logs tell of a range. */
interface RangeLogs {
  readonly logs: readonly LogOfRange[];
  /** Hashes of the blocks with logs, by height. */
  readonly hashes: ReadonlyMap<number, string>;
  readonly contracts: ReadonlyMap<string, string>;
  readonly paid: readonly Transfer[];
}

export function sparseScanner(options: SparseOptions): SparseScanner {
  const context: SparseScanContext = { ...options, balancesAround: balanceFollower() };
  return { scan: (...asked) => scan(context, ...asked) };
}

async function scan(
  context: SparseScanContext,
  node: RpcNode,
  range: SparseRange,
  watch: WatchList,
  last: LastBlock,
): Promise<readonly ScannedBlock[] | null> {
  const { chain, tokens, logsOver } = context;
  const { from, to, after } = range;
  const contracts = await tokens.usable(node);
  const [logs, before, followed] = await Promise.all([
    contracts.size === 0 ? [] : logsOver(node, { from, to }, [...contracts.keys()]),
    headerAt(node, from - 1),
    followedOf(watch),
  ]);
  if (before?.hash !== after.hash) return null;
  const hashes = hashesOf(logs);
  if ((hashes.get(to) ?? last.hash) !== last.hash) throw moving(chain, to);
  const paid = tokenTransfers(
    logs.map(({ of }) => of),
    contracts,
  );
  const logged = { logs, hashes, contracts, paid };
  const holding = await holdingIn(context, node, range, { watch, last, followed, logged });
  if (holding === null) return null;
  const blocks = await readEach(context, node, watch, { holding, hashes });
  // This comes last: the tip is still the same, so all that was read is of one branch.
  const end = await endOf(context, node, range, { last, logged, holding });
  return end && linked(holding.has(to) ? blocks : [...blocks, { ...refOf(end), transfers: [] }], after.hash);
}

/**
 * The heights of blocks that hold something, ascending, each with our addresses whose coin moved in
 * it. Null where balances cannot tell.
 */
async function holdingIn(
  { balancesAround }: SparseScanContext,
  node: RpcNode,
  { from, to, after }: SparseRange,
  found: { watch: WatchList; last: LastBlock; followed: readonly string[]; logged: RangeLogs },
): Promise<ReadonlyMap<number, readonly string[]> | null> {
  const { watch, last, followed, logged } = found;
  const around = await balancesAround(node, { after: after.hash, addresses: followed, tip: last.hash });
  const wallet = watch.spending?.wallet;
  // After a restored backup a range may hold a payment and its sweep. Only our wallet tells then.
  if (around === null || (!last.isTip && wallet === undefined)) return null;
  const changed = movedAmong(followed, around);
  const open = wallet !== undefined && changed.includes(wallet) ? followed : changed;
  const known = await watch.known([...new Set([...open, ...logged.paid.map((transfer) => transfer.to)])]);
  const ours = open.filter((address) => known.has(address) || address === wallet);
  const moves = await movesIn(node, { from, to }, ours, around, wallet);
  return moves && byHeight(moves, logged, known);
}

function byHeight(
  moves: readonly Move[],
  { logs, paid }: RangeLogs,
  known: ReadonlySet<string>,
): ReadonlyMap<number, readonly string[]> {
  const paying = new Set(paid.filter(({ to }) => known.has(to)).map(({ txid }) => txid));
  const moved = new Map<number, readonly string[]>();
  for (const { height, of } of logs) if (paying.has(of.txid)) moved.set(height, []);
  for (const { height, addresses } of moves)
    moved.set(
      height,
      addresses.filter((address) => known.has(address)),
    );
  return new Map([...moved].toSorted(([a], [b]) => a - b));
}

async function readEach(
  { chain, ranges }: SparseScanContext,
  node: RpcNode,
  watch: WatchList,
  {
    holding,
    hashes,
  }: { holding: ReadonlyMap<number, readonly string[]>; hashes: ReadonlyMap<number, string> },
): Promise<readonly ScannedBlock[]> {
  const blocks: ScannedBlock[] = [];
  for (const [height, moved] of holding) {
    const [block] = await ranges.scan(node, { from: height, to: height }, watch, { moved });
    if (block!.hash !== (hashes.get(height) ?? block!.hash)) throw moving(chain, height);
    blocks.push(block!);
  }
  return blocks;
}

/**
 * The header of the last block. Null where the newest headers say that blocks without logs hold
 * transfers.
 */
async function endOf(
  { chain, held }: SparseScanContext,
  node: RpcNode,
  { from, to }: SparseRange,
  found: { last: LastBlock; logged: RangeLogs; holding: ReadonlyMap<number, readonly string[]> },
): Promise<NodeHeader | null> {
  const { hashes, contracts } = found.logged;
  const silent = contracts.size === 0 ? [] : silentAmong(hashes, { from, to });
  const headers = await headersAt(node, [...silent, to]);
  const end = headers.at(-1)!;
  if (end.hash !== found.last.hash) throw moving(chain, to);
  const without = headers.filter(({ height }) => !hashes.has(height) && !found.holding.has(height));
  return without.some(({ logsBloom }) => mayHaveTransfers(logsBloom, held(contracts))) ? null : end;
}

const moving = (chain: string, height: number): ChainUnavailable =>
  new ChainUnavailable(`${chain} was reorganised while block ${height} was read`);

/** The hash of each block with logs, by height, as its logs say. */
function hashesOf(logs: readonly LogOfRange[]): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  for (const { height, of } of logs) {
    if ((hashes.get(height) ?? of.blockHash) !== of.blockHash)
      throw new NodeLagging(`told logs of two blocks of height ${height}`);
    hashes.set(height, of.blockHash);
  }
  return hashes;
}

/** The heights below `to` since the last block with logs, at most the SILENT_MOST newest. */
function silentAmong(
  hashes: ReadonlyMap<number, string>,
  { from, to }: { from: number; to: number },
): readonly number[] {
  const newest = Math.max(from - 1, ...hashes.keys());
  return newest + 1 > to - 1 ? [] : heightsOf({ from: Math.max(newest + 1, to - SILENT_MOST), to: to - 1 });
}

/** Names for each block the one that it follows, where that is not its parent. */
function linked(blocks: readonly ScannedBlock[], after: string): readonly ScannedBlock[] {
  return blocks.map((block, position) => {
    const follows = blocks[position - 1]?.hash ?? after;
    return follows === block.parentHash ? block : { ...block, follows };
  });
}
