/**
 * Prometheus metrics of requests, of the process, and of the queues and chains that operators
 * watch, in a registry of their own.
 */
import { Counter, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { chainGauges } from './metrics-chains.ts';
import { operatorGauges } from './metrics-operator.ts';
import { processMetrics } from './metrics-process.ts';
import { reconciliationGauges } from './metrics-reconciliation.ts';
import type { MetricSources } from './metrics-sources.ts';

export interface ServedRequest {
  readonly method: string;
  /** The route's pattern, never the path: paths contain ids. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SERVED_LABELS = ['method', 'route', 'status'] as const;
type ServedLabel = (typeof SERVED_LABELS)[number];

export class HttpMetrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<ServedLabel>;
  readonly #durations: Histogram<ServedLabel>;
  readonly #series = new Map<string, (seconds: number) => void>();
  readonly #refresh: () => Promise<void>;
  readonly #stop: () => void;

  constructor(sources: MetricSources, { clock, version }: { clock: Clock; version: string }) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'quittance_http_requests_total',
      help: 'Requests answered.',
      labelNames: SERVED_LABELS,
      registers,
    });
    this.#durations = new Histogram({
      name: 'quittance_http_request_duration_seconds',
      help: 'Time from the first header to the answer.',
      labelNames: SERVED_LABELS,
      buckets: BUCKETS_SECONDS,
      registers,
    });
    this.#stop = processMetrics(this.#registry, version);
    const alarms = alarmCounter(this.#registry, sources);
    const operator = operatorGauges(this.#registry, sources, clock);
    const reconciled = sources.reconciliation
      ? reconciliationGauges(this.#registry, sources.reconciliation)
      : () => undefined;
    const followed = chainGauges(this.#registry, () => sources.chains?.() ?? []);
    this.#refresh = async () => {
      alarms();
      reconciled();
      followed();
      await operator();
    };
  }

  observe(served: ServedRequest): void {
    const key = `${served.method} ${served.route} ${served.status}`;
    let record = this.#series.get(key);
    if (!record) {
      const labels = { method: served.method, route: served.route, status: String(served.status) };
      const count = this.#requests.labels(labels);
      const duration = this.#durations.labels(labels);
      record = (seconds) => {
        count.inc();
        duration.observe(seconds);
      };
      this.#series.set(key, record);
    }
    record(served.durationMs / 1000);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /**
   * The current metrics as text. All gauges are updated first, since the registry writes them at
   * once.
   */
  async render(): Promise<string> {
    await this.#refresh();
    return this.#registry.metrics();
  }

  /** Stops the measurement of the event loop. */
  close(): void {
    this.#stop();
  }
}

/** Every event has its series, also at zero: what appears with its first alarm never increased. */
function alarmCounter(registry: Registry, sources: MetricSources): () => void {
  const counter = new Counter({
    name: 'quittance_alarms_total',
    help: 'Lines with "page": true that this process logged, by event.',
    ...{ labelNames: ['event'], registers: [registry] },
  });
  return () => {
    counter.reset();
    for (const [event, count] of sources.alarms?.() ?? []) counter.inc({ event }, count);
  };
}
