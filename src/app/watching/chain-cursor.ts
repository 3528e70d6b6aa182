/**
 * The cursor of a chain: where reading begins, how it moves on, and how it goes back when its block
 * left the chain.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import type { ChainCursor } from '../../ports/chains/chain-repository.ts';
import {
  type BlockRef,
  type ChainHead,
  type ChainScanner,
  ChainUnavailable,
} from '../../ports/chains/chain-scanner.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * Blocks whose hashes are kept. Deeper reorganisations are still found; the chain is then read
 * again from the oldest kept block.
 */
export const REMEMBERED_BLOCKS = 2_000;

/** Deposits that lose their block in one transaction, which must meet its deadline. */
const ORPHANED_AT_ONCE = 1_000;

type CursorNeeds = Pick<AppDependencies, 'unitOfWork' | 'logger'>;

export interface ReadChain {
  readonly chain: Chain;
  readonly scanner: ChainScanner;
  /** The first block to read; null: the one after the tip. */
  readonly startHeight: number | null;
}

export function storedCursor(
  { unitOfWork }: Pick<CursorNeeds, 'unitOfWork'>,
  { chain }: Pick<ReadChain, 'chain'>,
): Promise<ChainCursor | null> {
  return unitOfWork.run(({ chains }) => chains.cursor(chain.name));
}

/**
 * Stores the first cursor, or returns the one that another instance stored; null if the chain has
 * not reached the start height. No address was issued before (open-chains.ts), so reading begins at
 * the tip unless configured otherwise.
 */
export async function firstCursor(
  deps: CursorNeeds,
  on: ReadChain,
  { tip, finalizedHeight }: ChainHead,
): Promise<ChainCursor | null> {
  const { chain, scanner, startHeight } = on;
  const height = startHeight === null ? tip.height : Math.max(0, startHeight - 1);
  const block = await scanner.blockAt(Math.min(height, tip.height));
  if (!block) return null;
  const cursor = cursorAt(block, finalizedHeight);
  const moved = await deps.unitOfWork.run(async ({ chains }) => {
    if (!(await chains.moveCursor(chain.name, null, cursor))) return false;
    await chains.rememberBlocks(chain.name, [block], REMEMBERED_BLOCKS);
    return true;
  });
  return moved ? cursor : storedCursor(deps, on);
}

/**
 * The cursor once everything up to `block` is stored. The parts that blocks leave for later are not
 * covered yet.
 */
export function cursorAfter(
  scanner: ChainScanner,
  { coveredUntil }: ChainCursor,
  block: BlockRef,
  { finalizedHeight }: ChainHead,
): ChainCursor {
  const next = cursorAt(block, finalizedHeight);
  const isCovered = scanner.complete === undefined || next.coveredUntil < coveredUntil;
  return isCovered ? next : { ...next, coveredUntil };
}

/**
 * One node no longer has the cursor's block in its place: goes back to where it left the chain.
 * Returns whether there is more to read immediately. A node that lags behind the one read from
 * proves nothing.
 */
export async function leftChain(
  deps: CursorNeeds,
  on: ReadChain,
  cursor: ChainCursor,
  head: ChainHead,
): Promise<boolean> {
  const { scanner } = on;
  const canonical = await scanner.blockAt(cursor.height);
  if (canonical === null && (await isBehind(deps, on, head, cursor))) return false;
  if (canonical?.hash === cursor.hash) return head.tip.height > cursor.height;
  scanner.doubt?.();
  const again = await scanner.blockAt(cursor.height);
  if (again?.hash !== cursor.hash) await rewind(deps, on, cursor, head);
  return true;
}

/**
 * Whether the node merely lacks the newest read blocks. A chain that only became shorter proves
 * nothing: until another block replaces a read one, waiting is right, and going back would drop
 * payments.
 */
async function isBehind(
  deps: CursorNeeds,
  on: ReadChain,
  { tip }: ChainHead,
  cursor: ChainCursor,
): Promise<boolean> {
  const own = (await remembered(deps, on)).find(({ height }) => height <= tip.height);
  const there = own?.height === tip.height ? tip : own && (await on.scanner.blockAt(own.height));
  if (own && there && own.hash !== there.hash) return false;
  deps.logger.info('chain.behind_cursor', { chain: on.chain.name, tip: tip.height, read: cursor.height });
  return true;
}

/**
 * The cursor's block left the chain: goes back to the last block that both branches share. Deposits
 * lose their block in parts, before the cursor moves. After a kill between two the next look goes
 * on: what waits without a block is looked up only once the chain follows on the cursor.
 */
async function rewind(deps: CursorNeeds, on: ReadChain, cursor: ChainCursor, head: ChainHead): Promise<void> {
  const chain = on.chain.name;
  const fork = await findFork(deps, on, cursor);
  const next = cursorAfter(on.scanner, cursor, fork, head);
  const part = (): Promise<'more' | 'moved' | 'lost'> =>
    deps.unitOfWork.run(async ({ chains, deposits, utxos, unknown }) => {
      // To itself: this locks it, and shows whether it still stands there.
      if (!(await chains.moveCursor(chain, cursor, cursor))) return 'lost';
      if ((await deposits.orphanAbove(chain, fork.height, ORPHANED_AT_ONCE)) >= ORPHANED_AT_ONCE)
        return 'more';
      await chains.moveCursor(chain, cursor, next);
      await chains.forgetBlocksAbove(chain, fork.height);
      await chains.rememberBlocks(chain, [fork], REMEMBERED_BLOCKS);
      await utxos.orphanAbove(chain, fork.height);
      await unknown.orphanAbove(chain, fork.height);
      return 'moved';
    });
  let done = await part();
  while (done === 'more') done = await part();
  if (done === 'moved')
    deps.logger.warn('chain.reorganised', { chain, from: cursor.height, to: fork.height });
}

/**
 * If blocks were skipped, the fork may lie above the block that is found. Skipped blocks had no
 * relevant payments, and everything above is read again.
 */
async function findFork(deps: CursorNeeds, on: ReadChain, cursor: ChainCursor): Promise<BlockRef> {
  const { chain, scanner } = on;
  const blocks = await remembered(deps, on);
  for (const block of blocks) {
    const canonical = await scanner.blockAt(block.height);
    if (canonical?.hash === block.hash) return canonical;
  }
  const lowest = Math.max(0, (blocks.at(-1)?.height ?? cursor.height) - 1);
  const canonical = await scanner.blockAt(lowest);
  if (canonical) return canonical;
  throw new ChainUnavailable(`${chain.name}: the node has neither block ${lowest} nor any that was read`);
}

/** Newest first. */
function remembered({ unitOfWork }: CursorNeeds, { chain }: ReadChain) {
  return unitOfWork.run(({ chains }) => chains.rememberedBlocks(chain.name, REMEMBERED_BLOCKS));
}

function cursorAt(block: BlockRef, finalizedHeight: number): ChainCursor {
  return {
    height: block.height,
    hash: block.hash,
    finalizedHeight: Math.min(finalizedHeight, block.height),
    coveredUntil: new Date(block.time * 1000),
  };
}
