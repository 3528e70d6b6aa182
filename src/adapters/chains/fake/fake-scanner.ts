/** The ChainScanner port over a fake chain's state: answers exactly as a real node's scanner must (tests/contracts/chain-scanner). */
import {
  type BlockRef,
  type ChainScanner,
  ChainUnavailable,
  type Transfer,
  type WatchList,
} from '../../../ports/chain-scanner.ts';
import { checkBlockRange } from '../shared/block-range.ts';
import { finalizedByConfirmations } from '../shared/finality.ts';
import type { ChainState, FakeBlock } from './chain-state.ts';

const MAX_RANGE = 50;

export function fakeScanner(options: {
  chain: string;
  confirmations: number;
  state: ChainState;
  failing: () => boolean;
  disagreeing: () => boolean;
}): ChainScanner {
  const { chain, confirmations, state, failing, disagreeing } = options;

  function reach(): void {
    if (failing()) throw new ChainUnavailable(`${chain}: the fake node was told to fail`);
  }

  /** Only what the watch list knows leaves the scanner. */
  async function watched(
    transfers: readonly Transfer[],
    watch: WatchList,
  ): Promise<(transfer: Transfer) => boolean> {
    const known = await watch.known([...new Set(transfers.map(({ to }) => to))]);
    return ({ to }) => known.has(to);
  }

  const transfersOf = (block: FakeBlock): readonly Transfer[] => [
    ...block.transactions.flatMap(({ transfers }) => transfers),
    ...block.unexplained,
  ];

  return {
    chain,
    maxRange: MAX_RANGE,
    head: async () => {
      reach();
      const tip = blockRef(state.tip());
      return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
    },
    blockAt: async (height) => {
      reach();
      const block = state.blocks[height];
      return block === undefined ? null : blockRef(block);
    },
    blocks: async (range, watch) => {
      checkBlockRange(range, MAX_RANGE);
      reach();
      const found = state.blocks.slice(range.from, range.to + 1);
      if (found.length <= range.to - range.from)
        throw new ChainUnavailable(`${chain}: the chain ends at ${state.tip().height}`);
      const isWatched = await watched(found.flatMap(transfersOf), watch);
      return found.map((block) => ({ ...blockRef(block), transfers: transfersOf(block).filter(isWatched) }));
    },
    pending: async (watch) => {
      reach();
      const waiting = state.mempool.flatMap(({ transfers }) => transfers);
      return waiting.filter(await watched(waiting, watch));
    },
    lookup: async (txid) => {
      reach();
      const block =
        state.find(txid)?.block ?? state.blocks.find((b) => b.unexplained.some((t) => t.txid === txid));
      if (block !== undefined) return { state: 'mined', height: block.height, blockHash: block.hash };
      return { state: state.find(txid) === null ? 'unknown' : 'pending' };
    },
    agreeOn: async ({ height, hash }) => {
      return !failing() && !disagreeing() && state.blocks[height]?.hash === hash;
    },
    unscannedAssets: async () => [],
    close: async () => undefined,
  };
}

function blockRef({ height, hash, parentHash, time }: BlockRef): BlockRef {
  return { height, hash, parentHash, time };
}
