/**
 * Webhooks to receivers that take their time, one process, end to end (claim, sign, post safely,
 * record): how long a thousand of them take, and what each costs of the processors. Ten receivers,
 * fifty merchants.
 */

import { pinnedWebhookTransport } from '../../src/adapters/webhooks/pinned-transport.ts';
import { composeForBench } from '../harness/composed.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { alternate, latencyOf } from '../harness/legs.ts';
import { costText } from '../harness/process-figures.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';
import { dispatcherLeg } from '../harness/webhook-legs.ts';
import { openWorkshop, timed } from '../harness/webhook-workshop.ts';

const RECEIVERS = 10;
/**
 * What a receiver takes, the size of a backlog for each second of a round, and the seconds that a
 * thousand may take.
 */
const CASES = [
  { delayMs: 0, perSecond: 2_000, seconds: null },
  { delayMs: 200, perSecond: 1_500, seconds: 1 },
  { delayMs: 1_000, perSecond: 500, seconds: null },
] as const;

export const webhookReceivers: Row = {
  name: 'webhook-receivers',
  async run(context) {
    const findings: Finding[] = [];
    for (const given of CASES) findings.push(await measured(context, given));
    return findings;
  },
};

async function measured(context: RowContext, given: (typeof CASES)[number]): Promise<Finding> {
  const { delayMs, perSecond, seconds: target } = given;
  const workshop = await openWorkshop(context.database, `bench_webhooks_after_${delayMs}`, {
    delayMs,
    receivers: RECEIVERS,
  });
  const transport = timed(
    pinnedWebhookTransport({ allowedHosts: ['127.0.0.1'], localAddress: null, proxy: null, idleMost: 512 }),
  );
  const service = await composeForBench(workshop.environment, { webhookTransport: transport });
  const leg = dispatcherLeg(`${delayMs} ms`, workshop, service.dispatcher, transport, perSecond);
  try {
    const [result] = await alternate([leg], context);
    if (!result) throw new Error('unreachable: one leg went in');
    return {
      what: `time of 1,000 webhooks to receivers that take ${delayMs} ms, one process (times: one post)`,
      target: target === null ? null : atMost(target, 's'),
      unit: 's',
      measured: spread(result.rounds.map(({ elapsed }) => elapsed * 1_000)),
      absolute: costText(result.rounds),
      latencies: [latencyOf(result)],
    };
  } finally {
    await service.stop();
    await workshop.close();
  }
}
