/** Reads the tip of a node's chain and its final block. Scanner and sender share this rule. */
import { chainNamed, evmFacts } from '../../../domain/catalog/chain.ts';
import type { BlockRef, ChainHead } from '../../../ports/chains/chain-scanner.ts';
import { type BudgetTime, systemTime } from '../shared/nodes/call-log.ts';
import type { RpcNode, RpcOutcome } from '../shared/nodes/rpc-node.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { blockRef, fullBlock, type NodeBlock } from './decode.ts';
import type { FinalityRule } from './finality.ts';

/** For chains whose blocks are final minutes after they were made. */
const SLOWLY_FINAL_MS = 60_000;
/** Ethereum's final block begins an epoch. It moves when the second epoch after it is over. */
const EPOCH_SECONDS = 384;

interface AskedOfHead {
  /** False: do not ask again a node that already named its final block. Default true. */
  readonly finality?: boolean;
  /** Receives the tip with its transactions, which are fetched for it. */
  readonly whole?: (tip: NodeBlock) => void;
}

export type HeadReader = (node: RpcNode, asked?: AskedOfHead) => Promise<ChainHead>;

interface TaggedHead {
  readonly block: BlockRef;
  /** Monotonic milliseconds. */
  readonly at: number;
}

interface FinalityOptions {
  /** Whether confirmations are counted, so that the tag is not read. */
  readonly counts: boolean;
  /** Blocks that make a block final by counting, its own included. */
  readonly confirmations: number;
  /** Least time between two reads of the tag. */
  readonly finalityMs: number;
  /** Whether the tag moves with epochs only. */
  readonly restsByEpoch: boolean;
  readonly time: Pick<BudgetTime, 'now'>;
  /** What each node last returned for the tag. */
  readonly lastTagged: Map<RpcNode, TaggedHead>;
}

/**
 * Reads the head of the given node. Create one per client: it remembers the final block of each
 * node apart, so that one node's answer never makes another node's block final.
 */
export function headReader(options: {
  chain: string;
  finality: FinalityRule;
  /** Least time between two reads of the tag. Default: as often as the chain moves it. */
  finalityMs?: number | undefined;
  time?: Pick<BudgetTime, 'now'> | undefined;
}): HeadReader {
  const { chain, finality, time = systemTime } = options;
  const moves = evmFacts(chain).finality;
  const { finalityMs = moves === 'fast' ? 0 : SLOWLY_FINAL_MS } = options;
  const reading: FinalityOptions = {
    counts: finality.confirmations !== null,
    confirmations: finality.confirmations ?? chainNamed(chain).confirmations,
    restsByEpoch: moves === 'epoch' && options.finalityMs === undefined,
    ...{ finalityMs, time, lastTagged: new Map() },
  };
  /** For nodes that did not refuse: there is nothing new to read while the tip is the same. */
  const last = new Map<RpcNode, ChainHead>();

  return async (node, { finality: asksFinality = true, whole } = {}) => {
    const answer = await node.call('eth_getBlockByNumber', 'latest', whole !== undefined);
    const tip = blockRef(answer);
    whole?.(fullBlock(answer));
    const known = last.get(node);
    if (known?.tip.hash === tip.hash) return known;
    const { height, isCurrent } = await finalBelow(reading, node, { tip, asksFinality });
    const head = { tip, finalizedHeight: Math.min(tip.height, height) };
    if (isCurrent) last.set(node, head);
    return head;
  };
}

/**
 * The final height, and whether it is valid for this tip: the node was asked, and did not refuse.
 */
async function finalBelow(
  { counts, confirmations, lastTagged, ...reading }: FinalityOptions,
  node: RpcNode,
  { tip, asksFinality }: { tip: BlockRef; asksFinality: boolean },
): Promise<{ height: number; isCurrent: boolean }> {
  const counted = finalizedByConfirmations(tip.height, confirmations);
  if (counts) return { height: counted, isCurrent: true };
  const tagged = lastTagged.get(node);
  if (tagged !== undefined && !(asksFinality && isDue(reading, tagged, tip)))
    return { height: tagged.block.height, isCurrent: false };
  const [outcome] = await node.outcomes([{ method: 'eth_getBlockByNumber', params: ['finalized', false] }]);
  const isCurrent = 'result' in outcome!;
  if (isCurrent && outcome.result !== null) {
    const block = blockRef(outcome.result);
    lastTagged.set(node, { block, at: reading.time.now() });
    return { height: block.height, isCurrent };
  }
  if (tagged !== undefined) return { height: tagged.block.height, isCurrent };
  // One refusal may be a disturbance: counting instead would call blocks final too early.
  return { height: lacksTag(outcome!) ? counted : -1, isCurrent };
}

function isDue(
  { time, finalityMs, restsByEpoch }: Pick<FinalityOptions, 'time' | 'finalityMs' | 'restsByEpoch'>,
  tagged: TaggedHead,
  tip: BlockRef,
): boolean {
  return time.now() - tagged.at >= finalityMs && !(restsByEpoch && isNewest(tagged.block, tip));
}

/**
 * Whether the age of the known final block shows that no later one can be final yet. Test networks
 * may follow other rules, so they are always asked.
 */
function isNewest(final: BlockRef, tip: BlockRef): boolean {
  const epochs = (tip.time - final.time) / EPOCH_SECONDS;
  return epochs >= 2 && epochs < 3;
}

const UNKNOWN_TAG_CODES = [-32601, -32602, -39001];
const UNKNOWN_TAG_TEXT =
  /\bfinali[sz]ed\b.*\b(not found|not supported|unsupported|unknown|invalid)|unknown block|block not found|(invalid|unsupported) (argument|block|tag)|hex string/i;

/** Whether the node's error says that it does not know the tag (safety.md R6). */
function lacksTag(outcome: RpcOutcome): boolean {
  if ('result' in outcome) return outcome.result === null;
  const { code, message } = outcome.error;
  return UNKNOWN_TAG_CODES.includes(code) || UNKNOWN_TAG_TEXT.test(message);
}
