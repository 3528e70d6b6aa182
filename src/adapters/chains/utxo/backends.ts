/**
 * The sources of one chain with failover: nodes over JSON-RPC, Esplora or Electrum servers. A
 * source of another network is never used.
 */
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { type NodeAddress, type NodeEndpoint, nodeEndpoints } from '../shared/nodes/node-endpoint.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { rpcNode } from '../shared/nodes/rpc-node.ts';
import type { UtxoBackend } from './backend.ts';
import { electrumBackend } from './electrum/backend.ts';
import type { ElectrumTiming } from './electrum/connection.ts';
import { esploraBackend } from './esplora/backend.ts';
import { esploraHttp } from './esplora/http.ts';
import { servesNetwork } from './identity.ts';
import type { UtxoNetwork } from './network.ts';
import { rpcBackend } from './rpc/backend.ts';
import { parseKeepingDecimals } from './rpc/json.ts';

/** How a chain is reached, as configured for scanner and sender. */
export interface UtxoOptions {
  /** Chain name of the asset catalog. */
  readonly chain: string;
  readonly network: UtxoNetwork;
  readonly source:
    | { readonly rpc: readonly NodeAddress[] }
    | { readonly esplora: readonly NodeAddress[] }
    | { readonly electrum: readonly NodeAddress[] };
  /** Identity of the chain that the database was used with; absent: any chain of the network. */
  readonly boundTo?: ChainIdentity | undefined;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  readonly time?: BudgetTime;
  /** Time-out of a request and rest of a failed source, milliseconds. */
  readonly timing?: ElectrumTiming & { readonly coolDownMs?: number };
  /** Certificate authorities for Electrum servers besides the system's (PEM). */
  readonly authorities?: readonly string[];
}

export interface BackendPool extends NodePool<UtxoBackend>, ChainNodes {
  close(): void;
}

/** A full block is megabytes of text. */
const TIMEOUT_MS = 30_000;

export function backendPool(options: UtxoOptions): BackendPool {
  const { chain, network, source, logger, timing } = options;
  const closing = new AbortController();
  const common = {
    timeoutMs: timing?.timeoutMs ?? TIMEOUT_MS,
    fetch: options.fetch ?? fetch,
    closed: closing.signal,
  };
  const reading = { begun: null };
  const lag = { time: options.time };
  const rpc = (endpoint: NodeEndpoint): UtxoBackend => {
    const closes = network.family === 'litecoin';
    const node = rpcNode({ ...common, endpoint, closing: closes, parse: parseKeepingDecimals });
    return rpcBackend({ network, node, reading, lag, budget: endpoint.budget });
  };
  const esplora = (endpoint: NodeEndpoint): UtxoBackend =>
    esploraBackend({ network, server: esploraHttp({ ...common, endpoint }), lag });
  const electrum = (endpoint: NodeEndpoint): UtxoBackend =>
    electrumBackend({ ...options, timing: timing ?? {}, endpoint, closed: closing.signal });
  const [addresses, backend, schemes] =
    'rpc' in source
      ? [source.rpc, rpc, undefined]
      : 'esplora' in source
        ? [source.esplora, esplora, undefined]
        : [source.electrum, electrum, ['ssl', 'tcp']];
  const endpoints = nodeEndpoints(addresses, {
    ...(schemes === undefined ? {} : { schemes }),
    time: options.time,
  });
  const nodes = endpoints.map((endpoint) => ({ node: backend(endpoint), budget: endpoint.budget }));
  if (nodes.length === 0) throw new Error(`${chain} has no rpc, esplora or electrum URL`);
  const pool = nodePool({
    chain,
    nodes,
    serves: (backend) => servesNetwork(backend, network),
    identity: `${network.family} ${network.name}`,
    genesis: async (backend) => (await backend.hashesAt([0]))[0] ?? null,
    boundTo: options.boundTo,
    logger,
    coolDownMs: timing?.coolDownMs,
    time: options.time,
  });
  return { ...pool, close: () => closing.abort() };
}
