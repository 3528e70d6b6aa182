/** What the metrics tell of chains and of the plans of their nodes. */
import { expect, test } from 'bun:test';
import { Registry } from 'prom-client';
import { chainGauges } from '../../../../src/adapters/http/system/metrics-chains.ts';
import type { NodeStanding } from '../../../../src/ports/chains/chain-nodes.ts';

const NODES: readonly NodeStanding[] = [
  {
    ...{ node: 'node 1 (a.example)', state: 'limited', perSecond: 15, perDay: 100_000, stream: true },
    used: { day: 20_605, calls: 10_000, refusals: 12, bytes: 5_000_000 },
  },
  {
    ...{ node: 'node 2 (b.example)', state: 'able', perSecond: null, perDay: null, stream: false },
    used: { day: 20_605, calls: 1_000, refusals: 0, bytes: 90 },
  },
];

test('the metrics tell state and lag of each chain, and the use and the rest of each node’s plan', async () => {
  const registry = new Registry();
  chainGauges(registry, () => [
    {
      chain: 'tron',
      health: { state: 'behind', lagBlocks: 400, lagSeconds: 1_200 },
      nodes: NODES,
    },
    { chain: 'ton', health: null, nodes: [] },
  ])();
  const text = await registry.metrics();
  for (const line of [
    'quittance_chain_state{chain="tron",state="behind"} 1',
    'quittance_chain_state{chain="tron",state="ok"} 0',
    'quittance_chain_state{chain="ton",state="away"} 0',
    'quittance_chain_lag_blocks{chain="tron"} 400',
    'quittance_chain_lag_seconds{chain="tron"} 1200',
    'quittance_chain_calls_today{chain="tron"} 11000',
    'quittance_node_state{chain="tron",node="node 1 (a.example)",state="limited"} 1',
    'quittance_node_state{chain="tron",node="node 1 (a.example)",state="able"} 0',
    'quittance_node_calls_today{chain="tron",node="node 1 (a.example)"} 10000',
    'quittance_node_refusals_today{chain="tron",node="node 1 (a.example)"} 12',
    'quittance_node_received_today_bytes{chain="tron",node="node 1 (a.example)"} 5000000',
    'quittance_node_calls_left_today{chain="tron",node="node 1 (a.example)"} 90000',
    'quittance_node_stream_up{chain="tron",node="node 1 (a.example)"} 1',
    'quittance_node_stream_up{chain="tron",node="node 2 (b.example)"} 0',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).not.toContain('quittance_node_calls_left_today{chain="tron",node="node 2');
});
