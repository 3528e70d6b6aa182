/**
 * The ChainScanner port over a fake chain's state. It answers exactly as a real node's scanner must
 * (tests/contracts/chains/chain-scanner.ts).
 */
import {
  type Agreement,
  type BlockId,
  type BlockRange,
  type BlockRef,
  type ChainScanner,
  ChainUnavailable,
  type ClaimedTransfer,
  type ScannedBlock,
  type TransactionStatus,
  type Transfer,
} from '../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../ports/chains/watch-list.ts';
import { shownIn } from '../shared/nodes/node-quorum.ts';
import { checkBlockRange } from '../shared/read/block-range.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { unknownField } from '../shared/read/unknown.ts';
import type { ChainState, FakeBlock, FakeTransaction } from './chain-state.ts';
import { unknownIn } from './fake-unknown.ts';

const MAX_RANGE = 50;

interface ScannerOptions {
  readonly chain: string;
  readonly confirmations: number;
  readonly state: ChainState;
  readonly failing: () => boolean;
  readonly disagreeing: () => boolean;
  /** Newest blocks that the scanner's node lacks. */
  readonly missing: () => number;
  /** Whether the chain counts a wallet's transactions. */
  readonly counted: boolean;
  /** Leaves out blocks that hold nothing, wherever the range allows it. */
  readonly sparse: boolean;
}

export function fakeScanner(options: ScannerOptions): ChainScanner {
  const { chain, confirmations, state } = options;
  return {
    chain,
    maxRange: MAX_RANGE,
    head: async () => {
      reach(options);
      const tip = blockRef(tipOf(options));
      return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
    },
    blockAt: async (height) => {
      reach(options);
      const block = blocksOf(options)[height];
      return block === undefined ? null : blockRef(block);
    },
    blocks: (range, watch) => scan(options, range, watch),
    pending: async (watch) => {
      reach(options);
      const waiting = state.mempool.flatMap(({ transfers }) => transfers);
      const isKnown = await knownTo(
        watch,
        waiting.map(({ to }) => to),
      );
      return waiting.filter(({ to }) => isKnown(to));
    },
    lookup: async (txid) => lookup(options, txid),
    confirmWithNodes: async (block, claimed) => confirm(options, block, claimed),
    unscannedAssets: async () => [],
    close: async () => undefined,
  };
}

function reach({ chain, failing }: ScannerOptions): void {
  if (failing()) throw new ChainUnavailable(`${chain}: the fake node was told to fail`);
}

function blocksOf({ state, missing }: ScannerOptions): readonly FakeBlock[] {
  return state.blocks.slice(0, state.blocks.length - missing());
}

const tipOf = (options: ScannerOptions): FakeBlock => blocksOf(options).at(-1)!;

async function scan(
  options: ScannerOptions,
  range: BlockRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { chain, counted, sparse } = options;
  checkBlockRange(range, MAX_RANGE);
  reach(options);
  const found = blocksOf(options).slice(range.from, range.to + 1);
  if (found.length <= range.to - range.from)
    throw new ChainUnavailable(`${chain}: the chain ends at ${tipOf(options).height}`);
  const transfers = found.flatMap(transfersOf);
  const isKnown = await knownTo(watch, [
    ...transfers.map(({ to }) => to),
    ...found.flatMap(({ reowned }) => reowned),
  ]);
  const unknown = await unknownIn(found, watch.spending, { counted, isKnown });
  const scanned = found.map((block, position): ScannedBlock => {
    const frozen = block.reowned.filter(isKnown);
    return {
      ...blockRef(block),
      transfers: transfersOf(block).filter(({ to }) => isKnown(to)),
      ...(frozen.length > 0 ? { frozen } : {}),
      ...unknownField(unknown[position]),
    };
  });
  return sparse && range.after !== undefined ? withoutEmpty(scanned) : scanned;
}

function lookup(options: ScannerOptions, txid: string): TransactionStatus {
  reach(options);
  const found = options.state.find(txid);
  if (found?.block === null) return { state: 'pending' };
  const { height } = found?.block ?? { height: heightOfReconciled(options, txid) };
  const block = blocksOf(options)[height];
  return block === undefined ? { state: 'unknown' } : { state: 'mined', height, blockHash: block.hash };
}

/**
 * The height in the id of money without a transaction, as real scanners look it up; else -1.
 */
function heightOfReconciled({ chain }: ScannerOptions, txid: string): number {
  const prefix = `balance:${chain}:`;
  return txid.startsWith(prefix) ? Number(txid.slice(prefix.length)) : -1;
}

/** As several nodes that agree, or that do not. */
function confirm(
  options: ScannerOptions,
  { height, hash }: BlockId,
  claimed: readonly ClaimedTransfer[],
): Agreement {
  const { failing, disagreeing, confirmations } = options;
  const block = blocksOf(options)[height];
  if (failing() || disagreeing() || block?.hash !== hash) return { kind: 'disputed' };
  const finalHeight = finalizedByConfirmations(tipOf(options).height, confirmations);
  const locks = claimed.map(({ lockedUntil = 0 }) => lockedUntil);
  if ([height, ...locks].some((from) => from > finalHeight)) return { kind: 'not_final' };
  const shows = shownIn({ transfers: transfersOf(block) });
  return { kind: 'agreed', disputed: claimed.filter((transfer) => !shows(transfer)) };
}

/** Whether the watch list knows an address: no other leaves the scanner. */
async function knownTo(
  watch: WatchList,
  addresses: readonly string[],
): Promise<(address: string) => boolean> {
  const known = await watch.known([...new Set(addresses)]);
  return (address) => known.has(address);
}

const transfersOf = (block: FakeBlock): readonly Transfer[] => [
  ...block.transactions.flatMap((transaction) => withLocks(transaction, block.height)),
  ...block.unexplained,
];

/**
 * The blocks that hold something, and the last. After a gap each names the block that it follows.
 */
function withoutEmpty(blocks: readonly ScannedBlock[]): readonly ScannedBlock[] {
  const kept: ScannedBlock[] = [];
  let follows = blocks[0]!.parentHash;
  for (const block of blocks) {
    const holds = block.transfers.length > 0 || block.frozen !== undefined || block.unknown !== undefined;
    if (!holds && block !== blocks.at(-1)) continue;
    kept.push(follows === block.parentHash ? block : { ...block, follows });
    follows = block.hash;
  }
  return kept;
}

function withLocks({ transfers, maturities }: FakeTransaction, height: number): readonly Transfer[] {
  if (maturities === undefined) return transfers;
  return transfers.map((transfer, position) => {
    const blocks = maturities[position] ?? null;
    return blocks === null ? transfer : { ...transfer, lockedUntil: height + blocks };
  });
}

function blockRef({ height, hash, parentHash, time }: BlockRef): BlockRef {
  return { height, hash, parentHash, time };
}
