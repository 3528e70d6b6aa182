/**
 * What only some of several nodes show of our account (safety.md R9): ranges of ledgers that were read
 * are asked of each node once more. What any shows is recorded, if it was not, and credited once all
 * show it.
 */
import { outputKey } from '../../../domain/deposit.ts';
import {
  type BlockRange,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type WatchList,
} from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { NodePool } from '../shared/node-pool.ts';
import { inHaste } from '../shared/urgency.ts';
import type { LedgerNode } from './ledger-node.ts';

/** Ledgers that are waited for: about a minute. */
const LEAST = 16;

/**
 * ChainScanner.late of several nodes. `scan`: what one of them shows of a range, which may be its first part. `begun`: the first ledger
 * that was read; null before that.
 */
export function omissionReader(options: {
  chain: string;
  pool: NodePool<LedgerNode>;
  logger: Logger;
  maxRange: number;
  begun(): number | null;
  scan(node: LedgerNode, range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]>;
}): NonNullable<ChainScanner['late']> {
  const { chain, pool, logger, maxRange, begun, scan } = options;
  /** Height up to which it was looked; null before the first time. */
  let done: number | null = null;

  async function shownByEach(range: BlockRange, watch: WatchList) {
    try {
      return await inHaste({ urgency: 'audit' }, () =>
        pool.every(async (node) => ({ node: node.label, blocks: await scan(node, range, watch) })),
      );
    } catch (error) {
      // Ledgers were replaced meanwhile: they are looked at again.
      if (error instanceof ChainUnavailable) return [];
      throw error;
    }
  }

  return async (upTo, watch, take) => {
    // What the process before read last was not looked at yet.
    done ??= Math.max(0, Math.min(upTo, begun() ?? upTo) - LEAST);
    if (upTo < done + LEAST) return;
    const shown = await shownByEach({ from: done + 1, to: Math.min(upTo, done + maxRange) }, watch);
    if (shown.length === 0) return;
    const to = Math.min(...shown.map(({ blocks }) => blocks.at(-1)!.height));
    const told = shown.map(({ node, blocks }) => ({ node, paid: paidIn(blocks, to) }));
    const all = new Map(told.flatMap(({ paid }) => [...paid]));
    for (const { node, paid } of told) {
      const left = [...all].find(([key]) => !paid.has(key));
      if (left !== undefined) logger.warn('node.payments_missing', { chain, node, height: left[1].height });
    }
    if (all.size > 0) await take([...all.values()]);
    done = to;
  };
}

/** The blocks up to `to` that pay us, by what names block and payments. */
function paidIn(blocks: readonly ScannedBlock[], to: number): ReadonlyMap<string, ScannedBlock> {
  return new Map(
    blocks.flatMap((block): [string, ScannedBlock][] => {
      const { height, hash, transfers } = block;
      if (height > to || transfers.length === 0) return [];
      return [[[hash, ...transfers.map(outputKey)].join(), block]];
    }),
  );
}
