/**
 * Follows one chain: blocks to deposits, reorganisations, finality. Every step is one transaction that moves the cursor
 * only from where it was read, so several instances and a kill at any moment neither lose nor repeat a payment.
 */
import type { Chain } from '../domain/chain.ts';
import {
  type BlockRef,
  type ChainHead,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type Transfer,
  type WatchList,
} from '../ports/chain-scanner.ts';
import type { ChainCursor, Repositories } from '../ports/repositories.ts';
import type { AppDependencies } from './dependencies.ts';
import { type LifecycleNeeds, lockWithInvoice, markFinal, markGone } from './deposit-lifecycle.ts';
import { recordTransfer } from './record-transfer.ts';

/** Blocks whose hashes are kept: deeper reorganisations are still found, the chain is then read again from the oldest kept. */
const REMEMBERED_BLOCKS = 2_000;
/** A block that carries a time just before now may still be on its way to our node. */
const COVERAGE_GRACE_MS = 15_000;

export interface ChainWatcher {
  readonly chain: string;
  /** Fixes the block from which on the chain is read, unless that was done before, and names the assets that are not read. Throws ChainUnavailable when the node is away. */
  begin(): Promise<{ unscanned: readonly string[] }>;
  /** One step towards the tip. `behind` asks for another at once. Throws ChainUnavailable when the node does. */
  poll(): Promise<{ behind: boolean }>;
  /**
   * Reads blocks again that were read before, recording what was missed; answers how many transfers were found. After
   * each range `progress` hears the height that was reached and the transfers found so far.
   */
  rescan(
    range: { from: number; to: number },
    progress?: (height: number, transfers: number) => void,
  ): Promise<{ transfers: number }>;
}

export type WatcherNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork'>;

export function chainWatcher(
  deps: WatcherNeeds,
  source: { chain: Chain; scanner: ChainScanner; watch: WatchList; startHeight: number | null },
): ChainWatcher {
  const { chain, scanner, watch } = source;
  const { unitOfWork } = deps;
  const sighting = (block: BlockRef) => ({
    chain: chain.name,
    family: chain.family,
    block: { height: block.height, hash: block.hash },
    seenAt: new Date(block.time * 1000),
  });

  const storedCursor = () => unitOfWork.run((repositories) => repositories.chains.cursor(chain.name));

  /** No address was given out before (open-chains.ts), so reading begins at the tip unless configuration says otherwise. */
  async function begin(head: ChainHead): Promise<ChainCursor | null> {
    const height = source.startHeight === null ? head.tip.height : Math.max(0, source.startHeight - 1);
    const block = await scanner.blockAt(Math.min(height, head.tip.height));
    if (!block) return null;
    const cursor = cursorAt(block, head.finalizedHeight, new Date(block.time * 1000));
    const moved = await unitOfWork.run(async (repositories) => {
      if (!(await repositories.chains.moveCursor(chain.name, null, cursor))) return false;
      await repositories.chains.rememberBlocks(chain.name, [block], REMEMBERED_BLOCKS);
      return true;
    });
    return moved ? cursor : storedCursor();
  }

  /** The cursor's block left the chain: goes back to the last block that both branches share. */
  async function rewind(cursor: ChainCursor, head: ChainHead): Promise<void> {
    const fork = await findFork();
    const next = cursorAt(fork, Math.min(head.finalizedHeight, fork.height), cursor.coveredUntil);
    const moved = await unitOfWork.run(async (repositories) => {
      if (!(await repositories.chains.moveCursor(chain.name, cursor, next))) return false;
      await repositories.chains.forgetBlocksAbove(chain.name, fork.height);
      for (const deposit of await repositories.deposits.lockAbove(chain.name, fork.height)) {
        await repositories.deposits.save({ ...deposit, block: null });
      }
      return true;
    });
    if (moved) {
      deps.logger.warn('a reorganisation was found', {
        chain: chain.name,
        from: cursor.height,
        to: fork.height,
      });
    }
  }

  async function findFork(): Promise<BlockRef> {
    const remembered = await unitOfWork.run((repositories) =>
      repositories.chains.rememberedBlocks(chain.name, REMEMBERED_BLOCKS),
    );
    for (const block of remembered) {
      const canonical = await scanner.blockAt(block.height);
      if (canonical?.hash === block.hash) return canonical;
    }
    const lowest = Math.max(0, (remembered.at(-1)?.height ?? 1) - 1);
    const canonical = await scanner.blockAt(lowest);
    if (canonical) return canonical;
    const { tip } = await scanner.head();
    return tip;
  }

  async function advance(cursor: ChainCursor, head: ChainHead, startedAt: Date): Promise<ChainCursor | null> {
    const to = Math.min(head.tip.height, cursor.height + scanner.maxRange);
    const blocks = to > cursor.height ? await scanner.blocks({ from: cursor.height + 1, to }, watch) : [];
    const first = blocks[0];
    if (first && first.parentHash !== cursor.hash) return null;
    const last = blocks.at(-1);
    const reached = last?.height ?? cursor.height;
    const next: ChainCursor = {
      height: reached,
      hash: last?.hash ?? cursor.hash,
      finalizedHeight: Math.min(head.finalizedHeight, reached),
      coveredUntil: covered(cursor, last, reached >= head.tip.height ? startedAt : null),
    };
    const pending = reached >= head.tip.height ? await scanner.pending(watch) : [];
    const moved = await unitOfWork.run(async (repositories) => {
      if (!(await repositories.chains.moveCursor(chain.name, cursor, next))) return false;
      if (blocks.length > 0) await repositories.chains.rememberBlocks(chain.name, blocks, REMEMBERED_BLOCKS);
      await recordBlocks(repositories, blocks);
      await recordPending(repositories, pending, startedAt);
      return true;
    });
    return moved ? next : null;
  }

  async function recordBlocks(repositories: Repositories, blocks: readonly ScannedBlock[]): Promise<number> {
    let transfers = 0;
    for (const block of blocks) {
      for (const transfer of block.transfers) {
        await recordTransfer(deps, repositories, transfer, sighting(block));
        transfers += 1;
      }
    }
    return transfers;
  }

  async function recordPending(
    repositories: Repositories,
    pending: readonly Transfer[],
    seenAt: Date,
  ): Promise<void> {
    for (const transfer of pending) {
      await recordTransfer(deps, repositories, transfer, {
        chain: chain.name,
        family: chain.family,
        block: null,
        seenAt,
      });
    }
  }

  /** Deposits in final blocks become ours, once every configured node agrees on those blocks (safety.md A3). */
  async function finalize(cursor: ChainCursor): Promise<void> {
    const candidates = await unitOfWork.run((repositories) =>
      repositories.deposits.unfinal(chain.name, cursor.finalizedHeight),
    );
    const agreed = new Map<string, boolean>();
    for (const candidate of candidates) {
      if (candidate.block === null) continue;
      const { hash } = candidate.block;
      if (!agreed.has(hash)) agreed.set(hash, await scanner.agreeOn(candidate.block));
      if (!agreed.get(hash)) {
        deps.logger.warn('nodes do not agree on a block: no credit yet', {
          chain: chain.name,
          ...candidate.block,
        });
        continue;
      }
      await unitOfWork.run(async (repositories) => {
        const locked = await lockWithInvoice(repositories, candidate);
        if (locked?.deposit.status !== 'confirming' || locked.deposit.block?.hash !== hash) return;
        await markFinal(deps, repositories, locked.deposit, locked.invoice);
      });
    }
  }

  /** Deposits that lost their block and are not in the chain as far as it was read: waiting again, or gone. */
  async function resolveOrphans(cursor: ChainCursor): Promise<void> {
    const orphans = await unitOfWork.run((repositories) => repositories.deposits.withoutBlock(chain.name));
    for (const orphan of orphans) {
      const place = await scanner.lookup(orphan.txid);
      if (place.state === 'mined' && place.height > cursor.height) continue;
      if (place.state === 'pending' && orphan.status === 'confirming') continue;
      await unitOfWork.run(async (repositories) => {
        const locked = await lockWithInvoice(repositories, orphan);
        if (!locked || locked.deposit.block !== null) return;
        if (place.state === 'mined') {
          const block = { height: place.height, hash: place.blockHash };
          await repositories.deposits.save({ ...locked.deposit, block });
          return;
        }
        await markGone(deps, repositories, locked.deposit, locked.invoice);
      });
    }
  }

  return {
    chain: chain.name,
    async begin() {
      const unscanned = (await scanner.unscannedAssets()).map(({ asset }) => asset);
      if ((await storedCursor()) === null && (await begin(await scanner.head())) === null) {
        throw new ChainUnavailable(`${chain.name} has not reached the height to start at`);
      }
      return { unscanned };
    },

    async poll() {
      const startedAt = deps.clock.now();
      const head = await scanner.head();
      const cursor = (await storedCursor()) ?? (await begin(head));
      if (!cursor) return { behind: false };
      const canonical = await scanner.blockAt(cursor.height);
      if (canonical?.hash !== cursor.hash) {
        await rewind(cursor, head);
        return { behind: true };
      }
      const next = await advance(cursor, head, startedAt);
      if (!next) return { behind: true };
      const behind = next.height < head.tip.height;
      await finalize(next);
      if (!behind) await resolveOrphans(next);
      return { behind };
    },

    async rescan(range, progress) {
      let transfers = 0;
      for (let from = range.from; from <= range.to; from += scanner.maxRange) {
        const to = Math.min(range.to, from + scanner.maxRange - 1);
        const blocks = await scanner.blocks({ from, to }, watch);
        transfers += await unitOfWork.run((repositories) => recordBlocks(repositories, blocks));
        progress?.(to, transfers);
      }
      return { transfers };
    },
  };
}

function cursorAt(block: BlockRef, finalizedHeight: number, coveredUntil: Date): ChainCursor {
  return {
    height: block.height,
    hash: block.hash,
    finalizedHeight: Math.min(finalizedHeight, block.height),
    coveredUntil,
  };
}

/** All payments before this instant were seen: the last block's time, or close to now once the tip was reached. */
function covered(cursor: ChainCursor, last: BlockRef | undefined, atTipSince: Date | null): Date {
  return new Date(
    Math.max(
      cursor.coveredUntil.getTime(),
      last === undefined ? 0 : last.time * 1000,
      atTipSince === null ? 0 : atTipSince.getTime() - COVERAGE_GRACE_MS,
    ),
  );
}
