/**
 * The agreement of all nodes of a chain on a block whose payments are about to be credited
 * (safety.md A3). Each node that answers must have this very block, must call it final by its own
 * rule, and must show these payments in it. A node that returned the hash and cannot show the rest
 * does not agree: an invention of another would otherwise be credited. Where one node is configured
 * it is asked for the hash only, since no other could contradict it.
 */
import {
  type Agreement,
  type BlockId,
  type ChainScanner,
  ChainUnavailable,
  type ClaimedTransfer,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { NodeLagging, RpcError } from './node-errors.ts';
import type { NodePool } from './node-pool.ts';

/** Whether a node shows this transfer. */
type ShowsTransfer = (transfer: ClaimedTransfer) => boolean;

/** What one node is asked for. */
export interface Witness<Node> {
  /** Null when it has not reached the height yet. */
  hashAt(node: Node, height: number): Promise<string | null | undefined>;
  /** Highest height that it calls final on its own. */
  finalHeight(node: Node): Promise<number>;
  /**
   * Reads the block once, for any number of transfers. Null where the hash commits to them, and
   * that was verified.
   */
  readonly reading:
    | ((node: Node, block: BlockId, claimed: readonly ClaimedTransfer[]) => Promise<ShowsTransfer>)
    | null;
}

/** ChainScanner.confirmWithNodes over the nodes of `pool`. */
export function agreementAmong<Node extends { readonly label: string }>(
  options: { chain: string; pool: NodePool<Node>; logger: Logger },
  witness: Witness<Node>,
): ChainScanner['confirmWithNodes'] {
  const { chain, pool, logger } = options;

  function objects(node: Node, block: BlockId, why: string): void {
    logger.info('node.block_not_confirmed', { chain, node: node.label, height: block.height, why });
  }

  async function standing(node: Node, block: BlockId, finalFrom: number): Promise<Agreement['kind']> {
    const hash = await orRefusal(() => witness.hashAt(node, block.height), [RpcError]);
    if (hash !== block.hash) {
      objects(node, block, hash == null ? 'it does not have that height' : 'it does not have this block');
      return 'disputed';
    }
    if (pool.size === 1) return 'agreed';
    const final = await orRefusal(() => witness.finalHeight(node), [RpcError, NodeLagging]);
    if (typeof final === 'number' && final >= finalFrom) return 'agreed';
    objects(node, block, 'it does not call it final yet');
    return 'not_final';
  }

  async function reads(
    node: Node,
    block: BlockId,
    claimed: readonly ClaimedTransfer[],
  ): Promise<ShowsTransfer | null> {
    const shows = await orRefusal(
      async () => (await witness.reading?.(node, block, claimed)) ?? null,
      [RpcError, NodeLagging, ChainUnavailable],
    );
    const missing = claimed.filter((transfer) => shows?.(transfer) !== true).map(({ txid }) => txid);
    if (missing.length > 0)
      objects(
        node,
        block,
        `it does not show ${missing.length} of ${claimed.length} payments, ${missing[0]} for one`,
      );
    return shows;
  }

  return async (block, claimed) => {
    const finalFrom = claimed.reduce(
      (height, { lockedUntil = 0 }) => Math.max(height, lockedUntil),
      block.height,
    );
    const standings = await pool.every((node) => standing(node, block, finalFrom));
    if (standings.length === 0 || standings.includes('disputed')) return { kind: 'disputed' };
    if (standings.includes('not_final')) return { kind: 'not_final' };
    if (pool.size === 1 || witness.reading === null || claimed.length === 0)
      return { kind: 'agreed', disputed: [] };
    const shown = await pool.every((node) => reads(node, block, claimed));
    if (shown.length < standings.length || shown.includes(null)) return { kind: 'disputed' };
    return { kind: 'agreed', disputed: claimed.filter((each) => !shown.every((shows) => shows?.(each))) };
  };
}

/** Null when the node's answer cannot be relied on. */
async function orRefusal<T>(
  work: () => Promise<T>,
  refusals: readonly (abstract new (...given: never[]) => Error)[],
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return null;
    throw error;
  }
}

/** Reads the block as `scan` reads ranges, with the recipients of the claimed payments. */
export function byScanning<Node>(
  scan: (
    node: Node,
    range: { from: number; to: number },
    watch: WatchList,
    claimed: readonly ClaimedTransfer[],
  ) => Promise<readonly ScannedBlock[]>,
): NonNullable<Witness<Node>['reading']> {
  return async (node, { height, hash }, claimed) => {
    const receivers = new Set(claimed.map(({ to }) => to));
    const watch: WatchList = {
      known: async (addresses) => new Set(addresses.filter((address) => receivers.has(address))),
      expectingNative: async () => [],
      following: async () => [],
      recorded: async () => new Set(),
      reservedIndexes: async () => 0,
    };
    const [block] = await scan(node, { from: height, to: height }, watch, claimed);
    return block?.hash === hash ? shownIn(block) : () => false;
  };
}

/** Whether all that decides who is credited how much is the same. */
export function shownIn({ transfers }: Pick<ScannedBlock, 'transfers'>): ShowsTransfer {
  const shown = new Map(transfers.map((transfer) => [`${transfer.txid} ${transfer.output}`, transfer]));
  return (claim) => {
    const found = shown.get(`${claim.txid} ${claim.output}`);
    return (
      found !== undefined &&
      found.asset === claim.asset &&
      found.to === claim.to &&
      found.units === claim.units &&
      found.kind === claim.kind
    );
  };
}
