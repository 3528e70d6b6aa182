/**
 * Our dispatcher against pg-boss 12 making the same deliveries: the same body signed with the same
 * key and posted by the same plain fetch, the same attempt row, and each its own job state. Both
 * run in this process, 64 posts in flight.
 */
import { type Job, PgBoss } from 'pg-boss';
import type { Service } from '../../src/compose/compose.ts';
import { destinationOf } from '../../src/domain/webhooks/webhook-url.ts';
import type { AttemptOutcome } from '../../src/ports/webhooks/webhook-queue.ts';
import { composeForBench } from '../harness/composed.ts';
import { atLeast } from '../harness/finding.ts';
import { alternate, type Leg, latencyOf, rateText, ratio } from '../harness/legs.ts';
import type { Row } from '../harness/row.ts';
import { latency } from '../harness/statistics.ts';
import { dispatcherLeg, PER_SECOND } from '../harness/webhook-legs.ts';
import { fetchTransport, openWorkshop, timed, type Workshop } from '../harness/webhook-workshop.ts';

const QUEUE = 'webhooks';
/** The best of the set-ups tried: more workers or smaller batches are slower. */
const BOSS = { batchSize: 64, localConcurrency: 2, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
const ROUND_TIMEOUT_MS = 60_000;

interface Delivery {
  readonly id: string;
  readonly invoiceId: string;
  readonly merchantId: string;
  readonly sealedKey: string;
  readonly url: string;
  readonly body: string;
}

export const webhookDispatcher: Row = {
  name: 'webhook-dispatcher',
  async run(context) {
    const workshop = await openWorkshop(context.database, 'bench_webhooks');
    const transport = timed(fetchTransport);
    const service = await composeForBench(workshop.environment, { webhookTransport: transport });
    const boss = new PgBoss({
      connectionString: workshop.databaseUrl,
      max: 10,
      supervise: false,
      schedule: false,
    });
    boss.on('error', (error) => console.error('pg-boss:', error.message));
    try {
      await boss.start();
      await boss.createQueue(QUEUE);
      const [ours, theirs] = await alternate(
        [
          dispatcherLeg('dispatcher', workshop, service.dispatcher, transport),
          bossLeg(boss, workshop, service, transport),
        ],
        context,
      );
      if (!ours || !theirs) throw new Error('unreachable: two legs went in');
      return [
        {
          what: 'webhook dispatcher / pg-boss 12 making the same deliveries by fetch (times: one post)',
          target: atLeast(1.5),
          unit: 'x',
          measured: ratio(ours, theirs),
          absolute: `${rateText(ours)}, ${rateText(theirs)}`,
          latencies: [latencyOf(ours), latencyOf(theirs)],
        },
      ];
    } finally {
      await boss.stop({ graceful: false });
      await service.stop();
      await workshop.close();
    }
  },
};

/**
 * The clock stops when the last batch is written; that pg-boss has still to complete its jobs then
 * is its gain.
 */
function bossLeg(
  boss: PgBoss,
  workshop: Workshop,
  service: Service,
  transport: ReturnType<typeof timed>,
): Leg {
  const { ids, vault, webhookQueue } = service.dependencies;
  return {
    name: 'pg-boss',
    async run(seconds) {
      const count = seconds * PER_SECOND;
      const jobs = Array.from({ length: count }, (_, index) => {
        const invoice = workshop.invoices[index % workshop.invoices.length];
        if (!invoice) throw new Error('a workshop without invoices');
        const { id: invoiceId, merchantId, sealedKey } = invoice;
        const data: Delivery = {
          id: ids.id(),
          invoiceId,
          merchantId,
          sealedKey,
          url: workshop.url,
          body: workshop.body,
        };
        return { data };
      });
      for (let from = 0; from < count; from += 1_000)
        await boss.insert(QUEUE, jobs.slice(from, from + 1_000));
      await workshop.sql.unsafe('vacuum analyze');
      const keys = new Map<string, string>();
      const keyOf = (sealed: string) => {
        const key = keys.get(sealed) ?? vault.open(sealed, 'api-key');
        keys.set(sealed, key);
        return key;
      };
      const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error('pg-boss did not finish')), ROUND_TIMEOUT_MS);
      let done = 0;
      transport.takeTimes();
      const receivedBefore = await workshop.received();
      const began = performance.now();
      await boss.work<Delivery>(QUEUE, BOSS, async (batch) => {
        const outcomes = await Promise.all(
          batch.map((job) => attempt(job, keyOf(job.data.sealedKey), service, transport)),
        );
        await webhookQueue.record(outcomes);
        done += batch.length;
        if (done >= count) resolve();
      });
      await finished;
      const rate = (count * 1000) / (performance.now() - began);
      clearTimeout(timer);
      await boss.offWork(QUEUE);
      const received = (await workshop.received()) - receivedBefore;
      if (received !== count) throw new Error(`pg-boss: ${count} jobs, ${received} posts`);
      return { rate, latency: latency(transport.takeTimes()) };
    },
  };
}

async function attempt(
  { data }: Job<Delivery>,
  apiKey: string,
  { dependencies }: Service,
  transport: ReturnType<typeof timed>,
): Promise<AttemptOutcome> {
  const { ids, clock, version, webhookSigner } = dependencies;
  const body = new TextEncoder().encode(data.body);
  const outcome = await transport.post({
    url: data.url,
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `Quittance-Webhook/${version}`,
      'X-Service-Signature': webhookSigner.sign(body, apiKey),
      'X-Service-Delivery': data.id,
      'X-Service-Attempt': '1',
      'X-Service-Sandbox': 'true',
    },
  });
  if (outcome.kind !== 'answered') throw new Error(outcome.reason);
  return {
    attemptId: ids.id(),
    delivery: {
      ...{ ...data, destination: destinationOf(data.url), sandbox: true, attempt: 1 },
      ...{ format: 'native_v2', eventSeq: null, keys: null },
    },
    statusCode: outcome.status,
    responseBody: outcome.body,
    sentAt: clock.now(),
    next: { state: 'delivered' },
  };
}
