/** The JSON-RPC nodes of Solana, with failover. A node of another cluster is never used. */
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { type NodeAddress, nodeEndpoints } from '../shared/nodes/node-endpoint.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { nodeRounds, type Rounds } from '../shared/nodes/rounds/moments.ts';
import { type RpcNode, rpcNode } from '../shared/nodes/rpc-node.ts';
import { parseExactly } from './exact-json.ts';

export interface SolanaPool extends NodePool<RpcNode>, ChainNodes {
  readonly rounds: Rounds<RpcNode>;
  close(): void;
}

/** `main` is mainnet-beta, `test` one of the public test clusters, `regtest` any private one. */
export type SolanaNetwork = 'main' | 'test' | 'regtest';

const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const TEST_GENESES: readonly string[] = [
  // devnet, testnet
  'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
];
const TIMEOUT_MS = 15_000;

/** The nodes, as configured for scanner and sender. */
export interface SolanaNodes {
  /** Chain name of the asset catalog. */
  readonly chain: string;
  readonly network: SolanaNetwork;
  readonly rpc: readonly NodeAddress[];
  /** Identity of the chain that the database was used with; absent: any chain of the network. */
  readonly boundTo?: ChainIdentity | undefined;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  readonly time?: BudgetTime;
  /** Time-out of a request and rest of a failed node, milliseconds. */
  readonly timing?: { readonly timeoutMs?: number; readonly coolDownMs?: number };
}

export function solanaPool(options: SolanaNodes): SolanaPool {
  const { chain, network, rpc, logger, timing } = options;
  if (rpc.length === 0) throw new Error(`${chain} has no rpc URL`);
  const closing = new AbortController();
  const nodes = nodeEndpoints(rpc, { time: options.time }).map((endpoint) => ({
    node: rpcNode({
      endpoint,
      timeoutMs: timing?.timeoutMs ?? TIMEOUT_MS,
      fetch: options.fetch ?? fetch,
      closed: closing.signal,
      slow: (method) => method === 'getBlock',
      parse: parseExactly,
    }),
    budget: endpoint.budget,
  }));
  const rounds = nodeRounds<RpcNode>({ ...options, doubt: (node) => pool.doubt(node) });
  const pool = nodePool({
    chain,
    nodes,
    serves: async (node) => {
      rounds.forget(node);
      return networkOf(await node.call('getGenesisHash')) === network;
    },
    identity: `the ${network} network of Solana`,
    genesis: async (node) => String(await node.call('getGenesisHash')),
    boundTo: options.boundTo,
    logger,
    coolDownMs: timing?.coolDownMs,
    time: options.time,
  });
  return { ...pool, rounds, close: () => closing.abort() };
}

function networkOf(genesis: unknown): SolanaNetwork | null {
  if (typeof genesis !== 'string') return null;
  if (genesis === MAINNET_GENESIS) return 'main';
  return TEST_GENESES.includes(genesis) ? 'test' : 'regtest';
}
