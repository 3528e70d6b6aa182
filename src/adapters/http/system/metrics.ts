/**
 * Prometheus metrics of requests, of the process, and of the queues and chains that operators
 * watch, in a registry of their own.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import { PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { WAITING_CODES } from '../../../domain/payouts/waiting-reasons.ts';
import { CIRCUIT_STATES } from '../../../domain/webhooks/receiver-circuit.ts';
import type { OperatorMetrics } from '../../../ports/operator-queries.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { type ChainFigures, chainGauges } from './metrics-chains.ts';

export interface MetricSources {
  /** Read once per scrape. When it fails, the scrape leaves these out and counts the failure. */
  operator(): Promise<OperatorMetrics>;
  /** Age of the exchange rates. Null while there are none. */
  rateAgeSeconds(): number | null;
  /** The last reconciliation of this process; null before the first. */
  reconciliation?(): ReconciliationFigures | null;
  /** Every configured chain. */
  chains?(): readonly ChainFigures[];
  /** The webhooks that this process is sending, and the most that it may send at once. */
  webhooks?(): { readonly inFlight: number; readonly limit: number };
}

export interface ReconciliationFigures {
  readonly at: Date;
  /** Faults within the books. */
  readonly faults: number;
  readonly chains: readonly { chain: string; differences: number; checked: boolean }[];
  /** Money that costs more to collect than it is worth. */
  readonly belowCost: readonly { asset: string; microUsd: bigint }[];
}

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

  constructor(sources: MetricSources, clock: Clock) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'http_requests_total',
      help: 'Requests answered.',
      labelNames: SERVED_LABELS,
      registers,
    });
    this.#durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first header to the answer.',
      labelNames: SERVED_LABELS,
      buckets: BUCKETS_SECONDS,
      registers,
    });
    this.#stop = registerProcess(this.#registry);
    const operator = operatorGauges(this.#registry, sources, clock);
    const reconciled = reconciliationGauges(this.#registry, sources);
    const followed = chainGauges(this.#registry, () => sources.chains?.() ?? []);
    this.#refresh = async () => {
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

/** Metrics of the process that are correct on Bun: prom-client's defaults are made for V8. */
function registerProcess(registry: Registry): () => void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  gauge('process_uptime_seconds', 'Time since the process started.', () => process.uptime());
  gauge('process_cpu_seconds', 'User and system CPU time used.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  gauge(
    'event_loop_delay_p99_seconds',
    'How late timers fired since the last scrape, 99th percentile.',
    () => {
      const seconds = delay.percentile(99) / 1e9;
      delay.reset();
      return Number.isFinite(seconds) ? seconds : 0;
    },
  );
  return () => {
    delay.disable();
  };
}

/** Registers the gauges of the database's figures. Returns a function that updates them. */
function operatorGauges(registry: Registry, sources: MetricSources, clock: Clock): () => Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const webhooks = gauge('webhooks_pending', 'Deliveries that are waiting for an attempt.');
  const oldest = gauge(
    'webhook_oldest_due_seconds',
    'How long the oldest due delivery has been waiting, without those held back for a silent receiver.',
  );
  const heldBack = gauge('webhooks_held_back', 'Due deliveries that are held back for a silent receiver.');
  const circuits = gauge('webhook_circuits', 'Receivers that do not answer, by the state of their circuit.', [
    'state',
  ]);
  const inFlight = gauge('webhooks_in_flight', 'Webhooks that this process is sending.');
  const places = gauge(
    'webhooks_in_flight_limit',
    'The most webhooks that this process would send at once now.',
  );
  const screening = gauge('deposits_to_screen', 'Final deposits that are waiting for the risk check.');
  const strays = gauge('stray_deposits_open', 'Unmatched deposits that an operator has to decide on.');
  const held = gauge(
    'held_deposits_open',
    'Deposits held by the risk check that an operator has to decide on.',
  );
  const payouts = gauge('payouts', 'Payouts by status.', ['status']);
  const payoutsHeld = gauge('payouts_held', 'Payouts that an operator has to release.');
  const payoutsWaiting = gauge(
    'payouts_waiting',
    'Payouts that could not be sent at the last try, by reason.',
    ['code'],
  );
  const stopped = gauge('signing_stopped', '1 while an operator has stopped signing. Nothing is sent then.');
  const invoices = gauge('invoices', 'Invoices by status.', ['status']);
  const lag = gauge('scanner_lag_seconds', 'Payments of the last so many seconds may be unseen.', ['chain']);
  const height = gauge('scanner_height', 'Last block read.', ['chain']);
  const rateAge = gauge('rate_age_seconds', 'Age of the exchange rates; -1 while there are none.');
  const failures = new Counter({
    name: 'metrics_source_failures_total',
    help: 'Scrapes that could not read the database.',
    registers,
  });
  const up = gauge('metrics_source_up', '1 if this scrape could read the database.');
  return async () => {
    rateAge.set(sources.rateAgeSeconds() ?? -1);
    const sending = sources.webhooks?.() ?? { inFlight: 0, limit: 0 };
    inFlight.set(sending.inFlight);
    places.set(sending.limit);
    try {
      const figures = await sources.operator();
      webhooks.set(figures.webhooksPending);
      oldest.set(figures.oldestDueWebhookSeconds);
      heldBack.set(figures.webhooksHeldBack);
      for (const state of CIRCUIT_STATES) circuits.set({ state }, figures.circuitsByState[state] ?? 0);
      screening.set(figures.depositsToScreen);
      strays.set(figures.straysOpen);
      held.set(figures.heldOpen);
      setByStatus(payouts, PAYOUT_STATUSES, figures.payoutsByStatus);
      payoutsHeld.set(figures.payoutsHeld);
      for (const code of WAITING_CODES) payoutsWaiting.set({ code }, figures.payoutsWaiting[code] ?? 0);
      stopped.set(figures.signingStopped ? 1 : 0);
      setByStatus(invoices, INVOICE_STATUSES, figures.invoicesByStatus);
      for (const cursor of figures.cursors) {
        const lagMs = clock.now().getTime() - cursor.seenUntil.getTime();
        lag.set({ chain: cursor.chain }, Math.max(0, lagMs / 1000));
        height.set({ chain: cursor.chain }, cursor.height);
      }
      up.set(1);
    } catch {
      failures.inc();
      up.set(0);
    }
  };
}

/**
 * A process that never reconciled reports 0 as the time of its last run, so that an alarm on its
 * age fires.
 */
function reconciliationGauges(registry: Registry, sources: MetricSources): () => void {
  const registers = [registry];
  const differences = new Gauge({
    name: 'reconciliation_differences',
    help: 'Differences that the last reconciliation of this process found, by chain. "books": faults within the books.',
    labelNames: ['chain'],
    registers,
  });
  const checked = new Gauge({
    name: 'reconciliation_checked',
    help: '1 if the last reconciliation of this process could read the chain, with all its listed tokens.',
    labelNames: ['chain'],
    registers,
  });
  const last = new Gauge({
    name: 'reconciliation_last_run_timestamp_seconds',
    help: 'Unix time of the last reconciliation of this process. 0 before the first.',
    registers,
  });
  const below = new Gauge({
    name: 'deposits_below_collecting_cost_usd',
    help: 'Money at addresses, or in outputs, that costs more to collect than it is worth, at ordinary fees.',
    labelNames: ['asset'],
    registers,
  });
  return () => {
    const figures = sources.reconciliation?.() ?? null;
    last.set(figures === null ? 0 : figures.at.getTime() / 1000);
    if (figures === null) return;
    differences.set({ chain: 'books' }, figures.faults);
    below.reset();
    for (const { asset, microUsd } of figures.belowCost) below.set({ asset }, Number(microUsd) / 1e6);
    for (const { chain, differences: found, checked: read } of figures.chains) {
      differences.set({ chain }, found);
      checked.set({ chain }, read ? 1 : 0);
    }
  };
}

/** Every status has its series, also at zero: an alarm on a missing series never fires. */
function setByStatus(
  gauge: Gauge,
  statuses: readonly string[],
  counts: Readonly<Record<string, number>>,
): void {
  for (const status of statuses) gauge.set({ status }, counts[status] ?? 0);
}
