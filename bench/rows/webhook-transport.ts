/**
 * Webhooks end to end (claim, sign, post safely, record) beside the bare pinned transport posting
 * the same bodies: what each costs of the processors beyond its post. Their speeds are shown and
 * held against nothing, since a cheaper post makes their ratio worse.
 */
import { pinnedWebhookTransport } from '../../src/adapters/webhooks/pinned-transport.ts';
import { composeForBench } from '../harness/composed.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { alternate, type Leg, latencyOf, ratio } from '../harness/legs.ts';
import { type Cost, costOfEach, costText } from '../harness/process-figures.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { latency, spread } from '../harness/statistics.ts';
import { dispatcherLeg, PER_SECOND, type WebhookResult } from '../harness/webhook-legs.ts';
import { openWorkshop, timed, type Workshop } from '../harness/webhook-workshop.ts';

/** As the dispatcher (app/webhooks/deliver-webhooks.ts). */
const IN_FLIGHT = 64;

export const webhookTransport: Row = {
  name: 'webhook-transport',
  needs: 'node',
  async run(context) {
    return [
      // The target holds for what merchants' receivers speak. Over http the post itself is cheap,
      // and is only shown.
      await endToEnd(context, 'https', atMost(150, 'ms')),
      await endToEnd(context, 'http', null),
    ];
  },
};

async function endToEnd(
  context: RowContext,
  scheme: 'http' | 'https',
  target: Finding['target'],
): Promise<Finding> {
  const workshop = await openWorkshop(context.database, `bench_webhooks_by_${scheme}`, { scheme });
  const transport = timed(
    pinnedWebhookTransport({
      allowedHosts: ['127.0.0.1'],
      localAddress: null,
      proxy: null,
      idleMost: 512,
      ...(workshop.ca === null ? {} : { ca: workshop.ca }),
    }),
  );
  const service = await composeForBench(workshop.environment, { webhookTransport: transport });
  try {
    const [ours, bare] = await alternate(
      [dispatcherLeg('dispatcher', workshop, service.dispatcher, transport), bareLeg(workshop, transport)],
      context,
    );
    if (!ours || !bare) throw new Error('unreachable: two legs went in');
    const beyond = ours.rounds.map((round, index) => work(round) - work(bare.rounds[index]));
    return {
      what: `processor time of 1,000 webhooks end to end beyond that of their bare posts, over ${scheme} (times: one post)`,
      target,
      unit: 'ms',
      measured: spread(beyond.map((seconds) => seconds * 1e6)),
      absolute: `dispatcher ${costText(ours.rounds)}; bare transport ${costText(bare.rounds)}; ${ratio(ours, bare).median.toFixed(2)} x as fast`,
      latencies: [latencyOf(ours), latencyOf(bare)],
    };
  } finally {
    await service.stop();
    await workshop.close();
  }
}

const work = (cost: Cost | undefined): number =>
  cost === undefined ? Number.NaN : cost.process + cost.database;

function bareLeg({ url, body, sql }: Workshop, transport: ReturnType<typeof timed>): Leg<WebhookResult> {
  const bytes = new TextEncoder().encode(body);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Quittance-Webhook/bench',
    'X-Service-Signature': 'a'.repeat(64),
    'X-Service-Delivery': 'b'.repeat(24),
    'X-Service-Attempt': '1',
    'X-Service-Sandbox': 'true',
  };
  return {
    name: 'bare transport',
    async run(seconds) {
      const count = seconds * PER_SECOND;
      transport.takeTimes();
      let left = count;
      const send = async () => {
        while (left-- > 0) {
          const outcome = await transport.post({ url, body: bytes, headers });
          if (outcome.kind !== 'answered') throw new Error(outcome.reason);
        }
      };
      const cost = await costOfEach(count, sql, () => Promise.all(Array.from({ length: IN_FLIGHT }, send)));
      return { rate: 1 / cost.elapsed, latency: latency(transport.takeTimes()), ...cost };
    },
  };
}
