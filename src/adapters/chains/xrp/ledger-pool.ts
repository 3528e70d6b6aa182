/** The nodes of the XRP Ledger with failover. A node with another network's id is never used. */
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { fields } from '../shared/nodes/answers.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { type NodeAddress, nodeEndpoints } from '../shared/nodes/node-endpoint.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { nodeRounds, type Rounds } from '../shared/nodes/rounds/moments.ts';
import { rpcNode } from '../shared/nodes/rpc-node.ts';
import { type LedgerNode, ledgerNode, overloadIn } from './ledger-node.ts';
import type { XrpNetwork } from './network.ts';

export interface LedgerPool extends NodePool<LedgerNode>, ChainNodes {
  readonly rounds: Rounds<LedgerNode>;
  close(): void;
}

/** How the ledger is reached, as configured for scanner and sender. */
export interface LedgerOptions {
  /** Chain name of the asset catalog. */
  readonly chain: string;
  readonly network: XrpNetwork;
  readonly rpc: readonly NodeAddress[];
  /** Identity of the chain that the database was used with; absent: any chain of the network. */
  readonly boundTo?: ChainIdentity | undefined;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  readonly time?: BudgetTime;
  /** Time-out of a request and rest of a failed node, milliseconds. */
  readonly timing?: { readonly timeoutMs?: number; readonly coolDownMs?: number };
}

/**
 * Servers keep no first ledger, so the id distinguishes testnet and devnet. Null where the node's
 * configuration names none.
 */
async function networkId(node: LedgerNode): Promise<number | null> {
  const { info } = await node.ask('server_info', {});
  const { network_id: id } = fields(info, 'server_info');
  return id === undefined ? null : (id as number);
}

/** A full ledger is a megabyte of text. */
const TIMEOUT_MS = 20_000;

export function ledgerPool(options: LedgerOptions): LedgerPool {
  const { chain, network, rpc, logger, timing } = options;
  if (rpc.length === 0) throw new Error(`${chain} has no rpc URL`);
  const closing = new AbortController();
  const nodes = nodeEndpoints(rpc, { time: options.time }).map((endpoint) => ({
    node: ledgerNode(
      rpcNode({
        endpoint,
        timeoutMs: timing?.timeoutMs ?? TIMEOUT_MS,
        fetch: options.fetch ?? fetch,
        closed: closing.signal,
        limitInResult: overloadIn,
      }),
    ),
    budget: endpoint.budget,
  }));

  const rounds = nodeRounds<LedgerNode>({ ...options, doubt: (node) => pool.doubt(node) });

  async function serves(node: LedgerNode): Promise<boolean> {
    rounds.forget(node);
    return network.ids.includes(await networkId(node));
  }

  const pool = nodePool({
    chain,
    nodes,
    serves,
    identity: `xrp ${network.name}`,
    genesis: async (node) => `network ${(await networkId(node)) ?? 0}`,
    boundTo: options.boundTo,
    logger,
    coolDownMs: timing?.coolDownMs,
    time: options.time,
  });
  return { ...pool, rounds, close: () => closing.abort() };
}
