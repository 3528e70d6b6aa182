/** Metrics of the queues, payouts and invoices that the database counts, and of the prices. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import { PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { WAITING_CODES } from '../../../domain/payouts/waiting-reasons.ts';
import { CIRCUIT_STATES } from '../../../domain/webhooks/receiver-circuit.ts';
import type { OperatorMetrics } from '../../../ports/operator-queries.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { MetricSources } from './metrics-sources.ts';

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly of: (figures: OperatorMetrics, now: Date) => number;
}

interface FigureByCode {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Every code has its series, also at zero: an alarm on a missing series never fires. */
  readonly codes: readonly string[];
  readonly of: (figures: OperatorMetrics) => Readonly<Record<string, number>>;
}

const FIGURES: readonly Figure[] = [
  {
    name: 'quittance_webhooks_pending',
    help: 'Deliveries that are waiting for an attempt.',
    of: ({ webhooksPending }) => webhooksPending,
  },
  {
    name: 'quittance_webhook_oldest_due_seconds',
    help: 'How long the oldest due delivery has been waiting, without those held back for a silent receiver.',
    of: ({ oldestDueWebhookSeconds }) => oldestDueWebhookSeconds,
  },
  {
    name: 'quittance_webhooks_held_back',
    help: 'Due deliveries that are held back for a silent receiver.',
    of: ({ webhooksHeldBack }) => webhooksHeldBack,
  },
  {
    name: 'quittance_deposits_to_screen',
    help: 'Final deposits that are waiting for the risk check.',
    of: ({ depositsToScreen }) => depositsToScreen,
  },
  {
    name: 'quittance_stray_deposits_open',
    help: 'Unmatched deposits that an operator has to decide on.',
    of: ({ straysOpen }) => straysOpen,
  },
  {
    name: 'quittance_held_deposits_open',
    help: 'Deposits held by the risk check that an operator has to decide on.',
    of: ({ heldOpen }) => heldOpen,
  },
  {
    name: 'quittance_payouts_held',
    help: 'Payouts that an operator has to release.',
    of: ({ payoutsHeld }) => payoutsHeld,
  },
  {
    name: 'quittance_signing_stopped',
    help: '1 while an operator has stopped signing. Nothing is sent then.',
    of: ({ signingStopped }) => (signingStopped ? 1 : 0),
  },
  {
    name: 'quittance_operator_notices_open',
    help: 'Alarms whose end was not reported yet.',
    of: ({ noticesOpen }) => noticesOpen,
  },
  {
    name: 'quittance_operator_notices_unsent',
    help: 'Messages to operators that are waiting for an attempt.',
    of: ({ noticesUnsent }) => noticesUnsent,
  },
  {
    name: 'quittance_backup_age_seconds',
    help: 'Time since the newest backup that was recorded; -1 while there is none.',
    of: ({ newestBackupAt }, now) =>
      newestBackupAt === null ? -1 : Math.max(0, (now.getTime() - newestBackupAt.getTime()) / 1_000),
  },
];

const FIGURES_BY_CODE: readonly FigureByCode[] = [
  {
    name: 'quittance_webhook_circuits',
    help: 'Receivers that do not answer, by the state of their circuit.',
    ...{ label: 'state', codes: CIRCUIT_STATES, of: ({ circuitsByState }) => circuitsByState },
  },
  {
    name: 'quittance_payouts',
    help: 'Payouts by status, while they are open.',
    ...{ label: 'status', codes: PAYOUT_STATUSES, of: ({ payoutsByStatus }) => payoutsByStatus },
  },
  {
    name: 'quittance_payouts_waiting',
    help: 'Payouts that could not be sent at the last try, by reason.',
    ...{ label: 'code', codes: WAITING_CODES, of: ({ payoutsWaiting }) => payoutsWaiting },
  },
  {
    name: 'quittance_invoices',
    help: 'Invoices by status, while they are open.',
    ...{ label: 'status', codes: INVOICE_STATUSES, of: ({ invoicesByStatus }) => invoicesByStatus },
  },
];

/** Registers the gauges of the database's figures. Returns a function that updates them. */
export function operatorGauges(
  registry: Registry,
  sources: MetricSources,
  clock: Clock,
): () => Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const figures = FIGURES.map(({ name, help, of }) => ({ gauge: gauge(name, help), of }));
  const byCode = FIGURES_BY_CODE.map((figure) => ({
    ...figure,
    gauge: gauge(figure.name, figure.help, [figure.label]),
  }));
  const inFlight = gauge('quittance_webhooks_in_flight', 'Webhooks that this process is sending.');
  const places = gauge(
    'quittance_webhooks_in_flight_limit',
    'The most webhooks that this process would send at once now.',
  );
  const followed = cursorGauges(gauge, clock);
  const rateAge = gauge('quittance_rate_age_seconds', 'Age of the exchange rates; -1 while there are none.');
  const failures = new Counter({
    name: 'quittance_metrics_source_failures_total',
    help: 'Scrapes that could not read the database.',
    registers,
  });
  const up = gauge('quittance_metrics_source_up', '1 if this scrape could read the database.');
  return async () => {
    rateAge.set(sources.rateAgeSeconds() ?? -1);
    const sending = sources.webhooks?.() ?? { inFlight: 0, limit: 0 };
    inFlight.set(sending.inFlight);
    places.set(sending.limit);
    try {
      const read = await sources.operator();
      for (const figure of figures) figure.gauge.set(figure.of(read, clock.now()));
      for (const { gauge: gauged, label, codes, of } of byCode)
        for (const code of codes) gauged.set({ [label]: code }, of(read)[code] ?? 0);
      followed(read);
      up.set(1);
    } catch {
      failures.inc();
      up.set(0);
    }
  };
}

function cursorGauges(
  gauge: (name: string, help: string, labelNames: readonly string[]) => Gauge,
  clock: Clock,
): (read: OperatorMetrics) => void {
  const lag = gauge('quittance_scanner_lag_seconds', 'Payments of the last so many seconds may be unseen.', [
    'chain',
  ]);
  const height = gauge('quittance_scanner_height', 'Last block read.', ['chain']);
  return ({ cursors }) => {
    for (const cursor of cursors) {
      const lagMs = clock.now().getTime() - cursor.seenUntil.getTime();
      lag.set({ chain: cursor.chain }, Math.max(0, lagMs / 1000));
      height.set({ chain: cursor.chain }, cursor.height);
    }
  };
}
