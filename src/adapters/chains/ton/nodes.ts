/** The nodes of a TON network, as scanner and sender share them. */
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { fields } from '../shared/nodes/answers.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { type NodeAddress, nodeEndpoints } from '../shared/nodes/node-endpoint.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { wholeNumber } from './answers.ts';
import type { TonNetwork } from './network.ts';
import { MASTERCHAIN } from './read/blocks.ts';
import { type WaitingViews, waitingViews } from './send/waiting-views.ts';
import { type TonNode, toncenterNode, withJsonRpcPath } from './toncenter.ts';

const TIMEOUT_MS = 15_000;

export interface TonNodeOptions {
  /** Chain name of the asset catalog. */
  readonly chain: string;
  readonly network: TonNetwork;
  /**
   * toncenter API v2 endpoints. Where their path ends in /api/v2/jsonRPC, an index at /api/v3 is
   * used as well.
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

export interface TonPool extends NodePool<TonNode>, ChainNodes {
  readonly waiting: WaitingViews;
  close(): void;
}

/** Connects lazily. Throws for options that can never work. */
export function tonPool(options: TonNodeOptions): TonPool {
  const { chain, network, rpc, logger, timing } = options;
  if (rpc.length === 0) throw new Error(`${chain} has no rpc URL`);
  const closing = new AbortController();
  const nodes = nodeEndpoints(rpc.map(withJsonRpcPath), { time: options.time }).map((endpoint) => ({
    node: toncenterNode({
      endpoint,
      timeoutMs: timing?.timeoutMs ?? TIMEOUT_MS,
      fetch: options.fetch ?? fetch,
      closed: closing.signal,
      time: options.time,
      unfit: (why) => logger.info('node.read_in_full', { chain, node: endpoint.label, why }),
    }),
    budget: endpoint.budget,
  }));

  const waiting = waitingViews();

  async function serves(node: TonNode): Promise<boolean> {
    waiting.forget(node);
    const { last } = fields(await node.call('getMasterchainInfo'), 'masterchain info');
    const seqno = wholeNumber(fields(last, 'block id').seqno, 'seqno');
    const header = fields(await node.call('getBlockHeader', { ...MASTERCHAIN, seqno }), 'block header');
    return wholeNumber(header.global_id, 'global_id') === network.globalId;
  }

  /** Of the masterchain, in hex; null where the API does not return it. */
  async function zeroState(node: TonNode): Promise<string | null> {
    const { init } = fields(await node.call('getMasterchainInfo'), 'masterchain info');
    const hash = init == null ? null : fields(init, 'zero state').root_hash;
    return typeof hash === 'string' ? Buffer.from(hash, 'base64').toString('hex') : null;
  }

  const pool = nodePool({
    chain,
    nodes,
    serves,
    identity: `global id ${network.globalId}`,
    genesis: zeroState,
    boundTo: options.boundTo,
    logger,
    coolDownMs: timing?.coolDownMs,
    time: options.time,
  });
  return { ...pool, waiting, close: () => closing.abort() };
}
