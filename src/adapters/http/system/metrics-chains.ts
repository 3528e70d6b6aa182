/** Metrics of the chains and of their nodes. */
import { Gauge, type Registry } from 'prom-client';
import { type ChainHealth, HEALTH_STATE_CODES } from '../../../domain/chains/chain-health.ts';
import { NODE_STATE_CODES } from '../../../domain/chains/node-plan.ts';
import type { NodeStanding } from '../../../ports/chains/chain-nodes.ts';

export interface ChainFigures {
  readonly chain: string;
  /** Null before anything was noted. */
  readonly health: ChainHealth | null;
  readonly nodes: readonly NodeStanding[];
}

/**
 * Registers the gauges. Returns a function that updates them. Every state has its series, also at
 * zero.
 */
export function chainGauges(registry: Registry, chains: () => readonly ChainFigures[]): () => void {
  const gauge = (name: string, help: string, labelNames: readonly string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const state = gauge('quittance_chain_state', '1 for the current state of the chain.', ['chain', 'state']);
  const lagBlocks = gauge('quittance_chain_lag_blocks', 'Known blocks that are not read yet.', ['chain']);
  const lagSeconds = gauge(
    'quittance_chain_lag_seconds',
    'Payments of the last so many seconds may be unseen.',
    ['chain'],
  );
  const chainCalls = gauge(
    'quittance_chain_calls_today',
    'Calls to the nodes of the chain since midnight, UTC.',
    ['chain'],
  );
  const ofNode = ['chain', 'node'];
  const nodeState = gauge('quittance_node_state', '1 for the current state of the node in this process.', [
    ...ofNode,
    'state',
  ]);
  const calls = gauge('quittance_node_calls_today', 'Calls of all processes since midnight, UTC.', ofNode);
  const refusals = gauge(
    'quittance_node_refusals_today',
    'Calls since midnight, UTC, that the rate limit of the node refused.',
    ofNode,
  );
  const bytes = gauge(
    'quittance_node_received_today_bytes',
    'Bytes of the responses since midnight, UTC.',
    ofNode,
  );
  const streamUp = gauge(
    'quittance_node_stream_up',
    '1 while the node sends new heads to this process.',
    ofNode,
  );
  const left = gauge('quittance_node_calls_left_today', 'Calls that max_per_day still allows.', ofNode);

  return () => {
    for (const { chain, health, nodes } of chains()) {
      for (const code of HEALTH_STATE_CODES)
        state.set({ chain, state: code }, code === health?.state ? 1 : 0);
      lagBlocks.set({ chain }, health?.lagBlocks ?? 0);
      lagSeconds.set({ chain }, health?.lagSeconds ?? 0);
      chainCalls.set(
        { chain },
        nodes.reduce((sum, { used }) => sum + used.calls, 0),
      );
      for (const { node, state: standing, used, perDay, stream } of nodes) {
        for (const code of NODE_STATE_CODES)
          nodeState.set({ chain, node, state: code }, code === standing ? 1 : 0);
        calls.set({ chain, node }, used.calls);
        refusals.set({ chain, node }, used.refusals);
        bytes.set({ chain, node }, used.bytes);
        if (stream != null) streamUp.set({ chain, node }, stream ? 1 : 0);
        if (perDay !== null) left.set({ chain, node }, Math.max(0, perDay - used.calls));
      }
    }
  };
}
