/**
 * The nodes of one chain with fail-over: one piece of work runs on one node, so that its answers belong together; when that
 * node fails, the whole piece runs on the next. A node of another chain is never used.
 */

import type { ChainFault } from '../../../../domain/chains/chain-health.ts';
import type { ChainIdentity } from '../../../../ports/chains/chain-identity.ts';
import type { ChainNodes, NodeStanding } from '../../../../ports/chains/chain-nodes.ts';
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { type BudgetTime, systemTime } from './call-log.ts';
import type { NodeBudget } from './node-budget.ts';
import { NodeError, NodeLagging, NodeLags, NodeLimited, RpcError } from './node-errors.ts';
import { hasteNow, inHaste } from './urgency.ts';

export interface NodePool<Node> {
  readonly size: number;
  /**
   * Runs `work` on the first node that manages; ChainUnavailable when none does. ChainUnavailable thrown by `work` ends it at once.
   * A node without room in its budget, or of which a machine lags, is waited for only when no other one manages.
   */
  use<T>(work: (node: Node) => Promise<T>): Promise<T>;
  /**
   * Runs `work` on every node at once and answers what the able ones said, in the order of the URLs. A node without room in its
   * budget is waited for, unless the work has a choice (urgency.ts).
   */
  every<T>(work: (node: Node) => Promise<T>): Promise<readonly T[]>;
  /** Has each node show again which chain it is of before it is used again: another machine may answer behind the same name. */
  doubt(): void;
}

/** A node, and what it may be asked. */
export interface BudgetedNode<Node> {
  readonly node: Node;
  readonly budget: NodeBudget;
}

interface Member<Node> extends BudgetedNode<Node> {
  chain: 'unchecked' | 'right' | 'wrong';
  /** Monotonic milliseconds after which a node of another chain is asked again. */
  wrongUntil: number;
  /** Monotonic milliseconds before which the node is a last resort. */
  coolUntil: number;
  /** Monotonic milliseconds before which its limit is not told again. */
  limitToldUntil: number;
}

interface Failed {
  readonly failure: string;
  readonly limited: boolean;
  readonly lags: boolean;
}

const COOL_DOWN_MS = 15_000;
/** A node of another chain rests for so many cool-downs. */
const WRONG_TIMES = 4;
const LIMIT_TOLD_MS = 600_000;

/**
 * `serves` tells whether a node is of the chain wanted, which `identity` names for messages. Where `boundTo` is given, it must also
 * show the first block (`genesis`) of that chain; null: nothing but the network tells the chain.
 */
export function nodePool<Node extends { readonly label: string }>(options: {
  chain: string;
  nodes: readonly BudgetedNode<Node>[];
  serves: (node: Node) => Promise<boolean>;
  identity: string;
  genesis: (node: Node) => Promise<string | null>;
  boundTo: ChainIdentity | undefined;
  logger: Logger;
  /** Rest of a failed node, milliseconds. */
  coolDownMs?: number | undefined;
  time?: BudgetTime | undefined;
}): NodePool<Node> & ChainNodes {
  const { chain, nodes, serves, genesis, boundTo, identity, logger } = options;
  const { coolDownMs = COOL_DOWN_MS, time = systemTime } = options;
  const members = nodes.map(
    (each): Member<Node> => ({
      ...each,
      ...{ chain: 'unchecked', wrongUntil: 0, coolUntil: 0, limitToldUntil: 0 },
    }),
  );

  /** The answer of one member; its failures as values, after the bookkeeping they cause. */
  async function attempt<T>(
    member: Member<Node>,
    work: (node: Node) => Promise<T>,
  ): Promise<{ answer: T } | Failed> {
    try {
      await checkChain(member);
      const answer = await work(member.node);
      if (member.coolUntil > 0) logger.info('node.recovered', { chain, node: member.node.label });
      member.coolUntil = 0;
      return { answer };
    } catch (error) {
      if (error instanceof NodeError) coolDown(member, error);
      else if (!(error instanceof NodeLagging || error instanceof RpcError)) throw error;
      const { label } = member.node;
      const limited = error instanceof NodeLimited;
      if (limited) tellLimit(member);
      return {
        failure: error.message.startsWith(label) ? error.message : `${label}: ${error.message}`,
        limited,
        lags: error instanceof NodeLags,
      };
    }
  }

  /** Asked at first use and again after a fault, when another machine may answer behind the same name. */
  async function checkChain(member: Member<Node>): Promise<void> {
    const { label } = member.node;
    const now = time.now();
    if (member.chain === 'unchecked' || (member.chain === 'wrong' && now >= member.wrongUntil)) {
      const served = await serves(member.node);
      if (!served) logger.error('node.wrong_chain', { chain, node: label, wanted: identity });
      member.chain = served && (await isBound(member.node)) ? 'right' : 'wrong';
      member.wrongUntil = now + WRONG_TIMES * coolDownMs;
    }
    if (member.chain === 'wrong') throw new NodeLagging(`${label}: serves another chain than ${identity}`);
  }

  async function isBound(node: Node): Promise<boolean> {
    if (boundTo === undefined) return true;
    const first = await genesis(node);
    return first === null || boundTo.isOurs(first, node.label);
  }

  function coolDown(member: Member<Node>, fault: NodeError): void {
    if (member.coolUntil === 0)
      logger.warn('node.failed', { chain, node: member.node.label, problem: fault.message });
    member.coolUntil = time.now() + coolDownMs;
    if (member.chain === 'right') member.chain = 'unchecked';
  }

  function tellLimit(member: Member<Node>): void {
    const now = time.now();
    if (now < member.limitToldUntil) return;
    member.limitToldUntil = now + LIMIT_TOLD_MS;
    const { perSecond, perDay, used } = member.budget.standing();
    const plan = { per_second: perSecond, per_day: perDay, today: used.calls };
    logger.info('node.limited', { chain, node: member.node.label, ...plan });
  }

  /** Able nodes in the configured order, then the cooling ones: with a single node, failing fast would help nobody. */
  function candidates(): readonly Member<Node>[] {
    const now = time.now();
    const rank = ({ coolUntil, budget }: Member<Node>): number => {
      const ableFrom = Math.max(coolUntil, budget.opensAt());
      return ableFrom > now ? ableFrom : 0;
    };
    return members.toSorted((a, b) => rank(a) - rank(b));
  }

  return {
    size: members.length,
    use: async (work) => {
      const failures = new Map<Member<Node>, Failed>();
      let able = candidates();
      for (const hasChoice of able.length > 1 ? [true, false] : [false]) {
        const waitedFor: Member<Node>[] = [];
        for (const member of able) {
          const outcome = await inHaste({ hasChoice }, () => attempt(member, work));
          if ('answer' in outcome) return outcome.answer;
          failures.set(member, outcome);
          if (outcome.limited || outcome.lags) waitedFor.push(member);
        }
        able = waitedFor;
      }
      const told = [...failures.values()].map(({ failure }) => failure).join('; ');
      throw new ChainUnavailable(`${chain}: no node could answer: ${told}`, faultOf(failures));
    },
    every: async (work) => {
      const hasChoice = members.length > 1 && hasteNow().hasChoice;
      const outcomes = await inHaste({ hasChoice }, () =>
        Promise.all(members.map((member) => attempt(member, work))),
      );
      return outcomes.flatMap((outcome) => ('answer' in outcome ? [outcome.answer] : []));
    },
    doubt() {
      for (const member of members) if (member.chain === 'right') member.chain = 'unchecked';
    },
    standings: () =>
      members.map((member) => ({
        node: member.node.label,
        state: stateOf(member, time.now()),
        ...member.budget.standing(),
      })),
    recall(node, used) {
      members.find(({ node: { label } }) => label === node)?.budget.recall(used);
    },
  };
}

/** Of nodes that serve another chain nothing is expected: the others tell why there is no answer. */
function faultOf<Node>(failures: ReadonlyMap<Member<Node>, Failed>): ChainFault {
  const ours = [...failures].filter(([member]) => member.chain !== 'wrong');
  if (ours.length === 0) return 'wrong_chain';
  return ours.every(([, { limited }]) => limited) ? 'limited' : 'unreachable';
}

function stateOf<Node>({ chain, coolUntil, budget }: Member<Node>, now: number): NodeStanding['state'] {
  if (chain === 'wrong') return 'wrong_chain';
  if (coolUntil > now) return 'resting';
  return budget.opensAt() > now ? 'limited' : 'able';
}
