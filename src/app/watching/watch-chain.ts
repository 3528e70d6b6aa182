/**
 * Follows one chain: blocks to deposits, reorganisations, finality. Every transaction holds the cursor
 * to where it was read from, so several instances and a kill at any moment neither lose nor repeat a payment.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import { waitsAt } from '../../domain/chains/payment-time.ts';
import { outputKey } from '../../domain/deposits/deposit.ts';
import type { ChainCursor } from '../../ports/chains/chain-repository.ts';
import {
  type BlockId,
  type BlockRef,
  type ChainHead,
  type ChainScanner,
  ChainUnavailable,
  followedBy,
  type ScannedBlock,
  type Transfer,
  type WatchList,
} from '../../ports/chains/chain-scanner.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { headReader } from '../chains/read-head.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { LifecycleNeeds } from '../deposits/deposit-lifecycle.ts';
import { depositFollower } from '../deposits/follow-deposits.ts';
import type { Sighted } from '../deposits/observation.ts';
import { recordTransfers, sightingsIn } from '../deposits/record-transfer.ts';
import { RESTART_MS } from '../sending/restart/start-gate.ts';
import { completeBlocks } from './complete-blocks.ts';
import { readPending, unrecorded } from './read-pending.ts';
import { noteUnknown } from './record-unknown-transactions.ts';
import { freezeIn, RECORDED_AT_ONCE, recordAgain } from './reread-blocks.ts';

/** Blocks that were answered, whose hashes are kept: deeper reorganisations are still found, the chain is then read again from the oldest kept. */
const REMEMBERED_BLOCKS = 2_000;

export interface ChainWatcher {
  readonly chain: string;
  /** Fixes the block from which on the chain is read, unless that was done before, and names the assets that are not read. Throws ChainUnavailable when the node is away. */
  begin(): Promise<{ unscanned: readonly string[] }>;
  /** One step towards the tip. `behind` asks for another at once. Throws ChainUnavailable when the node does. Once `stopping` is aborted it ends soon. */
  poll(stopping?: AbortSignal): Promise<{ behind: boolean }>;
  /**
   * Reads blocks again that were read before, recording what was missed and freezing addresses that have another owner; answers how many transfers were found. After
   * each range `progress` hears the height that was reached and the transfers found so far.
   */
  rescan(
    range: { from: number; to: number },
    progress?: (height: number, transfers: number) => void,
  ): Promise<{ transfers: number }>;
}

export type WatcherNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'liveDerivers'>;

export function chainWatcher(
  deps: WatcherNeeds,
  source: {
    chain: Chain;
    scanner: ChainScanner;
    watch: WatchList;
    startHeight: number | null;
    /** Normalized; what arrives there becomes a coin. Null where wallets have balances. */
    hotWallet: string | null;
  },
): ChainWatcher {
  const { chain, scanner, watch } = source;
  const { unitOfWork } = deps;
  const place = { chain: chain.name, family: chain.family, hotWallet: source.hotWallet };
  const on = { ...place, spending: watch.spending };
  const deposits = depositFollower(deps, source);
  const record = (repositories: Repositories, sightings: readonly Sighted[]) =>
    recordTransfers(deps, repositories, sightings);
  const remembered = () =>
    unitOfWork.run((repositories) => repositories.chains.rememberedBlocks(chain.name, REMEMBERED_BLOCKS));

  /** What waited at the last poll and was not recorded, since it came too late by our clock: there is nothing new about it. */
  let late: ReadonlySet<string> = new Set();

  const readHead = headReader(deps, source);

  const storedCursor = () => unitOfWork.run((repositories) => repositories.chains.cursor(chain.name));

  /** No address was given out before (open-chains.ts), so reading begins at the tip unless configuration says otherwise. */
  async function begin(head: ChainHead): Promise<ChainCursor | null> {
    const height = source.startHeight === null ? head.tip.height : Math.max(0, source.startHeight - 1);
    const block = await scanner.blockAt(Math.min(height, head.tip.height));
    if (!block) return null;
    const cursor = cursorAt(block, head.finalizedHeight);
    const moved = await unitOfWork.run(async (repositories) => {
      if (!(await repositories.chains.moveCursor(chain.name, null, cursor))) return false;
      await repositories.chains.rememberBlocks(chain.name, [block], REMEMBERED_BLOCKS);
      return true;
    });
    return moved ? cursor : storedCursor();
  }

  /**
   * Whether the node merely does not have all that was read yet. A chain that only became shorter proves nothing: waiting is
   * right until another block stands where one was read, while going back would take payments for lost.
   */
  async function isBehind({ tip }: ChainHead, cursor: ChainCursor): Promise<boolean> {
    const own = (await remembered()).find(({ height }) => height <= tip.height);
    const there = own?.height === tip.height ? tip : own && (await scanner.blockAt(own.height));
    if (own && there && own.hash !== there.hash) return false;
    deps.logger.info('chain.behind_cursor', { chain: chain.name, tip: tip.height, read: cursor.height });
    return true;
  }

  /**
   * The cursor's block is not where it was, as far as one node says: goes back where it left the chain. Answers whether there is more
   * to read at once; a node that lags behind the one that was read from proves nothing.
   */
  async function leftChain(cursor: ChainCursor, head: ChainHead): Promise<boolean> {
    const canonical = await scanner.blockAt(cursor.height);
    if (canonical === null && (await isBehind(head, cursor))) return false;
    if (canonical?.hash === cursor.hash) return head.tip.height > cursor.height;
    scanner.doubt?.();
    const again = await scanner.blockAt(cursor.height);
    if (again?.hash !== cursor.hash) await rewind(cursor, head);
    return true;
  }

  /** The cursor's block left the chain: goes back to the last block that both branches share. */
  async function rewind(cursor: ChainCursor, head: ChainHead): Promise<void> {
    const fork = await findFork(cursor);
    const next = cursorAfter(cursor, fork, head);
    const moved = await unitOfWork.run(async (repositories) => {
      if (!(await repositories.chains.moveCursor(chain.name, cursor, next))) return false;
      await repositories.chains.forgetBlocksAbove(chain.name, fork.height);
      await repositories.chains.rememberBlocks(chain.name, [fork], REMEMBERED_BLOCKS);
      await repositories.deposits.orphanAbove(chain.name, fork.height);
      await repositories.coins.orphanAbove(chain.name, fork.height);
      await repositories.unknown.orphanAbove(chain.name, fork.height);
      return true;
    });
    if (moved) {
      deps.logger.warn('chain.reorganised', {
        chain: chain.name,
        from: cursor.height,
        to: fork.height,
      });
    }
  }

  /**
   * Where blocks were left out, the fork may lie above the block that is found: what was left out concerned nobody, and all above is
   * read again.
   */
  async function findFork(cursor: ChainCursor): Promise<BlockRef> {
    const blocks = await remembered();
    for (const block of blocks) {
      const canonical = await scanner.blockAt(block.height);
      if (canonical?.hash === block.hash) return canonical;
    }
    const lowest = Math.max(0, (blocks.at(-1)?.height ?? cursor.height) - 1);
    const canonical = await scanner.blockAt(lowest);
    if (canonical) return canonical;
    throw new ChainUnavailable(`${chain.name}: the node has neither block ${lowest} nor any that was read`);
  }

  /** What blocks leave for later is yet to be seen when they are read. */
  function cursorAfter({ coveredUntil }: ChainCursor, block: BlockRef, head: ChainHead): ChainCursor {
    const next = cursorAt(block, head.finalizedHeight);
    const isCovered = scanner.complete === undefined || next.coveredUntil < coveredUntil;
    return isCovered ? next : { ...next, coveredUntil };
  }

  /** What follows on the blocks that are stored at the moment, when it is read meanwhile. */
  let ahead: { readonly after: BlockId; readonly blocks: Promise<readonly ScannedBlock[]> } | null = null;

  function read({ height, hash }: BlockId, tip: BlockRef): Promise<readonly ScannedBlock[]> {
    const to = Math.min(tip.height, height + scanner.maxRange);
    return scanner.blocks({ from: height + 1, to, after: { height, hash } }, watch);
  }

  /** The blocks that follow on `after`, read before this poll or now. */
  function following(after: BlockId, tip: BlockRef): Promise<readonly ScannedBlock[]> {
    const ready = ahead;
    ahead = null;
    return ready?.after.hash === after.hash ? ready.blocks : read(after, tip);
  }

  /** Only while there is a range and more to read: the last one goes up to the tip of its own time, or it would never be reached. */
  function readAhead(after: BlockId, tip: BlockRef): void {
    if (tip.height - after.height <= scanner.maxRange) return;
    const blocks = read(after, tip);
    // Its failure is that of the poll that asks for them.
    blocks.catch(() => {});
    ahead = { after, blocks };
  }

  /** What blocks that were read hold besides is recorded like what a rescan finds. */
  async function recordLate({ height }: ChainCursor, head: ChainHead): Promise<void> {
    await scanner.late?.(height, watch, async (blocks) => {
      await recordAgain(deps, on, { blocks, tipTime: head.tip.time });
    });
  }

  /** Stores `blocks`, which follow on the cursor. Null when another instance was faster: the next poll begins anew. */
  async function advance(
    cursor: ChainCursor,
    { head, blocks, startedAt }: { head: ChainHead; blocks: readonly ScannedBlock[]; startedAt: Date },
  ): Promise<{ cursor: ChainCursor; pending: readonly Transfer[] | null } | null> {
    const now = { tipTime: head.tip.time, at: startedAt };
    await noteUnknown(deps, on, blocks, now);
    const next = cursorAfter(cursor, blocks.at(-1) ?? head.tip, head);
    const pending = next.height >= head.tip.height ? await readPending(deps, source) : null;
    const waiting = await unrecorded(deps, chain, pending ?? []);
    const stillLate = new Set(waiting.map(outputKey).filter((key) => late.has(key)));
    const sightings = [
      ...sightingsIn(place, blocks, now),
      ...waiting
        .filter((transfer) => !stillLate.has(outputKey(transfer)))
        .map((transfer) => ({ transfer, at: { ...place, ...waitsAt(startedAt), block: null } })),
    ];
    while (sightings.length > RECORDED_AT_ONCE) {
      const part = sightings.splice(0, RECORDED_AT_ONCE);
      const held = await unitOfWork.run(async (repositories) => {
        // From itself to itself: locks the cursor, and tells whether it is still where this range begins.
        if (!(await repositories.chains.moveCursor(chain.name, cursor, cursor))) return false;
        for (const transfer of await record(repositories, part)) stillLate.add(outputKey(transfer));
        return true;
      });
      if (!held) return null;
    }
    const moved = await unitOfWork.run(async (repositories) => {
      if (!(await repositories.chains.moveCursor(chain.name, cursor, next))) return false;
      if (blocks.length > 0) await repositories.chains.rememberBlocks(chain.name, blocks, REMEMBERED_BLOCKS);
      if (next.height >= head.tip.height)
        await repositories.chains.noteRead(chain.name, startedAt, RESTART_MS);
      await freezeIn(deps, repositories, { chain: chain.name, blocks });
      for (const transfer of await record(repositories, sightings)) stillLate.add(outputKey(transfer));
      return true;
    });
    if (!moved) return null;
    late = stillLate;
    return { cursor: next, pending };
  }

  return {
    chain: chain.name,
    async begin() {
      // A node must have answered, whatever is known already: it may be of another chain (safety.md K3).
      const head = await scanner.head();
      const unscanned = (await scanner.unscannedAssets()).map(({ asset }) => asset);
      if ((await storedCursor()) === null && (await begin(head)) === null) {
        throw new ChainUnavailable(`${chain.name} has not reached the height to start at`);
      }
      return { unscanned };
    },

    async poll(stopping) {
      const startedAt = deps.clock.now();
      const head = await readHead(startedAt);
      const cursor = (await storedCursor()) ?? (await begin(head));
      if (!cursor) return { behind: false };
      const { tip } = head;
      const isNews = tip.height > cursor.height;
      const blocks = isNews ? await following(cursor, tip) : [];
      const [first] = blocks;
      if ((first === undefined ? tip.hash : followedBy(first)) !== cursor.hash)
        return { behind: await leftChain(cursor, head) };
      if (!stopping?.aborted) readAhead(blocks.at(-1) ?? tip, tip);
      const advanced = await advance(cursor, { head, blocks, startedAt });
      if (!advanced) return { behind: true };
      const behind = advanced.cursor.height < head.tip.height;
      await recordLate(advanced.cursor, head);
      await completeBlocks(deps, { scanner, watch, on }, advanced.cursor, head.tip.time);
      await deposits.finalize(advanced.cursor, stopping);
      if (!behind) await deposits.resolveOrphans(advanced.cursor, advanced.pending, stopping);
      return { behind };
    },

    async rescan(range, progress) {
      let transfers = 0;
      for (let from = range.from; from <= range.to; ) {
        const most = Math.min(range.to, from + scanner.maxRange - 1);
        const { time } = (await scanner.head()).tip;
        const blocks = await scanner.blocks({ from, to: most }, watch);
        const to = blocks.at(-1)?.height ?? most;
        transfers += await recordAgain(deps, on, { blocks, tipTime: time });
        progress?.(to, transfers);
        from = to + 1;
      }
      return { transfers };
    },
  };
}

function cursorAt(block: BlockRef, finalizedHeight: number): ChainCursor {
  return {
    height: block.height,
    hash: block.hash,
    finalizedHeight: Math.min(finalizedHeight, block.height),
    coveredUntil: new Date(block.time * 1000),
  };
}
