/** The tip of a node's chain and what of it is final, by one rule for scanner and sender alike. */
import type { ChainHead } from '../../../ports/chain-scanner.ts';
import { type BudgetTime, systemTime } from '../shared/call-log.ts';
import { finalizedByConfirmations } from '../shared/finality.ts';
import type { RpcNode, RpcOutcome } from '../shared/rpc-node.ts';
import { blockRef, fullBlock, type NodeBlock } from './decode.ts';
import { defaultConfirmations, type FinalityRule } from './finality.ts';

/** Its final block moves once an epoch, 6.4 minutes. */
const ETHEREUM_FINALITY_MS = 60_000;

interface AskedOfHead {
  /** False: a node that told what is final is not asked that again. Default true. */
  readonly finality?: boolean;
  /** Gets the tip with its transactions, which are asked for then. */
  readonly whole?: (tip: NodeBlock) => void;
}

export type HeadReader = (node: RpcNode, asked?: AskedOfHead) => Promise<ChainHead>;

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
  const {
    chain,
    finality,
    finalityMs = chain === 'ethereum' ? ETHEREUM_FINALITY_MS : 0,
    time = systemTime,
  } = options;
  const lastTagged = new Map<RpcNode, { readonly height: number; readonly at: number }>();
  /** Where nothing was refused: there is nothing new to ask while the tip is the same. */
  const last = new Map<RpcNode, ChainHead>();

  return async (node, { finality: asksFinality = true, whole } = {}) => {
    const answer = await node.call('eth_getBlockByNumber', 'latest', whole !== undefined);
    const tip = blockRef(answer);
    whole?.(fullBlock(answer));
    const known = last.get(node);
    if (known?.tip.hash === tip.hash) return known;
    const tagged = lastTagged.get(node);
    const isDue = tagged === undefined || (asksFinality && time.now() - tagged.at >= finalityMs);
    const asksTag = finality.confirmations === null && isDue;
    const [finalized] = asksTag
      ? await node.outcomes([{ method: 'eth_getBlockByNumber', params: ['finalized', false] }])
      : [];
    if (finalized !== undefined && 'result' in finalized && finalized.result !== null)
      lastTagged.set(node, { height: blockRef(finalized.result).height, at: time.now() });
    const counted = finality.confirmations ?? defaultConfirmations(chain);
    // A refusal for once is a disturbance: counting instead would call blocks final too early.
    const finalizedHeight =
      lastTagged.get(node)?.height ??
      (finalized === undefined || lacksTag(finalized) ? finalizedByConfirmations(tip.height, counted) : -1);
    const head = { tip, finalizedHeight: Math.min(tip.height, finalizedHeight) };
    const isCurrent = asksTag || finality.confirmations !== null;
    if (isCurrent && (finalized === undefined || 'result' in finalized)) last.set(node, head);
    return head;
  };
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
