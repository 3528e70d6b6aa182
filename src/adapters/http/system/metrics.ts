/** Prometheus metrics: what this process served, how it is, and the queues and chains that operators watch. Own registry. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import { WAITING_CODES } from '../../../domain/payouts/hold-reasons.ts';
import { PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { CIRCUIT_STATES } from '../../../domain/webhooks/receiver-circuit.ts';
import type { OperatorMetrics } from '../../../ports/operator-queries.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { type ChainFigures, chainGauges } from './metrics-chains.ts';

export interface MetricSources {
  /** Asked once per scrape. When it fails, the scrape answers without these and counts the failure. */
  operator(): Promise<OperatorMetrics>;
  /** Age of the exchange rates, or null while there are none. */
  rateAgeSeconds(): number | null;
  /** The last time that this process held the books against the chains; null before. */
  reconciliation?(): ReconciliationFigures | null;
  /** Every configured chain. */
  chains?(): readonly ChainFigures[];
  /** The webhooks that this process has under way, and how many it may have. */
  webhooks?(): { readonly inFlight: number; readonly limit: number };
}

export interface ReconciliationFigures {
  readonly at: Date;
  /** Faults of the books in themselves. */
  readonly faults: number;
  readonly chains: readonly { chain: string; differences: number; checked: boolean }[];
  /** What lies where collecting it costs more than it brings. */
  readonly belowCost: readonly { asset: string; microUsd: bigint }[];
}

export interface ServedRequest {
  readonly method: string;
  /** The route's pattern, never the path: paths hold ids. */
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

  /** The figures of this moment: the registry writes all metrics at once, so they are set before. */
  async render(): Promise<string> {
    await this.#refresh();
    return this.#registry.metrics();
  }

  /** Ends the watch on the event loop. */
  close(): void {
    this.#stop();
  }
}

/** prom-client's defaults are made for V8 and show zeros or nonsense on Bun; these hold. */
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

/** Registers what the database knows, and answers how to bring it up to date. */
function operatorGauges(registry: Registry, sources: MetricSources, clock: Clock): () => Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const webhooks = gauge('webhooks_pending', 'Deliveries that wait for an attempt.');
  const oldest = gauge(
    'webhook_oldest_due_seconds',
    'How long the oldest due delivery has been waiting, but for those that wait for a silent receiver.',
  );
  const heldBack = gauge('webhooks_held_back', 'Due deliveries that wait for a silent receiver.');
  const circuits = gauge('webhook_circuits', 'Receivers that do not answer, by the state of their circuit.', [
    'state',
  ]);
  const inFlight = gauge('webhooks_in_flight', 'Webhooks that this process is sending.');
  const places = gauge('webhooks_in_flight_limit', 'How many this process would send at once at present.');
  const screening = gauge('deposits_to_screen', 'Final deposits that wait for the risk check.');
  const strays = gauge('stray_deposits_open', 'Deposits that no invoice took, for an operator to decide.');
  const held = gauge('held_deposits_open', 'Deposits kept by the risk check, for an operator to decide.');
  const payouts = gauge('payouts', 'Payouts by status.', ['status']);
  const payoutsHeld = gauge('payouts_held', 'Payouts that an operator has to release.');
  const payoutsWaiting = gauge('payouts_waiting', 'Payouts that could not be sent at the last try, by why.', [
    'code',
  ]);
  const stopped = gauge('signing_stopped', '1 while an operator has stopped signing: nothing is sent.');
  const invoices = gauge('invoices', 'Invoices by status.', ['status']);
  const lag = gauge('scanner_lag_seconds', 'Time since which payments on the chain may be unseen.', [
    'chain',
  ]);
  const height = gauge('scanner_height', 'Last block read.', ['chain']);
  const rateAge = gauge('rate_age_seconds', 'Age of the exchange rates; -1 while there are none.');
  const failures = new Counter({
    name: 'metrics_source_failures_total',
    help: 'Scrapes that could not read the database.',
    registers,
  });
  const up = gauge('metrics_source_up', '1 when the figures from the database are of this scrape.');
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

/** A process that never reconciled says so: an alarm on the age of the last run then fires. */
function reconciliationGauges(registry: Registry, sources: MetricSources): () => void {
  const registers = [registry];
  const differences = new Gauge({
    name: 'reconciliation_differences',
    help: 'Differences that the last reconciliation of this process found, by chain; "books" for the books in themselves.',
    labelNames: ['chain'],
    registers,
  });
  const checked = new Gauge({
    name: 'reconciliation_checked',
    help: '1 when the last reconciliation of this process could read the chain, in all listed tokens.',
    labelNames: ['chain'],
    registers,
  });
  const last = new Gauge({
    name: 'reconciliation_last_run_timestamp_seconds',
    help: 'When this process last reconciled, Unix time; 0 if it never did.',
    registers,
  });
  const below = new Gauge({
    name: 'deposits_below_collecting_cost_usd',
    help: 'What lies at addresses, or in outputs, of which collecting costs more than it brings, at usual fees.',
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

/** Every status has its series, also at zero: an alarm on a series that is not there stays silent. */
function setByStatus(
  gauge: Gauge,
  statuses: readonly string[],
  counts: Readonly<Record<string, number>>,
): void {
  for (const status of statuses) gauge.set({ status }, counts[status] ?? 0);
}
