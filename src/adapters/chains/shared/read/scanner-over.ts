/** The part of a ChainScanner that all families share; the family only reads from one node. */
import type {
  BlockRange,
  BlockRef,
  ChainHead,
  ChainScanner,
  ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { firstFound } from '../nodes/across-nodes.ts';
import { type Lag, lagAt } from '../nodes/lagging.ts';
import type { NodePool } from '../nodes/node-pool.ts';
import { agreementAmong, type Witness } from '../nodes/node-quorum.ts';
import { checkBlockRange } from './block-range.ts';

/** The head that a scanner returned last; null before the first. */
export interface SeenHead {
  head: ChainHead | null;
}

/** Below every height before the first head. */
export const tipSeen = ({ head }: SeenHead): number => head?.tip.height ?? -1;
export const finalSeen = ({ head }: SeenHead): number => head?.finalizedHeight ?? -1;

export interface NodeReading<Node, Tip extends BlockRef> {
  readonly chain: string;
  readonly maxRange: number;
  readonly pool: NodePool<Node> & { close(): void };
  readonly logger: Logger;
  readonly seen: SeenHead;
  /** How long machines of a node that lag behind each other are waited for. */
  readonly lag: Lag;
  /**
   * The node's tip, and its final height. `asked`: as of ChainScanner.head; absent where the node
   * is only compared with another one, whose tip fell back.
   */
  headOf(
    node: Node,
    asked?: { readonly finality: boolean },
  ): Promise<{ readonly tip: Tip; readonly finalizedHeight: number }>;
  /** Receives the returned tip. */
  readonly tookTip?: (tip: Tip) => void;
  /** The node's block at the height; null where its chain is shorter. */
  headerAt(node: Node, height: number): Promise<BlockRef | null>;
  /**
   * Blocks of the range, like ChainScanner.blocks; `lag` is empty where no machine may lack them.
   */
  scan(node: Node, range: BlockRange, watch: WatchList, lag: Lag): Promise<readonly ScannedBlock[]>;
  readonly witness: Witness<Node>;
}

export function scannerOver<Node extends { readonly label: string }, Tip extends BlockRef>(
  reading: NodeReading<Node, Tip>,
): Pick<
  Required<ChainScanner>,
  'chain' | 'maxRange' | 'head' | 'blockAt' | 'blocks' | 'confirmWithNodes' | 'doubt' | 'close'
> {
  const { chain, maxRange, pool, seen, lag, witness } = reading;
  return {
    chain,
    maxRange,
    head: (asked = { finality: true }) => newestHead(reading, asked),
    async blockAt(height) {
      const found = await firstFound(pool, (node) => reading.headerAt(node, height));
      return found && refOf(found);
    },
    async blocks(range, watch) {
      checkBlockRange(range, maxRange);
      const bridges = lagAt(range.to, tipSeen(seen), lag);
      return pool.use((node) => reading.scan(node, range, watch, bridges));
    },
    confirmWithNodes: agreementAmong(reading, witness),
    doubt: () => pool.doubt(),
    close: async () => pool.close(),
  };
}

/**
 * A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes
 * are asked too.
 */
async function newestHead<Node, Tip extends BlockRef>(
  { pool, seen, headOf, tookTip }: NodeReading<Node, Tip>,
  asked: { readonly finality: boolean },
): Promise<ChainHead> {
  let best = await pool.use((node) => headOf(node, asked));
  if (best.tip.height < tipSeen(seen) && pool.size > 1)
    for (const other of await pool.every((node) => headOf(node)))
      if (other.tip.height > best.tip.height) best = other;
  tookTip?.(best.tip);
  seen.head = {
    tip: refOf(best.tip),
    finalizedHeight: Math.min(best.finalizedHeight, best.tip.height),
  };
  return seen.head;
}

/** The block's place and links, without the family's other fields. */
export function refOf({ height, hash, parentHash, time }: BlockRef): BlockRef {
  return { height, hash, parentHash, time };
}
