/** `bun run notices`: alarms with what to do, and a test of how they reach operators. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type MailServer, startMailServer } from '../support/mail/mail-server.ts';
import { type OperatorDesk, openOperatorDesk } from '../support/operators/operator-desk.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { until } from '../support/runtime/poll.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the script notices', () => {
  let desk: OperatorDesk;
  let server: MailServer;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    server = await startMailServer();
    receiver = startWebhookReceiver();
    desk = await openOperatorDesk();
  });
  afterAll(async () => {
    await desk.close();
    await Promise.all([server.stop(), receiver.stop()]);
  });

  test('lists alarms with what they mean and what to do', async () => {
    expect((await desk.run('notices', 'list')).stdout).toBe('no alarms\n');
    desk.it.service.dependencies.logger.error('chain.late', { chain: 'tron', state: 'away' });
    const stored = async () => (await desk.json('notices', 'list')).notices.length === 1;
    await until('the alarm is stored', 5_000, stored);
    const [notice] = (await desk.json('notices', 'list', '--limit', '5')).notices;
    expect(notice).toMatchObject({
      ...{ event: 'chain.late', subject: 'tron', status: 'open', count: 1, over_at: null, sent: 0 },
      ...{ fields: { state: 'away' }, what: expect.stringContaining('seen late') },
    });
    expect((await desk.run('notices', 'list')).stdout).toMatch(
      /open +chain\.late +tron .* bun run chains status/,
    );
  });

  test('tries every address and the webhook, and fails where one takes nothing', async () => {
    const env = {
      ...{ SMTP_URL: server.url, MAIL_FROM: 'pay@shop.example', OPERATOR_MAIL_TO: 'ann@shop.example' },
      ...{ OPERATOR_WEBHOOK_URL: `${receiver.url}?token=secret`, OPERATOR_WEBHOOK_FORMAT: 'slack' },
    };
    const works = await desk.runIn(env, 'notices', 'test', '--json');
    expect([works.code, JSON.parse(works.stdout).works]).toEqual([0, true]);
    expect(server.received.map(({ to, mail }) => [to, mail.subject])).toEqual([
      [['ann@shop.example'], 'TEST: alarms of Quittance arrive here'],
    ]);
    expect(JSON.parse(receiver.received[0]?.body ?? '').text).toStartWith('TEST:');
    server.answer(550);
    const fails = await desk.runIn(env, 'notices', 'test');
    server.answer(null);
    expect([fails.code, fails.stdout]).toEqual([
      1,
      expect.stringMatching(/mail +ann@shop\.example +refused/),
    ]);
    expect(fails.stdout + fails.stderr + works.stdout).not.toContain('token=secret');
    const nothing = await desk.run('notices', 'test');
    expect([nothing.code, nothing.stdout]).toEqual([1, expect.stringContaining('nothing is set')]);
    // A test is no alarm.
    expect((await desk.json('notices', 'list')).notices).toHaveLength(1);
  });
});
