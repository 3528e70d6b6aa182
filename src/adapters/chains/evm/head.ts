/** The tip of a node's chain and what of it is final, by one rule for scanner and sender alike. */
import { chainNamed, evmFacts } from '../../../domain/catalog/chain.ts';
import type { BlockRef, ChainHead } from '../../../ports/chains/chain-scanner.ts';
import { type BudgetTime, systemTime } from '../shared/nodes/call-log.ts';
import type { RpcNode, RpcOutcome } from '../shared/nodes/rpc-node.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { blockRef, fullBlock, type NodeBlock } from './decode.ts';
import type { FinalityRule } from './finality.ts';

/** Where blocks are final minutes after they were made. */
const SLOWLY_FINAL_MS = 60_000;
/** Ethereum's final block is that with which an epoch began, and moves when the second epoch after it is over. */
const EPOCH_SECONDS = 384;

interface AskedOfHead {
  /** False: a node that told what is final is not asked that again. Default true. */
  readonly finality?: boolean;
  /** Gets the tip with its transactions, which are asked for then. */
  readonly whole?: (tip: NodeBlock) => void;
}

export type HeadReader = (node: RpcNode, asked?: AskedOfHead) => Promise<ChainHead>;

interface Tagged {
  readonly block: BlockRef;
  /** Monotonic milliseconds. */
  readonly at: number;
}

interface Reading {
  /** Whether blocks are counted, and nobody is asked for the tag. */
  readonly counts: boolean;
  /** Blocks that make a block final by counting, its own included. */
  readonly confirmations: number;
  /** The tag is asked so often at most. */
  readonly finalityMs: number;
  /** Whether the tag moves with epochs only. */
  readonly restsByEpoch: boolean;
  readonly time: Pick<BudgetTime, 'now'>;
  /** What each node last said of the tag. */
  readonly lastTagged: Map<RpcNode, Tagged>;
}

/**
 * Reads the head of whichever node is given. It remembers what each node last said of the `finalized` tag (make one per client):
 * no node's word makes another call a block final.
 */
export function headReader(options: {
  chain: string;
  finality: FinalityRule;
  /** The tag is asked so often at most. Default: as often as the chain moves it. */
  finalityMs?: number | undefined;
  time?: Pick<BudgetTime, 'now'> | undefined;
}): HeadReader {
  const { chain, finality, time = systemTime } = options;
  const moves = evmFacts(chain).finality;
  const { finalityMs = moves === 'fast' ? 0 : SLOWLY_FINAL_MS } = options;
  const reading: Reading = {
    counts: finality.confirmations !== null,
    confirmations: finality.confirmations ?? chainNamed(chain).confirmations,
    restsByEpoch: moves === 'epoch' && options.finalityMs === undefined,
    ...{ finalityMs, time, lastTagged: new Map() },
  };
  /** Where nothing was refused: there is nothing new to ask while the tip is the same. */
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

/** The height that is final, and whether that is so as of this tip: the node was asked, and did not refuse. */
async function finalBelow(
  { counts, confirmations, lastTagged, ...reading }: Reading,
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
  // A refusal for once is a disturbance: counting instead would call blocks final too early.
  return { height: lacksTag(outcome!) ? counted : -1, isCurrent };
}

function isDue(
  { time, finalityMs, restsByEpoch }: Pick<Reading, 'time' | 'finalityMs' | 'restsByEpoch'>,
  tagged: Tagged,
  tip: BlockRef,
): boolean {
  return time.now() - tagged.at >= finalityMs && !(restsByEpoch && isNewest(tagged.block, tip));
}

/** Whether no later block can be final yet, as the age of this one tells. A test network that goes by other rules is asked. */
function isNewest(final: BlockRef, tip: BlockRef): boolean {
  const epochs = (tip.time - final.time) / EPOCH_SECONDS;
  return epochs >= 2 && epochs < 3;
}

const UNKNOWN_TAG_CODES = [-32601, -32602, -39001];
const UNKNOWN_TAG_TEXT =
  /\bfinali[sz]ed\b.*\b(not found|not supported|unsupported|unknown|invalid)|unknown block|block not found|(invalid|unsupported) (argument|block|tag)|hex string/i;

/** Whether the node says that it does not know the tag (safety.md R6). */
function lacksTag(outcome: RpcOutcome): boolean {
  if ('result' in outcome) return outcome.result === null;
  const { code, message } = outcome.error;
  return UNKNOWN_TAG_CODES.includes(code) || UNKNOWN_TAG_TEXT.test(message);
}
