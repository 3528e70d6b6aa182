/**
 * The JSON-RPC nodes of one EVM chain, with failover. A node with another chain id is never used.
 */
import { chainNamed } from '../../../domain/catalog/chain.ts';
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { fields } from '../shared/nodes/answers.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { type NodeAddress, nodeEndpoints } from '../shared/nodes/node-endpoint.ts';
import { NodeLagging, RpcError } from '../shared/nodes/node-errors.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { type RpcNode, rpcNode } from '../shared/nodes/rpc-node.ts';
import { hexBytes } from './decode.ts';
import { isOfRound, mayBeJoined } from './payout-calls.ts';

export interface RpcPool extends NodePool<RpcNode>, ChainNodes {
  close(): void;
}

const TIMEOUT_MS = 15_000;
/** The nodes of a chain, as configured for scanner and sender. */
export interface RpcOptions {
  /** Chain name of the asset catalog. */
  readonly chain: string;
  /** EIP-155 id. A node of another chain is never used. */
  readonly chainId: number;
  readonly rpc: readonly NodeAddress[];
  /** Identity of the chain that the database was used with; absent: any chain of the network. */
  readonly boundTo?: ChainIdentity | undefined;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  readonly time?: BudgetTime;
  /**
   * Times in milliseconds: time-out of a request, rest of a failed node; for the scanner, how often
   * it reads the tag of final blocks and the pending block, and how long it waits for a lagging
   * machine; for the sender, deadlines of a payment's trial and of its quote.
   */
  readonly timing?: Readonly<
    Partial<
      Record<
        'timeoutMs' | 'coolDownMs' | 'finalityMs' | 'pendingMs' | 'lagMs' | 'trialMs' | 'quoteMs',
        number
      >
    >
  >;
}

/**
 * The first block's hash. Test chains share their ids, so their nodes must show it. A node of a
 * chain id in the catalog may have dropped its old blocks: the id identifies the chain.
 */
async function genesisOf(
  node: RpcNode,
  { chain, chainId }: { chain: string; chainId: number },
): Promise<string | null> {
  const isRegistered = chainNamed(chain).chainId === chainId;
  try {
    const first = await node.call('eth_getBlockByNumber', '0x0', false);
    if (first !== null) return hexBytes(fields(first, 'first block').hash, 'first block hash', 32);
  } catch (error) {
    if (!(isRegistered && error instanceof RpcError)) throw error;
  }
  if (isRegistered) return null;
  throw new NodeLagging('does not show its first block');
}

export function rpcPool(options: RpcOptions): RpcPool {
  const { chain, chainId, rpc, logger, timing } = options;
  if (rpc.length === 0) throw new Error(`${chain} has no rpc URL`);
  const closing = new AbortController();
  const nodes = nodeEndpoints(rpc, { time: options.time }).map((endpoint) => ({
    node: rpcNode({
      endpoint,
      timeoutMs: timing?.timeoutMs ?? TIMEOUT_MS,
      fetch: options.fetch ?? fetch,
      closed: closing.signal,
      slow: (method) => method.startsWith('debug_'),
      joins: mayBeJoined,
      ofRound: isOfRound,
      time: options.time,
    }),
    budget: endpoint.budget,
  }));

  async function serves(node: RpcNode): Promise<boolean> {
    const answered = await node.call('eth_chainId');
    return (
      typeof answered === 'string' && /^0x[0-9a-f]+$/i.test(answered) && BigInt(answered) === BigInt(chainId)
    );
  }

  const pool = nodePool({
    chain,
    nodes,
    serves,
    identity: `${chainId}`,
    genesis: (node) => genesisOf(node, { chain, chainId }),
    boundTo: options.boundTo,
    logger,
    coolDownMs: timing?.coolDownMs,
    time: options.time,
  });
  return { ...pool, close: () => closing.abort() };
}
