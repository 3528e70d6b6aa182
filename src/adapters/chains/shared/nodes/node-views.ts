/**
 * Combines what several nodes see of a nonce. A final outcome is reported only when all nodes that
 * answer agree (safety.md A3 and "Paid once").
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { ChainSender, SendingOutcome } from '../../../../ports/sending/chain-sender.ts';
import type { NodePool } from './node-pool.ts';

export type MinedOutcome = Extract<SendingOutcome, { kind: 'mined' }>;

/** What one node sees. `final` of `mined` is this node's own opinion. */
export type NodeView =
  | { readonly kind: 'mined'; readonly mined: MinedOutcome; readonly tipHeight: number }
  | { readonly kind: 'waiting'; readonly txid: string }
  /**
   * A mined transaction that is none of the given ones used the nonce or UTXOs; `final` when its
   * block is. `blind`: the node does not keep all blocks that could have one of the transactions,
   * so it may have been one of them.
   */
  | { readonly kind: 'used'; readonly final: boolean; readonly blind?: boolean }
  /** None of the transactions was in a block, and none can be any more, finally. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'unseen' };

/**
 * The node is up, and what it sees is not known: it lags, refuses, has no room in its limit, or is
 * in a reorganisation. While it may know of a payment, the others do not decide that there is none.
 */
interface UnclearView {
  readonly kind: 'unclear';
  readonly problem: string;
}

/**
 * Asks every node by `look`. `what` names the nonce in the message of ChainUnavailable; `lastTxid`
 * is its newest transaction.
 */
export async function combineNodeViews<Node>(
  { pool, chain }: { pool: Pick<NodePool<Node>, 'every'>; chain: string },
  { what, lastTxid }: { what: string; lastTxid: string | null },
  look: (node: Node) => Promise<NodeView>,
): Promise<SendingOutcome> {
  const views = await pool.every<NodeView | UnclearView>(look, (problem) => ({ kind: 'unclear', problem }));
  const problems = views.flatMap((view) => (view.kind === 'unclear' ? [view.problem] : []));
  if (problems.length === views.length)
    throw new ChainUnavailable(`${chain}: no node could tell what became of ${what}: ${problems.join('; ')}`);
  return combined(views, lastTxid);
}

/**
 * Where the nodes disagree about what is final, it is not final. A `blind` node does not contradict
 * one that shows a transaction in these blocks: it only knows that something used the nonce, and
 * that transaction did.
 */
function combined(views: readonly (NodeView | UnclearView)[], lastTxid: string | null): SendingOutcome {
  const mined = views.filter((view) => view.kind === 'mined').toSorted((a, b) => b.tipHeight - a.tipHeight);
  const [best] = mined;
  if (best !== undefined) {
    const forgot = views.filter((view) => view.kind === 'used' && view.final && view.blind === true);
    const agreed =
      mined.length + forgot.length === views.length &&
      mined.every((view) => sameMined(view.mined, best.mined));
    return { ...best.mined, final: agreed && mined.every((view) => view.mined.final) };
  }
  const waiting = views.find((view) => view.kind === 'waiting');
  if (waiting !== undefined) return waiting;
  if (views.every((view) => view.kind === 'used' && view.final)) return { kind: 'superseded' };
  if (views.every((view) => view.kind === 'expired')) return { kind: 'expired' };
  const used = views.some((view) => view.kind === 'used');
  return used && lastTxid !== null ? { kind: 'waiting', txid: lastTxid } : { kind: 'unseen' };
}

function sameMined(a: MinedOutcome, b: MinedOutcome): boolean {
  return (
    a.txid === b.txid &&
    a.block.hash === b.block.hash &&
    a.feeUnits === b.feeUnits &&
    a.effects.every((effect, position) => effect === b.effects[position]) &&
    a.effects.every((_, position) => unfundedIn(a, position) === unfundedIn(b, position))
  );
}

const unfundedIn = ({ unfunded }: MinedOutcome, position: number): boolean => unfunded?.[position] ?? false;

/**
 * ChainSender.onChain: yes or no when all nodes with a block at that height agree; null when they
 * differ, or none has one. A node that cannot tell is not counted.
 */
export function onChainBy<Node>(
  pool: Pick<NodePool<Node>, 'every'>,
  blockAt: (node: Node, height: number) => Promise<{ readonly hash: string } | null>,
): ChainSender['onChain'] {
  return async ({ height, hash }) => {
    const answers = await pool.every((node) => blockAt(node, height));
    const told = new Set(answers.flatMap((block) => (block === null ? [] : [block.hash === hash])));
    const [only = null] = told;
    return told.size === 1 ? only : null;
  };
}
