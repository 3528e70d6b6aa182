/**
 * The nodes of one chain with fail-over. One piece of work runs on one node, so that its answers
 * belong together. When that node fails, the whole piece runs on the next. A node of another chain
 * is never used.
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
   * Runs `work` on the first node that can do it. Throws ChainUnavailable when none can;
   * ChainUnavailable thrown by `work` ends it at once. A node waits for room in its budget, or for
   * a machine that lags, only when no other node can do the work.
   */
  use<T>(work: (node: Node) => Promise<T>): Promise<T>;
  /**
   * Runs `work` on every node at once. Answers what the able ones said, in the order of the URLs. A
   * node waits for room in its budget, unless the work has a choice (urgency.ts). `unclear` stands
   * for a node that is up and could not answer, because of its limit for one; without it such a
   * node is left out, as one that is down or of another chain always is.
   */
  every<T>(work: (node: Node) => Promise<T>, unclear?: (problem: string) => T): Promise<readonly T[]>;
  /**
   * The node, or each one, shows again which chain it is of before it is used again: another
   * machine may answer behind the same name.
   */
  doubt(node?: Node): void;
}

/** A node, and what it may be asked. */
export interface BudgetedNode<Node> {
  readonly node: Node;
  readonly budget: NodeBudget;
}

/** Times are monotonic milliseconds. */
interface PoolNode<Node> extends BudgetedNode<Node> {
  chain: 'unchecked' | 'right' | 'wrong';
  /** How often it had to show its chain again: a check that began before does not count. */
  doubts: number;
  /** A node of another chain is asked again from then on. */
  wrongUntil: number;
  /** Until then the node is a last resort. */
  coolUntil: number;
  /** Until then its limit is not logged again. */
  limitToldUntil: number;
}

interface FailedCall {
  readonly failure: string;
  readonly limited: boolean;
  readonly lags: boolean;
  /** It cannot be reached, or answers what nobody can read. */
  readonly down: boolean;
}

export interface LabelledNode {
  readonly label: string;
}

interface PoolOptions<Node> {
  readonly chain: string;
  readonly nodes: readonly BudgetedNode<Node>[];
  /** Whether a node is of the chain wanted. */
  readonly serves: (node: Node) => Promise<boolean>;
  /** The chain wanted, for messages. */
  readonly identity: string;
  /** The first block of the node's chain; null when the network alone tells the chain. */
  readonly genesis: (node: Node) => Promise<string | null>;
  /** Each node must show the first block of this chain. */
  readonly boundTo: ChainIdentity | undefined;
  readonly logger: Logger;
  /** A failed node rests for so many milliseconds. */
  readonly coolDownMs?: number | undefined;
  readonly time?: BudgetTime | undefined;
}

interface NodePoolState<Node> extends Omit<PoolOptions<Node>, 'nodes'> {
  readonly members: readonly PoolNode<Node>[];
  readonly coolDownMs: number;
  readonly time: BudgetTime;
}

const COOL_DOWN_MS = 15_000;
/** A node of another chain rests for so many cool-downs. */
const WRONG_TIMES = 4;
const LIMIT_TOLD_MS = 600_000;

export function nodePool<Node extends LabelledNode>(options: PoolOptions<Node>): NodePool<Node> & ChainNodes {
  const { nodes, coolDownMs = COOL_DOWN_MS, time = systemTime } = options;
  const members = nodes.map(
    (each): PoolNode<Node> => ({
      ...each,
      chain: 'unchecked',
      doubts: 0,
      wrongUntil: 0,
      coolUntil: 0,
      limitToldUntil: 0,
    }),
  );
  const pool: NodePoolState<Node> = { ...options, members, coolDownMs, time };
  return {
    size: members.length,
    use: (work) => use(pool, work),
    every: (work, unclear) => every(pool, work, unclear),
    doubt(node) {
      for (const member of members) if ((node ?? member.node) === member.node) doubt(member);
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

async function use<Node extends LabelledNode, T>(
  pool: NodePoolState<Node>,
  work: (node: Node) => Promise<T>,
): Promise<T> {
  const failures = new Map<PoolNode<Node>, FailedCall>();
  let able = candidates(pool);
  for (const hasChoice of able.length > 1 ? [true, false] : [false]) {
    const waitedFor: PoolNode<Node>[] = [];
    for (const member of able) {
      const outcome = await inHaste({ hasChoice }, () => attempt(pool, member, work));
      if ('answer' in outcome) return outcome.answer;
      failures.set(member, outcome);
      if (outcome.limited || outcome.lags) waitedFor.push(member);
    }
    able = waitedFor;
  }
  const told = [...failures.values()].map(({ failure }) => failure).join('; ');
  throw new ChainUnavailable(`${pool.chain}: no node could answer: ${told}`, faultOf(failures));
}

async function every<Node extends LabelledNode, T>(
  pool: NodePoolState<Node>,
  work: (node: Node) => Promise<T>,
  unclear?: (problem: string) => T,
): Promise<readonly T[]> {
  const { members } = pool;
  const hasChoice = members.length > 1 && hasteNow().hasChoice;
  const outcomes = await inHaste({ hasChoice }, () =>
    Promise.all(members.map((member) => attempt(pool, member, work))),
  );
  return outcomes.flatMap((outcome, position) => {
    if ('answer' in outcome) return [outcome.answer];
    const isOut = outcome.down || members[position]!.chain === 'wrong';
    return unclear === undefined || isOut ? [] : [unclear(outcome.failure)];
  });
}

/**
 * Able nodes in the configured order, then the cooling ones, so that a single node is always tried.
 */
function candidates<Node>({ members, time }: NodePoolState<Node>): readonly PoolNode<Node>[] {
  const now = time.now();
  const rank = ({ coolUntil, budget }: PoolNode<Node>): number => {
    const ableFrom = Math.max(coolUntil, budget.opensAt());
    return ableFrom > now ? ableFrom : 0;
  };
  return members.toSorted((a, b) => rank(a) - rank(b));
}

/** The answer of one member, or its failure, after the bookkeeping that a failure causes. */
async function attempt<Node extends LabelledNode, T>(
  pool: NodePoolState<Node>,
  member: PoolNode<Node>,
  work: (node: Node) => Promise<T>,
): Promise<{ answer: T } | FailedCall> {
  const { label } = member.node;
  try {
    await checkChain(pool, member);
    const answer = await work(member.node);
    if (member.coolUntil > 0) pool.logger.info('node.recovered', { chain: pool.chain, node: label });
    member.coolUntil = 0;
    return { answer };
  } catch (error) {
    if (error instanceof NodeError) coolDown(pool, member, error);
    else if (!(error instanceof NodeLagging || error instanceof RpcError)) throw error;
    const limited = error instanceof NodeLimited;
    if (limited) tellLimit(pool, member);
    return {
      failure: error.message.startsWith(label) ? error.message : `${label}: ${error.message}`,
      limited,
      lags: error instanceof NodeLags,
      down: error instanceof NodeError,
    };
  }
}

/** Asks at first use, and again after a fault: another machine may answer behind the same name. */
async function checkChain<Node extends LabelledNode>(
  pool: NodePoolState<Node>,
  member: PoolNode<Node>,
): Promise<void> {
  const { chain, identity, logger } = pool;
  const { label } = member.node;
  const now = pool.time.now();
  if (member.chain === 'unchecked' || (member.chain === 'wrong' && now >= member.wrongUntil)) {
    const { doubts } = member;
    // No answer of before may be given again: that would be another machine's.
    const [served, bound] = await inHaste({ round: null }, async () => {
      const isServed = await pool.serves(member.node);
      return [isServed, isServed && (await isBound(pool, member.node))];
    });
    if (!served) logger.error('node.wrong_chain', { chain, node: label, wanted: identity });
    const shown = member.doubts === doubts ? 'right' : 'unchecked';
    member.chain = bound ? shown : 'wrong';
    member.wrongUntil = now + WRONG_TIMES * pool.coolDownMs;
  }
  if (member.chain === 'wrong') throw new NodeLagging(`${label}: serves another chain than ${identity}`);
}

async function isBound<Node extends LabelledNode>(
  { boundTo, genesis }: NodePoolState<Node>,
  node: Node,
): Promise<boolean> {
  if (boundTo === undefined) return true;
  const first = await genesis(node);
  return first === null || boundTo.isOurs(first, node.label);
}

function coolDown<Node extends LabelledNode>(
  { chain, logger, coolDownMs, time }: NodePoolState<Node>,
  member: PoolNode<Node>,
  fault: NodeError,
): void {
  if (member.coolUntil === 0)
    logger.warn('node.failed', { chain, node: member.node.label, problem: fault.message });
  member.coolUntil = time.now() + coolDownMs;
  doubt(member);
}

function doubt<Node>(member: PoolNode<Node>): void {
  member.doubts += 1;
  if (member.chain === 'right') member.chain = 'unchecked';
}

function tellLimit<Node extends LabelledNode>(
  { chain, logger, time }: NodePoolState<Node>,
  member: PoolNode<Node>,
): void {
  const now = time.now();
  if (now < member.limitToldUntil) return;
  member.limitToldUntil = now + LIMIT_TOLD_MS;
  const { perSecond, perDay, used } = member.budget.standing();
  const plan = { per_second: perSecond, per_day: perDay, today: used.calls };
  logger.info('node.limited', { chain, node: member.node.label, ...plan });
}

/** Why there is no answer, as the nodes of our chain tell it. */
function faultOf<Node>(failures: ReadonlyMap<PoolNode<Node>, FailedCall>): ChainFault {
  const ours = [...failures].filter(([member]) => member.chain !== 'wrong');
  if (ours.length === 0) return 'wrong_chain';
  return ours.every(([, { limited }]) => limited) ? 'limited' : 'unreachable';
}

function stateOf<Node>({ chain, coolUntil, budget }: PoolNode<Node>, now: number): NodeStanding['state'] {
  if (chain === 'wrong') return 'wrong_chain';
  if (coolUntil > now) return 'resting';
  return budget.opensAt() > now ? 'limited' : 'able';
}
