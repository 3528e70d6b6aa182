/**
 * Webhooks of twenty merchants whose receivers take 200 ms, ten times a second each, beside 25
 * merchants whose receivers hang with 200 webhooks due each, against the same without. Timed from
 * when a webhook is queued until it is answered. The legs take turns, each on a service of its own:
 * what it meets is new to it.
 */
import { pinnedWebhookTransport } from '../../src/adapters/webhooks/pinned-transport.ts';
import { destinationOf } from '../../src/domain/webhooks/webhook-url.ts';
import type { WebhookTransport } from '../../src/ports/webhooks/webhook-transport.ts';
import { composeForBench } from '../harness/composed.ts';
import { atMost, type Latency } from '../harness/finding.ts';
import { sessionSeconds } from '../harness/process-figures.ts';
import type { Row } from '../harness/row.ts';
import { latency, median, spread } from '../harness/statistics.ts';
import { arrayOf } from '../harness/webhook-legs.ts';
import { openWorkshop, type Workshop } from '../harness/webhook-workshop.ts';

const DEAD = 25;
const DEAD_BACKLOG = 200;
const OTHERS = 20;
const BATCH_EVERY_MS = 100;
const ANSWER_MS = 200;
const P99_MS = 1_000;
const PATIENCE_MS = 60_000;

const ENQUEUE = `
  with given as (
    select lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
        || lpad(to_hex(1000 * position + n), 12, '0') as id, invoice_id, merchant_id, url, destination
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
      as g (invoice_id, merchant_id, url, destination, position), generate_series(1, $5::int) n),
  delivery as (
    insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, body)
    select id, invoice_id, merchant_id, true, null, url, $6 from given returning id)
  insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts)
  select id, merchant_id, true, destination, now(), 0 from given join delivery using (id) returning delivery_id`;

interface Measured {
  readonly latency: Latency;
  readonly processMs: number;
  readonly databaseMs: number;
}

export const webhookNeighbours: Row = {
  name: 'webhook-neighbours',
  async run(context) {
    const workshop = await openWorkshop(context.database, 'bench_webhook_neighbours', {
      delayMs: ANSWER_MS,
      receivers: DEAD + OTHERS,
    });
    try {
      const seconds = context.quick ? 2 : 10;
      const [alone, beside]: [Measured[], Measured[]] = [[], []];
      await leg(workshop, 2, false);
      for (let round = 0; round < context.rounds; round += 1) {
        alone.push(await leg(workshop, seconds, false));
        beside.push(await leg(workshop, seconds, true));
      }
      const p99 = (legs: readonly Measured[]) => legs.map((one) => one.latency.p99);
      const ratio = spread(p99(beside).map((time, round) => time / (p99(alone)[round] ?? Number.NaN)));
      return [
        {
          what: `99th percentile of a webhook beside ${DEAD} merchants whose receivers hang with ${DEAD_BACKLOG} due each (times: beside them / without)`,
          target: atMost(P99_MS, 'ms'),
          unit: 'ms',
          measured: spread(p99(beside)),
          absolute: `${ratio.median.toFixed(2)} x as without them; ${work(beside)}, without ${work(alone)}`,
          latencies: [times(beside), times(alone)],
        },
      ];
    } finally {
      await workshop.close();
    }
  },
};

/** What is queued for some merchants: an invoice of each and where it is told. */
interface Told {
  readonly invoiceId: string;
  readonly merchantId: string;
  readonly url: string;
}

async function leg(workshop: Workshop, seconds: number, isBesideDead: boolean): Promise<Measured> {
  const queuedAt = new Map<string, number>();
  const taken: number[] = [];
  const pinned = pinnedWebhookTransport({ allowedHosts: ['127.0.0.1'], localAddress: null, proxy: null });
  const webhookTransport: WebhookTransport = {
    async post(request) {
      const outcome = await pinned.post(request);
      const began = queuedAt.get(request.headers['X-Service-Delivery'] ?? '');
      if (began !== undefined) taken.push(performance.now() - began);
      return outcome;
    },
  };
  const service = await composeForBench(workshop.environment, { webhookTransport });
  const stopping = new AbortController();
  const dispatcher: { running: Promise<unknown> | null } = { running: null };
  /** As the worker's jobs do that queue webhooks: what runs already looks by itself. */
  const handOn = () => {
    dispatcher.running ??= service.dispatcher.run(stopping.signal).finally(() => {
      dispatcher.running = null;
    });
  };
  const [dead, others] = told(workshop);
  try {
    if (isBesideDead) await enqueue(workshop, dead, DEAD_BACKLOG);
    handOn();
    const [before, sessionsBefore] = [process.cpuUsage(), await sessionSeconds(workshop.sql)];
    const batches = (seconds * 1_000) / BATCH_EVERY_MS;
    const start = performance.now();
    for (let batch = 0; batch < batches; batch += 1) {
      await Bun.sleep(Math.max(0, start + batch * BATCH_EVERY_MS - performance.now()));
      const queued = performance.now();
      for (const id of await enqueue(workshop, others, 1)) queuedAt.set(id, queued);
      handOn();
    }
    while (taken.length < queuedAt.size) {
      if (performance.now() - start > PATIENCE_MS) throw new Error('webhooks of the others did not arrive');
      await Bun.sleep(20);
    }
    const { user, system } = process.cpuUsage(before);
    const sessions = (await sessionSeconds(workshop.sql)) - sessionsBefore;
    return {
      latency: latency(taken),
      processMs: (user + system) / 1_000 / seconds,
      databaseMs: (sessions * 1_000) / seconds,
    };
  } finally {
    stopping.abort();
    await dispatcher.running;
    pinned.close();
    await service.stop();
    await workshop.sql.unsafe('delete from webhook_queue');
    await workshop.sql.unsafe('delete from webhook_circuits');
  }
}

/** The merchants whose receivers hang, and the others; each has a receiver of its own. */
function told({ invoices, urls }: Workshop): [Told[], Told[]] {
  const ofMerchants = new Map(invoices.map((invoice) => [invoice.merchantId, invoice]));
  const all = [...ofMerchants.values()].slice(0, DEAD + OTHERS).map(({ id, merchantId }, index) => {
    const url = urls[index] ?? '';
    return { invoiceId: id, merchantId, url: index < DEAD ? url.replace('/webhooks', '/hang') : url };
  });
  return [all.slice(0, DEAD), all.slice(DEAD)];
}

async function enqueue({ sql, body }: Workshop, all: readonly Told[], each: number): Promise<string[]> {
  const rows: { delivery_id: string }[] = await sql.unsafe(ENQUEUE, [
    arrayOf(all.map(({ invoiceId }) => invoiceId)),
    arrayOf(all.map(({ merchantId }) => merchantId)),
    arrayOf(all.map(({ url }) => url)),
    arrayOf(all.map(({ url }) => destinationOf(url))),
    each,
    body,
  ]);
  return rows.map((row) => row.delivery_id);
}

const times = (legs: readonly Measured[]): Latency => ({
  p50: median(legs.map((one) => one.latency.p50)),
  p99: median(legs.map((one) => one.latency.p99)),
});

function work(legs: readonly Measured[]): string {
  const [ours, database] = [legs.map(({ processMs }) => processMs), legs.map(({ databaseMs }) => databaseMs)];
  return `processors ${Math.round(median(ours))} + ${Math.round(median(database))} ms a second (process + database)`;
}
