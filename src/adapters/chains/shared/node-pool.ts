/**
 * The nodes of one chain with fail-over: one piece of work runs on one node, so that its answers belong together; when that
 * node fails, the whole piece runs on the next. A node of another chain is never used.
 */

import type { ChainIdentity } from '../../../ports/chain-identity.ts';
import { ChainUnavailable } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { NodeBehind, NodeFault, RpcError } from './faults.ts';

export interface NodePool<Node> {
  readonly size: number;
  /** Runs `work` on the first node that manages; ChainUnavailable when none does. ChainUnavailable thrown by `work` ends it at once. */
  use<T>(work: (node: Node) => Promise<T>): Promise<T>;
  /** Runs `work` on every node at once and answers what the able ones said, in the order of the URLs. */
  every<T>(work: (node: Node) => Promise<T>): Promise<readonly T[]>;
  /** Has each node show again which chain it is of before it is used again: another machine may answer behind the same name. */
  doubt(): void;
}

interface Member<Node> {
  readonly node: Node;
  chain: 'unchecked' | 'right' | 'wrong';
  /** Monotonic milliseconds after which a node of another chain is asked again. */
  wrongUntil: number;
  /** Monotonic milliseconds before which the node is a last resort. */
  coolUntil: number;
}

const COOL_DOWN_MS = 15_000;
/** A node of another chain rests for so many cool-downs. */
const WRONG_TIMES = 4;

/**
 * `serves` tells whether a node is of the chain wanted, which `identity` names for messages. Where `boundTo` is given, it must also
 * show the first block (`genesis`) of that chain; null: nothing but the network tells the chain.
 */
export function nodePool<Node extends { readonly label: string }>(options: {
  chain: string;
  nodes: readonly Node[];
  serves: (node: Node) => Promise<boolean>;
  identity: string;
  genesis: (node: Node) => Promise<string | null>;
  boundTo: ChainIdentity | undefined;
  logger: Logger;
  /** Rest of a failed node, milliseconds. */
  coolDownMs?: number;
}): NodePool<Node> {
  const { chain, nodes, serves, genesis, boundTo, identity, logger, coolDownMs = COOL_DOWN_MS } = options;
  const members = nodes.map(
    (node): Member<Node> => ({
      ...{ node, chain: 'unchecked', wrongUntil: 0, coolUntil: 0 },
    }),
  );

  /** The answer of one member; its failures as values, after the bookkeeping they cause. */
  async function attempt<T>(
    member: Member<Node>,
    work: (node: Node) => Promise<T>,
  ): Promise<{ answer: T } | { failure: string }> {
    try {
      await checkChain(member);
      const answer = await work(member.node);
      if (member.coolUntil > 0) logger.info('node.recovered', { chain, node: member.node.label });
      member.coolUntil = 0;
      return { answer };
    } catch (error) {
      if (error instanceof NodeFault) coolDown(member, error);
      else if (!(error instanceof NodeBehind || error instanceof RpcError)) throw error;
      const { label } = member.node;
      return { failure: error.message.startsWith(label) ? error.message : `${label}: ${error.message}` };
    }
  }

  /** Asked at first use and again after a fault, when another machine may answer behind the same name. */
  async function checkChain(member: Member<Node>): Promise<void> {
    const { label } = member.node;
    const now = performance.now();
    if (member.chain === 'unchecked' || (member.chain === 'wrong' && now >= member.wrongUntil)) {
      const served = await serves(member.node);
      if (!served) logger.error('node.wrong_chain', { chain, node: label, wanted: identity });
      member.chain = served && (await isBound(member.node)) ? 'right' : 'wrong';
      member.wrongUntil = now + WRONG_TIMES * coolDownMs;
    }
    if (member.chain === 'wrong') throw new NodeBehind(`${label}: serves another chain than ${identity}`);
  }

  async function isBound(node: Node): Promise<boolean> {
    if (boundTo === undefined) return true;
    const first = await genesis(node);
    return first === null || boundTo.isOurs(first, node.label);
  }

  function coolDown(member: Member<Node>, fault: NodeFault): void {
    if (member.coolUntil === 0)
      logger.warn('node.failed', { chain, node: member.node.label, problem: fault.message });
    member.coolUntil = performance.now() + coolDownMs;
    if (member.chain === 'right') member.chain = 'unchecked';
  }

  /** Able nodes in the configured order, then the cooling ones: with a single node, failing fast would help nobody. */
  function candidates(): readonly Member<Node>[] {
    const now = performance.now();
    const rank = ({ coolUntil }: Member<Node>): number => (coolUntil > now ? coolUntil : 0);
    return members.toSorted((a, b) => rank(a) - rank(b));
  }

  return {
    size: members.length,
    use: async (work) => {
      const failures: string[] = [];
      for (const member of candidates()) {
        const outcome = await attempt(member, work);
        if ('answer' in outcome) return outcome.answer;
        failures.push(outcome.failure);
      }
      throw new ChainUnavailable(`${chain}: no node could answer: ${failures.join('; ')}`);
    },
    every: async (work) => {
      const outcomes = await Promise.all(members.map((member) => attempt(member, work)));
      return outcomes.flatMap((outcome) => ('answer' in outcome ? [outcome.answer] : []));
    },
    doubt() {
      for (const member of members) if (member.chain === 'right') member.chain = 'unchecked';
    },
  };
}
