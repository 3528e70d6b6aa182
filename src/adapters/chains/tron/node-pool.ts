/**
 * The nodes of Tron, with failover. A node whose first block is another network's is never used.
 */
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { type NodeAddress, nodeEndpoints } from '../shared/nodes/node-endpoint.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { nodeRounds, type Rounds } from '../shared/nodes/rounds/moments.ts';
import { type TronNode, tronNode } from './node.ts';
import { headerAt } from './read/blocks.ts';

export interface TronPool extends NodePool<TronNode>, ChainNodes {
  readonly rounds: Rounds<TronNode>;
  close(): void;
}

export type TronNetwork = 'main' | 'test';

/** The nodes, as configured for scanner and sender. */
export interface TronOptions {
  /** Chain name of the asset catalog. */
  readonly chain: string;
  /** `test`: Nile or Shasta. */
  readonly network: TronNetwork;
  /**
   * Each serves both `wallet/` and `walletsolidity/`, as TronGrid does.
   */
  readonly rpc: readonly NodeAddress[];
  /** Identity of the chain that the database was used with; absent: any chain of the network. */
  readonly boundTo?: ChainIdentity | undefined;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  readonly time?: BudgetTime;
  /** Time-out of a request and rest of a failed node, milliseconds. */
  readonly timing?: { readonly timeoutMs?: number; readonly coolDownMs?: number };
}

const TIMEOUT_MS = 15_000;
/** Ids of the first blocks. */
const FIRST_BLOCKS: Readonly<Record<TronNetwork, readonly string[]>> = {
  main: ['00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'],
  test: [
    '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
    '0000000000000000de1aa88295e1fcf982742f773e0419c5a9c134c994a9059e',
  ],
};

export function tronPool(options: TronOptions): TronPool {
  const { chain, network, rpc, logger, timing } = options;
  if (rpc.length === 0) throw new Error(`${chain} has no rpc URL`);
  const closing = new AbortController();
  const nodes = nodeEndpoints(rpc, { keyHeader: 'tron-pro-api-key', time: options.time }).map((endpoint) => ({
    node: tronNode({
      endpoint,
      timeoutMs: timing?.timeoutMs ?? TIMEOUT_MS,
      fetch: options.fetch ?? fetch,
      closed: closing.signal,
    }),
    budget: endpoint.budget,
  }));

  const rounds = nodeRounds<TronNode>({ ...options, doubt: (node) => pool.doubt(node) });

  async function serves(node: TronNode): Promise<boolean> {
    rounds.forget(node);
    const first = await headerAt(node, 0);
    return first !== null && FIRST_BLOCKS[network].includes(first.hash);
  }

  const pool = nodePool({
    chain,
    nodes,
    serves,
    identity: `tron ${network}`,
    genesis: async (node) => (await headerAt(node, 0))?.hash ?? null,
    boundTo: options.boundTo,
    logger,
    coolDownMs: timing?.coolDownMs,
    time: options.time,
  });
  return { ...pool, rounds, close: () => closing.abort() };
}
