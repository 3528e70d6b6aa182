/**
 * The ChainScanner port over a fake chain's state: answers exactly as a real node's scanner must
 * (tests/contracts/chains/chain-scanner.ts).
 */
import {
  type BlockRef,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
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

export function fakeScanner(options: {
  chain: string;
  confirmations: number;
  state: ChainState;
  failing: () => boolean;
  disagreeing: () => boolean;
  /** Newest blocks that the scanner's node does not have yet. */
  missing: () => number;
  /** Whether the chain counts a wallet's transactions. */
  counted: boolean;
  /** Leaves out blocks that hold nothing, wherever the range allows it. Default false. */
  sparse?: boolean;
}): ChainScanner {
  const { chain, confirmations, state, failing, disagreeing, missing, counted, sparse = false } = options;
  const blocks = (): readonly FakeBlock[] => state.blocks.slice(0, state.blocks.length - missing());
  const tipOf = (): FakeBlock => blocks().at(-1)!;

  function reach(): void {
    if (failing()) throw new ChainUnavailable(`${chain}: the fake node was told to fail`);
  }

  /** Only what the watch list knows leaves the scanner. */
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

  /** Money without a transaction is looked up by its block, as on a real node: it stands where that height is, whatever is in it. */
  const heightOfReconciled = (txid: string): number =>
    txid.startsWith(`balance:${chain}:`) ? Number(txid.slice(`balance:${chain}:`.length)) : -1;

  return {
    chain,
    maxRange: MAX_RANGE,
    head: async () => {
      reach();
      const tip = blockRef(tipOf());
      return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
    },
    blockAt: async (height) => {
      reach();
      const block = blocks()[height];
      return block === undefined ? null : blockRef(block);
    },
    blocks: async (range, watch) => {
      checkBlockRange(range, MAX_RANGE);
      reach();
      const found = blocks().slice(range.from, range.to + 1);
      if (found.length <= range.to - range.from)
        throw new ChainUnavailable(`${chain}: the chain ends at ${tipOf().height}`);
      const transfers = found.flatMap(transfersOf);
      const isKnown = await knownTo(watch, [
        ...transfers.map(({ to }) => to),
        ...found.flatMap(({ reowned }) => reowned),
      ]);
      const unknown = await unknownIn(found, watch.spending, counted);
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
    },
    pending: async (watch) => {
      reach();
      const waiting = state.mempool.flatMap(({ transfers }) => transfers);
      const isKnown = await knownTo(
        watch,
        waiting.map(({ to }) => to),
      );
      return waiting.filter(({ to }) => isKnown(to));
    },
    lookup: async (txid) => {
      reach();
      const found = state.find(txid);
      if (found?.block === null) return { state: 'pending' };
      const { height } = found?.block ?? { height: heightOfReconciled(txid) };
      const block = blocks()[height];
      return block === undefined ? { state: 'unknown' } : { state: 'mined', height, blockHash: block.hash };
    },
    // As several nodes of one mind, or of two.
    confirmWithNodes: async ({ height, hash }, claimed) => {
      const block = blocks()[height];
      if (failing() || disagreeing() || block?.hash !== hash) return { kind: 'disputed' };
      const finalHeight = finalizedByConfirmations(tipOf().height, confirmations);
      const locks = claimed.map(({ lockedUntil = 0 }) => lockedUntil);
      if ([height, ...locks].some((from) => from > finalHeight)) return { kind: 'not_final' };
      const shows = shownIn({ transfers: transfersOf(block) });
      return { kind: 'agreed', disputed: claimed.filter((transfer) => !shows(transfer)) };
    },
    unscannedAssets: async () => [],
    close: async () => undefined,
  };
}

/** The blocks that hold something, and the last; each says on which it follows where some were left out. */
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
