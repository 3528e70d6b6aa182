/**
 * The nodes of one chain with fail-over: one piece of work runs on one node, so that its answers belong together; when that
 * node fails, the whole piece runs on the next. A node of another chain is never used.
 */
import { ChainUnavailable } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { NodeBehind, NodeFault, RpcError } from './faults.ts';
import { rpcEndpoint } from './rpc-endpoint.ts';
import { type RpcNode, rpcNode } from './rpc-node.ts';

export interface RpcPool {
  readonly size: number;
  /** Runs `work` on the first node that manages; ChainUnavailable when none does. ChainUnavailable thrown by `work` ends it at once. */
  use<T>(work: (node: RpcNode) => Promise<T>): Promise<T>;
  /** Runs `work` on every node at once and answers what the able ones said, in the order of the URLs. */
  every<T>(work: (node: RpcNode) => Promise<T>): Promise<readonly T[]>;
  close(): void;
}

interface Member {
  readonly node: RpcNode;
  chain: 'unchecked' | 'right' | 'wrong';
  /** Monotonic milliseconds before which the node is a last resort. */
  coolUntil: number;
}

const TIMEOUT_MS = 15_000;
const COOL_DOWN_MS = 15_000;

/** The nodes of a chain, as scanner and sender are told of them. */
export interface RpcOptions {
  /** Chain name of the asset catalog. */
  readonly chain: string;
  /** EIP-155 id; a node that serves another is never used. */
  readonly chainId: number;
  /** JSON-RPC URLs in order of preference; credentials in them are kept out of every message. */
  readonly rpc: readonly string[];
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  /** Time-out of a request and rest of a failed node, milliseconds. */
  readonly timing?: { readonly timeoutMs?: number; readonly coolDownMs?: number };
}

export function rpcPool(options: RpcOptions): RpcPool {
  const { chain, chainId, rpc: urls, logger } = options;
  const { timeoutMs = TIMEOUT_MS, coolDownMs = COOL_DOWN_MS } = options.timing ?? {};
  if (urls.length === 0) throw new Error(`${chain} has no rpc URL`);
  const closing = new AbortController();
  const members = urls.map((url, position): Member => {
    const endpoint = rpcEndpoint(url, position);
    const node = rpcNode({ endpoint, timeoutMs, fetch: options.fetch ?? fetch, closed: closing.signal });
    return { node, chain: 'unchecked', coolUntil: 0 };
  });

  /** The answer of one member; its failures as values, after the bookkeeping they cause. */
  async function attempt<T>(
    member: Member,
    work: (node: RpcNode) => Promise<T>,
  ): Promise<{ answer: T } | { failure: string }> {
    try {
      await checkChain(member);
      const answer = await work(member.node);
      if (member.coolUntil > 0) logger.info('node answers again', { chain, node: member.node.label });
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
  async function checkChain(member: Member): Promise<void> {
    const { label } = member.node;
    if (member.chain === 'unchecked') {
      const answered = await member.node.call('eth_chainId');
      const right =
        typeof answered === 'string' &&
        /^0x[0-9a-f]+$/i.test(answered) &&
        BigInt(answered) === BigInt(chainId);
      member.chain = right ? 'right' : 'wrong';
      if (!right) logger.error('node serves another chain and is not used', { chain, node: label, chainId });
    }
    if (member.chain === 'wrong') throw new NodeBehind(`${label}: serves another chain than ${chainId}`);
  }

  function coolDown(member: Member, fault: NodeFault): void {
    if (member.coolUntil === 0)
      logger.warn('node failed', { chain, node: member.node.label, problem: fault.message });
    member.coolUntil = performance.now() + coolDownMs;
    if (member.chain === 'right') member.chain = 'unchecked';
  }

  /** Able nodes in the configured order, then the cooling ones: with a single node, failing fast would help nobody. */
  function candidates(): readonly Member[] {
    const now = performance.now();
    const rank = ({ coolUntil }: Member): number => (coolUntil > now ? coolUntil : 0);
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
    close: () => closing.abort(),
  };
}
