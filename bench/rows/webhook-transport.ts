/** Webhooks end to end (claim, sign, post safely, record) against the bare pinned transport posting the same bodies. */
import { pinnedWebhookTransport } from '../../src/adapters/webhooks/pinned-transport.ts';
import { composeForBench } from '../harness/composed.ts';
import { atLeast, type Finding } from '../harness/finding.ts';
import { alternate, type Leg, latencyOf, rateText, ratio } from '../harness/legs.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { latency } from '../harness/statistics.ts';
import { dispatcherLeg, PER_SECOND } from '../harness/webhook-legs.ts';
import { openWorkshop, timed, type Workshop } from '../harness/webhook-workshop.ts';

/** As the dispatcher (app/deliver-webhooks.ts). */
const IN_FLIGHT = 64;

export const webhookTransport: Row = {
  name: 'webhook-transport',
  needs: 'node',
  async run(context) {
    return [
      // The target holds for what merchants' receivers speak. Over http the post itself is cheap, and is only shown.
      await endToEnd(context, 'https', atLeast(0.8)),
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
    return {
      what: `webhooks end to end / the bare pinned transport, over ${scheme} (times: one post)`,
      target,
      unit: 'x',
      measured: ratio(ours, bare),
      absolute: `${rateText(ours)}, ${rateText(bare)}`,
      latencies: [latencyOf(ours), latencyOf(bare)],
    };
  } finally {
    await service.stop();
    await workshop.close();
  }
}

function bareLeg({ url, body }: Workshop, transport: ReturnType<typeof timed>): Leg {
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
      const began = performance.now();
      const send = async () => {
        while (left-- > 0) {
          const outcome = await transport.post({ url, body: bytes, headers });
          if (outcome.kind !== 'answered') throw new Error(outcome.reason);
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, send));
      return { rate: (count * 1000) / (performance.now() - began), latency: latency(transport.takeTimes()) };
    },
  };
}
