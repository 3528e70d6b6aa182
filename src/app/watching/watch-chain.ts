/**
 * Follows one chain: blocks to deposits, reorganisations, finality. Every transaction checks the
 * cursor against where it was read from, so that several instances and a kill at any moment neither
 * lose nor repeat a payment.
 */
import { type Moment, waitsAt } from '../../domain/chains/payment-time.ts';
import { outputKey } from '../../domain/deposits/deposit.ts';
import type { ChainCursor } from '../../ports/chains/chain-repository.ts';
import {
  type ChainHead,
  ChainUnavailable,
  followedBy,
  type ScannedBlock,
  type Transfer,
} from '../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../ports/chains/watch-list.ts';
import { headReader } from '../chains/read-head.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { LifecycleNeeds } from '../deposits/deposit-lifecycle.ts';
import { depositFollower } from '../deposits/follow-deposits.ts';
import type { ObservedTransfer } from '../deposits/observation.ts';
import { observationsIn, recordTransfers } from '../deposits/record-transfer.ts';
import { RESTART_MS } from '../sending/restart/start-gate.ts';
import {
  cursorAfter,
  firstCursor,
  leftChain,
  REMEMBERED_BLOCKS,
  type ReadChain,
  storedCursor,
} from './chain-cursor.ts';
import { completeBlocks } from './complete-blocks.ts';
import { readPending, unrecorded } from './read-pending.ts';
import { rangeReader } from './read-ranges.ts';
import { forgetReplaced, recordUnknown } from './record-unknown-transactions.ts';
import { type RecordedParts, recordedParts } from './recorded-parts.ts';
import { freezeIn, type ReadPlace, recordAgain } from './reread-blocks.ts';

export interface ChainWatcher {
  readonly chain: string;
  /**
   * Fixes the first block to read, unless that was done before, and returns the assets that are not
   * read. Throws ChainUnavailable if the node is unavailable.
   */
  begin(): Promise<{ unscanned: readonly string[] }>;
  /**
   * One step towards the tip. `behind` asks for another immediately. Throws the node's
   * ChainUnavailable. Ends soon once `stopping` is aborted.
   */
  poll(stopping?: AbortSignal): Promise<{ behind: boolean }>;
  /**
   * Reads blocks again, records missed transfers and freezes addresses with a new owner; returns
   * how many transfers were found. After each range `progress` gets the reached height and the
   * transfers found so far.
   */
  rescan(
    range: { from: number; to: number },
    progress?: (height: number, transfers: number) => void,
  ): Promise<{ transfers: number }>;
}

export type WatcherNeeds = LifecycleNeeds &
  Pick<AppDependencies, 'unitOfWork' | 'riskScreener' | 'timers' | 'liveDerivers'>;

interface WatchedChain extends ReadChain {
  readonly watch: WatchList;
  /** Normalized; incoming money there becomes a UTXO. Null if wallets have balances. */
  readonly hotWallet: string | null;
}

export function chainWatcher(deps: WatcherNeeds, source: WatchedChain): ChainWatcher {
  const { chain, scanner, watch } = source;
  const parts = recordedParts();
  const on: ReadPlace = { ...placeOf(source), spending: watch.spending, parts };
  const deposits = depositFollower(deps, source);
  const readHead = headReader(deps, source);
  const ranges = rangeReader(scanner, watch);
  let late: LateKeys = new Set();

  return {
    chain: chain.name,
    async begin() {
      // A node must answer even if the cursor is known: it may be of another chain (safety.md K3).
      const head = await scanner.head();
      const unscanned = (await scanner.unscannedAssets()).map(({ asset }) => asset);
      if ((await storedCursor(deps, source)) === null && (await firstCursor(deps, source, head)) === null) {
        throw new ChainUnavailable(`${chain.name} has not reached the height to start at`);
      }
      return { unscanned };
    },

    async poll(stopping) {
      const startedAt = deps.clock.now();
      const head = await readHead(startedAt);
      // The clock is read after the answer: a slow one would make payments look older.
      const now = { tipTime: head.tip.time, at: deps.clock.now() };
      const cursor = (await storedCursor(deps, source)) ?? (await firstCursor(deps, source, head));
      if (!cursor) return { behind: false };
      const { tip } = head;
      const isNewTip = tip.height > cursor.height;
      const blocks = isNewTip ? await ranges.following(cursor, tip) : [];
      const [first] = blocks;
      if ((first === undefined ? tip.hash : followedBy(first)) !== cursor.hash)
        return { behind: await leftChain(deps, source, cursor, head) };
      if (!stopping?.aborted) ranges.readAhead(blocks.at(-1) ?? tip, tip);
      const stored = await storeBlocks(deps, source, cursor, {
        ...{ head, blocks, startedAt, now, late, parts, stopping },
      });
      if (!stored) return { behind: true };
      late = stored.late;
      const behind = stored.cursor.height < tip.height;
      // Further contents of read blocks are recorded like those of a rescan.
      await scanner.late?.(stored.cursor.height, watch, async (found) => {
        await recordAgain(deps, on, { blocks: found, now });
      });
      await completeBlocks(deps, { scanner, watch, on }, stored.cursor, now);
      await deposits.finalize(stored.cursor, stopping);
      if (!behind) await deposits.resolveOrphans(stored.cursor, stored.pending, stopping);
      return { behind };
    },

    async rescan(range, progress) {
      let transfers = 0;
      for (let from = range.from; from <= range.to; ) {
        const most = Math.min(range.to, from + scanner.maxRange - 1);
        const now = { tipTime: (await scanner.head()).tip.time, at: deps.clock.now() };
        const blocks = await scanner.blocks({ from, to: most }, watch);
        const to = blocks.at(-1)?.height ?? most;
        transfers += await recordAgain(deps, on, { blocks, now });
        progress?.(to, transfers);
        from = to + 1;
      }
      return { transfers };
    },
  };
}

/**
 * Transfers that waited at the last poll and were not recorded, because they were late by the
 * gateway's clock.
 */
type LateKeys = ReadonlySet<string>;

interface ReadBlocks {
  readonly head: ChainHead;
  readonly blocks: readonly ScannedBlock[];
  readonly startedAt: Date;
  /** When the head was told. */
  readonly now: Moment;
  readonly late: LateKeys;
  readonly parts: RecordedParts;
  readonly stopping: AbortSignal | undefined;
}

interface StoredBlocks {
  readonly cursor: ChainCursor;
  /** The transfers that wait for a block, if the tip was reached and nodes reported them. */
  readonly pending: readonly Transfer[] | null;
  readonly late: LateKeys;
}

/**
 * Stores `blocks`, which follow the cursor. Null if another instance was faster: the next poll
 * starts again.
 */
async function storeBlocks(
  deps: WatcherNeeds,
  source: WatchedChain,
  cursor: ChainCursor,
  { head, blocks, startedAt, now, late, parts, stopping }: ReadBlocks,
): Promise<StoredBlocks | null> {
  const { chain, scanner, watch } = source;
  const place = placeOf(source);
  await recordUnknown(deps, { ...place, spending: watch.spending }, { blocks, cursor, now });
  const next = cursorAfter(scanner, cursor, blocks.at(-1) ?? head.tip, head);
  const isAtTip = next.height >= head.tip.height;
  const pending = isAtTip ? await readPending(deps, source) : null;
  const waiting = await unrecorded(deps, chain, pending ?? []);
  const stillLate = new Set(waiting.map(outputKey).filter((key) => late.has(key)));
  const observations: ObservedTransfer[] = [
    ...observationsIn(place, blocks, now),
    ...waiting
      .filter((transfer) => !stillLate.has(outputKey(transfer)))
      .map((transfer) => ({ transfer, at: { ...place, ...waitsAt(startedAt), block: null } })),
  ];
  // Before the last part the cursor moves to itself: this locks it, and shows whether this range
  // still begins there.
  const record = (part: readonly ObservedTransfer[], isLast: boolean): Promise<boolean> =>
    deps.unitOfWork.run(async (repositories) => {
      const { chains } = repositories;
      if (!(await chains.moveCursor(chain.name, cursor, isLast ? next : cursor))) return false;
      if (isLast) {
        if (blocks.length > 0) await chains.rememberBlocks(chain.name, blocks, REMEMBERED_BLOCKS);
        const above = { chain: chain.name, height: cursor.height };
        if (watch.spending !== undefined) await forgetReplaced(repositories, above, blocks);
        if (isAtTip) await chains.noteRead(chain.name, startedAt, RESTART_MS);
      }
      // Before the first part, which may pay to them.
      await freezeIn(deps, repositories, { chain: chain.name, blocks });
      for (const transfer of await recordTransfers(deps, repositories, part))
        stillLate.add(outputKey(transfer));
      return true;
    });
  const moved = await parts.record(observations, record, stopping);
  return moved ? { cursor: next, pending, late: stillLate } : null;
}

const placeOf = ({ chain, hotWallet }: WatchedChain) => ({
  chain: chain.name,
  family: chain.family,
  hotWallet,
});
