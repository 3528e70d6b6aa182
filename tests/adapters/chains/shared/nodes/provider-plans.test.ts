/**
 * Clients that know nothing of a provider's plan, in front of the plans of real ones: all is
 * answered, at most of the speed allowed.
 */
import { describe, expect, test } from 'bun:test';
import { moneroRpc } from '../../../../../src/adapters/chains/monero/rpc.ts';
import type { BudgetTime } from '../../../../../src/adapters/chains/shared/nodes/call-log.ts';
import {
  type NodeSettings,
  nodeEndpoint,
} from '../../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { rpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { inHaste } from '../../../../../src/adapters/chains/shared/nodes/urgency.ts';
import { toncenterNode } from '../../../../../src/adapters/chains/ton/toncenter.ts';
import { tronNode } from '../../../../../src/adapters/chains/tron/node.ts';
import { esploraHttp } from '../../../../../src/adapters/chains/utxo/esplora/http.ts';
import { ledgerNode, overloadIn } from '../../../../../src/adapters/chains/xrp/ledger-node.ts';
import {
  ALCHEMY_FREE,
  HELIUS_FREE,
  INFURA_FREE,
  type Plan,
  PUBLIC_ESPLORA,
  PUBLIC_MONEROD,
  PUBLIC_RIPPLED,
  QUICKNODE_BUILD,
  QUICKNODE_FREE,
  TONCENTER_FREE,
  TONCENTER_PLUS,
  TRONGRID,
  UNLIMITED,
} from '../../../../support/providers/plans.ts';
import { provider } from '../../../../support/providers/provider.ts';
import { virtualTime } from '../../../../support/runtime/virtual-time.ts';

const CALLS = 600;
const WORKERS = 6;
const URL_OF_NODE = 'https://provider.example';

type Parts = Omit<Parameters<typeof rpcNode>[0], 'slow' | 'parse'> & {
  readonly answerBytesMax: number;
  readonly time: BudgetTime;
};
/** How a client of each kind asks one question. */
const CLIENTS = {
  rpc(parts: Parts) {
    const node = rpcNode(parts);
    return () => node.call('eth_blockNumber');
  },
  batches: (parts: Parts) => askingBatches(parts, 10),
  /** More at once than some plans serve in a second. */
  bigBatches: (parts: Parts) => askingBatches(parts, 40),
  tron(parts: Parts) {
    const node = tronNode(parts);
    return () => node.ask('wallet/getnowblock');
  },
  ton(parts: Parts) {
    const node = toncenterNode(parts);
    return () => node.call('getMasterchainInfo');
  },
  xrp(parts: Parts) {
    const node = ledgerNode(rpcNode({ ...parts, limitInResult: overloadIn }));
    return () => node.ask('ledger', {});
  },
  monero(parts: Parts) {
    const node = moneroRpc({ ...parts, url: URL_OF_NODE, label: 'node 1' });
    return () => node.call('get_last_block_header');
  },
  esplora(parts: Parts) {
    const server = esploraHttp(parts);
    return () => server.text('blocks/tip/height');
  },
};

const CALLS_OF: Partial<Record<keyof typeof CLIENTS, number>> = { batches: 10, bigBatches: 40 };

function askingBatches(parts: Parts, length: number) {
  const node = rpcNode(parts);
  return async () => {
    const calls = Array.from({ length }, () => ({ method: 'eth_chainId', params: [] }));
    expect(await node.batch(calls)).toHaveLength(length);
  };
}

/** What a node answers to anything, in each kind's own shape. */
async function anyAnswer(_: string, init: RequestInit): Promise<Response> {
  const call = typeof init.body === 'string' && init.body !== '' ? JSON.parse(init.body) : {};
  return Response.json({ jsonrpc: '2.0', id: call.id, ok: true, result: { status: 'success' } });
}

/**
 * Asks `CALLS` calls as fast as the client lets it; seconds that it took, and what the plan had to
 * refuse.
 */
async function ask(plan: Plan, kind: keyof typeof CLIENTS, settings: Partial<NodeSettings> = {}) {
  const world = virtualTime();
  const wait = (ms: number) => new Promise<void>((resume) => void world.timers.after(ms, resume));
  const provided = provider({
    ...{ plan, node: anyAnswer, latencyMs: 60 },
    time: { now: () => world.now().getTime(), wait },
  });
  const time = {
    now: world.elapsedMs,
    wall: () => world.now().getTime(),
    after: (ms: number, work: () => void) => void world.timers.after(ms, work),
  };
  const endpoint = nodeEndpoint({ url: URL_OF_NODE, ...settings }, 0, { time });
  const closed = new AbortController().signal;
  const question = CLIENTS[kind]({
    ...{ endpoint, time, fetch: provided.fetch, closed, timeoutMs: 60_000, answerBytesMax: 1_000_000 },
  });
  let left = CALLS / (CALLS_OF[kind] ?? 1);
  async function worker(): Promise<void> {
    for (; left > 0; ) {
      left -= 1;
      for (let answered = false; !answered; )
        answered = await inHaste({ urgency: 'blocks' }, question).then(
          () => true,
          () => false,
        );
    }
  }
  await world.until(Promise.all(Array.from({ length: WORKERS }, worker)), 3_600_000);
  return {
    seconds: world.elapsedMs() / 1_000,
    refused: provided.counts.refused,
    calls: provided.counts.calls,
  };
}

describe('a client in front of a plan that it does not know', () => {
  test.each([
    [ALCHEMY_FREE, 'rpc'],
    [ALCHEMY_FREE, 'batches'],
    [INFURA_FREE, 'rpc'],
    [INFURA_FREE, 'batches'],
    [INFURA_FREE, 'bigBatches'],
    [QUICKNODE_FREE, 'bigBatches'],
    [QUICKNODE_BUILD, 'rpc'],
    [HELIUS_FREE, 'rpc'],
    [TRONGRID, 'tron'],
    [TONCENTER_FREE, 'ton'],
    [TONCENTER_PLUS, 'ton'],
    [PUBLIC_RIPPLED, 'xrp'],
    [PUBLIC_ESPLORA, 'esplora'],
    [PUBLIC_MONEROD, 'monero'],
  ] as const)('R7: gets all answered by $name (%#)', async (plan, kind) => {
    const { seconds, refused } = await ask(plan, kind);
    const atBest = CALLS / (plan.perSecond ?? 1);
    expect(seconds).toBeLessThan(2.5 * atBest + 3 * (plan.suspendsFor ?? 0));
    // What each worker asks first comes before anything is learnt.
    expect(refused).toBeLessThan(0.15 * CALLS + WORKERS * (CALLS_OF[kind] ?? 1));
  });

  test.each([
    [ALCHEMY_FREE, 'batches'],
    [TRONGRID, 'tron'],
    [TONCENTER_FREE, 'ton'],
    [PUBLIC_ESPLORA, 'esplora'],
  ] as const)('R7: is never refused by $name where its limit is configured (%#)', async (plan, kind) => {
    const { seconds, refused } = await ask(plan, kind, { maxRps: plan.perSecond });
    expect(refused).toBe(0);
    expect(seconds).toBeLessThan((1.6 * CALLS) / (plan.perSecond ?? 1));
  });

  test('loses nothing where there is no limit', async () => {
    const { seconds, calls } = await ask(UNLIMITED, 'rpc');
    expect(calls).toBe(CALLS);
    expect(seconds).toBeLessThan((CALLS * 0.061) / WORKERS + 1);
  });
});
