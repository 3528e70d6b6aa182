/**
 * 500 customers look at their checkouts: what their streams weigh on the service, and how long
 * after a payment their page hears of it. Payments are the sandbox's; the time counts from the
 * request that makes one.
 */
import { type OpenStream, openCheckout } from '../harness/event-streams.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { type PreparedService, prepareService } from '../harness/prepared-service.ts';
import { cpuSeconds, residentMiB } from '../harness/process-figures.ts';
import { createInvoiceRequest, send } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import { serviceEnvironment, startService } from '../harness/service.ts';
import { latency, spread } from '../harness/statistics.ts';

const CHECKOUTS = 500;
const MERCHANTS = 10;
/** So that payments come at all times between two ticks. */
const PAUSE_MS = 37;
const IDLE_SECONDS = 20;
const SAMPLE_MS = 100;
const PATIENCE_MS = 10_000;

interface Made {
  readonly id: string;
  readonly externalId: string;
  readonly key: string;
}

export const checkout: Row = {
  name: 'checkout',
  async run({ database, quick }) {
    const prepared = await prepareService(database, { name: 'bench_checkout', merchants: MERCHANTS });
    const open: OpenStream[] = [];
    let service = prepared.service;
    try {
      const made = await invoices(prepared);
      // A fresh process: what making the invoices left in memory would hide the streams.
      await service.stop();
      service = await startService({
        ...serviceEnvironment(prepared.databaseUrl),
        DATA_DIR: prepared.dataDir,
        // Each customer has an address of its own, as behind a proxy: streams of one network are
        // few.
        TRUSTED_PROXIES: '127.0.0.1',
      });
      const seconds = quick ? 1 : IDLE_SECONDS;
      const before = await weigh(service.pid, seconds);
      for (const [number, { externalId }] of made.entries()) {
        const from = `10.0.${number >> 8}.${number & 255}`;
        open.push(await openCheckout({ port: service.port, externalId, from }));
      }
      const idle = await weigh(service.pid, seconds);
      const paying = weighing(service.pid);
      const changes = quick ? 20 : CHECKOUTS;
      const times = await payments(service.port, made.slice(0, changes), open);
      return findings({ before, idle, times, paying: paying.end() });
    } finally {
      for (const stream of open) stream.close();
      await service.stop();
      await prepared.stop();
    }
  },
};

async function invoices({ service, merchants }: PreparedService): Promise<Made[]> {
  const made: Made[] = [];
  for (let number = 0; number < CHECKOUTS; number++) {
    const merchant = merchants[number % merchants.length];
    if (!merchant) throw new Error('no merchants');
    const result = await send(service.port, createInvoiceRequest(merchant));
    made.push({
      id: String(result.order_id),
      externalId: String(result.external_id),
      key: merchant.sandboxKey,
    });
  }
  return made;
}

interface Weight {
  readonly usualMiB: number;
  readonly highestMiB: number;
  /** Of one core. */
  readonly cpuPercent: number;
}

async function weigh(pid: number, seconds: number): Promise<Weight> {
  const memory = weighing(pid);
  const [cpu, began] = [cpuSeconds(pid), performance.now()];
  await Bun.sleep(seconds * 1000);
  const cpuPercent = ((cpuSeconds(pid) - cpu) * 100_000) / (performance.now() - began);
  return { ...memory.end(), cpuPercent };
}

/** Memory from now until the end is asked for. */
function weighing(pid: number): { end(): Omit<Weight, 'cpuPercent'> } {
  const samples = [residentMiB(pid)];
  const timer = setInterval(() => samples.push(residentMiB(pid)), SAMPLE_MS);
  return {
    end() {
      clearInterval(timer);
      const { median, max } = spread(samples);
      return { usualMiB: median, highestMiB: max };
    },
  };
}

/** Milliseconds from each payment to its event. */
async function payments(port: number, made: readonly Made[], open: readonly OpenStream[]): Promise<number[]> {
  const waiting: Promise<number>[] = [];
  for (const [number, invoice] of made.entries()) {
    const stream = open[number];
    if (stream) waiting.push(paid(port, invoice, stream));
    await Bun.sleep(PAUSE_MS);
  }
  return Promise.all(waiting);
}

async function paid(port: number, { id, key }: Made, { heard }: OpenStream): Promise<number> {
  const [began, before] = [performance.now(), heard.count];
  await send(port, {
    method: 'POST',
    path: `/api/v2/invoices/${id}/simulate`,
    headers: { 'x-api-key': key },
    body: JSON.stringify({ status: 'success', send_webhook: false }),
  });
  while (heard.count === before) {
    if (performance.now() - began > PATIENCE_MS) throw new Error('a page never heard of its payment');
    await Bun.sleep(20);
  }
  return heard.at - began;
}

interface Found {
  readonly before: Weight;
  readonly idle: Weight;
  readonly paying: Omit<Weight, 'cpuPercent'>;
  readonly times: number[];
}

function findings({ before, idle, paying, times }: Found): Finding[] {
  const { p50, p99 } = latency(times);
  const more = Math.max(idle.highestMiB, paying.highestMiB) - before.usualMiB;
  return [
    {
      what: `live update of ${CHECKOUTS} open checkouts, from the payment to its event, 99th percentile`,
      target: atMost(2, 's'),
      unit: 's',
      measured: { median: p99 / 1000, min: Math.min(...times) / 1000, max: Math.max(...times) / 1000 },
      absolute: `${times.length} payments`,
      latencies: [{ p50, p99 }],
    },
    {
      what: `memory of the service: the highest with ${CHECKOUTS} open checkouts beyond the usual without`,
      target: atMost(30, 'MB'),
      unit: 'MB',
      measured: { median: more, min: idle.usualMiB - before.usualMiB, max: more },
      absolute:
        `${before.usualMiB.toFixed(0)} MB without, ${idle.usualMiB.toFixed(0)} MB with them,` +
        ` ${paying.highestMiB.toFixed(0)} MB while they are paid; of a core ${before.cpuPercent.toFixed(1)} %` +
        ` without, ${idle.cpuPercent.toFixed(1)} % with them while nothing changes`,
      latencies: [],
    },
  ];
}
