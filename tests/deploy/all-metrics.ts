/** /metrics of a process with every source, so that every metric has a series. */
import { ALARM_EVENTS } from '../../src/app/notices/alarms.ts';
import { NO_FIGURES } from '../support/http/called-server.ts';
import { harnessClock, openHarness } from '../support/http/http-harness.ts';
import { type Metric, metricsOf } from './metric-rules.ts';

/** Within a file that stages the harness. */
export async function allMetrics(): Promise<{ readonly text: string; readonly metrics: readonly Metric[] }> {
  const at = harnessClock.now();
  const node = {
    node: 'node 1 (a.example)',
    state: 'able',
    perSecond: 1,
    perDay: 100,
    stream: true,
  } as const;
  const used = { day: 1, calls: 1, refusals: 1, bytes: 1 };
  const { call } = await openHarness({
    dependencies: {
      metrics: {
        operator: async () => ({ ...NO_FIGURES, cursors: [{ chain: 'tron', height: 1, seenUntil: at }] }),
        alarms: () => new Map(ALARM_EVENTS.map((event) => [event, 0])),
        webhooks: () => ({ inFlight: 0, limit: 1 }),
        reconciliation: () => ({
          ...{ at, faults: 0, chains: [{ chain: 'tron', differences: 0, checked: true }] },
          belowCost: [{ asset: 'usdt_tron', microUsd: 1n }],
        }),
        chains: () => [{ chain: 'tron', health: null, nodes: [{ ...node, used }] }],
      },
    },
  });
  await call('GET', '/health', { key: null });
  const { text } = await call('GET', '/metrics', { key: null });
  return { text, metrics: metricsOf(text) };
}
