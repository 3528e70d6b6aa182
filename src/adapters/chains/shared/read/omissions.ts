/**
 * Finds payments that only some of several nodes show in blocks that were read (safety.md R9): each
 * node is asked for the same ranges. What any of them shows is recorded, if it was not, and
 * credited once all show it.
 */
import { outputKey } from '../../../../domain/deposits/deposit.ts';
import {
  type BlockRange,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type Transfer,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import type { NodePool } from '../nodes/node-pool.ts';
import { inHaste } from '../nodes/urgency.ts';
import type { ToldBlocks } from './told-blocks.ts';

/** After so many looks at a range no second node is waited for, and then no node at all. */
const LOOKS_MOST = 10;
/** After an omission so many blocks are all compared. */
const SUSPECTED = 10_000;

/**
 * ChainScanner.late of several nodes. `scan`: what one of them shows of a range, or of its first
 * part. Between `least` and `most` blocks are compared together: one of `share` ranges, and after
 * an omission every range. `before`: how many blocks the previous process may have read and not
 * compared, since they were not final yet (default: `least`). `told`: the first height that this
 * process read, and, unless each node is asked for the whole range, which node returned which
 * blocks.
 */
export function blockOmissions<Node extends { readonly label: string }>(options: {
  chain: string;
  pool: NodePool<Node>;
  logger: Logger;
  least: number;
  most: number;
  share?: number;
  before?: number;
  told: Pick<ToldBlocks, 'begun'> & Partial<Pick<ToldBlocks, 'by'>>;
  scan(node: Node, range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]>;
}): NonNullable<ChainScanner['late']> {
  const { chain, pool, logger, least, most, share = 1, before = least, told, scan } = options;
  /** Height up to which blocks were compared; null before the first time. */
  let done: number | null = null;
  let looks = 0;
  let suspectedUpTo = 0;

  /**
   * This is background work, but the poll waits until it ends: a node without room in its plan is
   * left to a later look.
   */
  async function shownByEach(range: BlockRange, watch: WatchList) {
    try {
      return await inHaste({ urgency: 'audit', hasChoice: true }, () =>
        pool.every(async (node) => ({
          node: node.label,
          blocks: told.by?.(node.label, range) ?? (await scan(node, range, watch)),
        })),
      );
    } catch (error) {
      // Blocks were replaced meanwhile. They will be compared again.
      if (error instanceof ChainUnavailable) return [];
      throw error;
    }
  }

  return async (upTo, watch, take) => {
    // The last blocks that the previous process read were not compared yet.
    done ??= Math.max(0, Math.min(upTo, (told.begun() ?? Number.POSITIVE_INFINITY) - 1) - before);
    const left = done < suspectedUpTo ? 0 : most * (share - 1);
    if (upTo < done + left + least) return;
    const range = { from: done + left + 1, to: Math.min(upTo, done + left + most) };
    const shown = await shownByEach(range, watch);
    looks += 1;
    if (shown.length < 2 && looks < LOOKS_MOST) return;
    const to = Math.min(range.to, ...shown.map(({ blocks }) => blocks.at(-1)!.height));
    const each = shown.map(({ node, blocks }) => ({ node, paid: paidIn(blocks, to) }));
    const all = new Map(each.flatMap(({ paid }) => [...paid]));
    for (const { node, paid } of each) {
      const missing = [...all].find(([key]) => !paid.has(key));
      if (missing === undefined) continue;
      logger.warn('node.payments_missing', { chain, node, height: missing[1].block.height });
      suspectedUpTo = to + SUSPECTED;
    }
    if (all.size > 0) await take(blocksOf(all.values()));
    [done, looks] = [to, 0];
  };
}

interface TransferInBlock {
  readonly block: ScannedBlock;
  readonly transfer: Transfer;
}

/** Payments to us in blocks up to `to`, by block and payment. */
function paidIn(blocks: readonly ScannedBlock[], to: number): ReadonlyMap<string, TransferInBlock> {
  return new Map(
    blocks
      .filter(({ height }) => height <= to)
      .flatMap((block) =>
        block.transfers.map((transfer) => [`${block.hash} ${outputKey(transfer)}`, { block, transfer }]),
      ),
  );
}

function blocksOf(paid: Iterable<TransferInBlock>): readonly ScannedBlock[] {
  const byHash = Map.groupBy(paid, ({ block }) => block.hash);
  return [...byHash.values()].map((ofBlock) => ({
    ...ofBlock[0]!.block,
    transfers: ofBlock.map(({ transfer }) => transfer),
  }));
}
