/** Notices to operators, from the alarm to a mailbox and a webhook. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { showNotices } from '../../../src/app/notices/show-notices.ts';
import { anId } from '../../support/builders.ts';
import { type MailServer, startMailServer } from '../../support/mail/mail-server.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('notices to operators', () => {
  let it: TestService;
  let server: MailServer;
  let receiver: WebhookReceiver;
  let clock: TestClock;
  let drop: () => Promise<void>;
  let databaseUrl: string;
  let status = 200;
  const lines: LogLine[] = [];

  const start = (env: Record<string, string> = {}) =>
    startTestService({
      databaseUrl,
      env: {
        ...{ CHAINS: 'fake', SMTP_URL: server.url, MAIL_FROM: 'pay@gateway.example' },
        ...{ OPERATOR_MAIL_TO: 'ann@shop.example, bob@shop.example', BASE_URL: 'https://pay.example' },
        OPERATOR_WEBHOOK_URL: `${receiver.url}?token=secret`,
        ...env,
      },
      chains: ['ethereum'],
      overrides: { clock, logger: memoryLogger(lines) },
    });
  const logger = () => it.service.dependencies.logger;

  beforeAll(async () => {
    [server, clock] = [await startMailServer(), testClock()];
    receiver = startWebhookReceiver({ respond: () => new Response('', { status }) });
    const database = await testDatabase();
    [drop, databaseUrl] = [database.drop, database.url];
    it = await start();
  });
  beforeEach(async () => {
    clock.advance(2 * 86_400);
    server.answer(null);
    status = 200;
    await sent();
    forget();
    lines.length = 0;
  });
  afterAll(async () => {
    await it.stop();
    await Promise.all([server.stop(), receiver.stop()]);
    await drop();
  });

  const posts = () => receiver.received.map(({ body }) => JSON.parse(body));
  const titles = () =>
    server.received.map(({ to, mail }) => `${to.join()}: ${mail.subject?.slice(0, 12)}`).toSorted();
  function forget() {
    server.received.length = 0;
    (receiver.received as unknown[]).length = 0;
  }
  async function job(name: string) {
    await it.run(name);
  }
  /** Lets what was raised be stored, and the job send what is due. */
  async function sent() {
    await it.service.notices.settled(10_000);
    await Promise.all([job('send-notices-by-mail'), job('send-notices-by-webhook')]);
  }

  test('an alarm reaches every address and the webhook once, with what to do', async () => {
    logger().error('deposit.high_risk', { depositId: 'd1', reason: 'listed', payer_info: { email: 'x' } });
    await sent();
    await sent();
    expect(titles()).toEqual(['ann@shop.example: ALARM: the r', 'bob@shop.example: ALARM: the r']);
    const [mail] = server.received;
    expect(mail?.mail.text).toContain('Do: bun run risk list, then release or reject');
    expect(mail?.mail.text).toContain('deposit.high_risk at https://pay.example');
    expect(mail?.mail.messageId).toMatch(/^<[0-9a-f]{24}\.raised@gateway\.example>$/);
    expect(posts()).toMatchObject([
      { event: 'deposit.high_risk', status: 'alarm', fields: { depositId: 'd1', payer_info: '[redacted]' } },
    ]);
    expect(posts()[0].text).toStartWith('ALARM: the risk check holds a payment\n');
  });

  test('a test that an operator orders in the console reaches everybody, each time, and is no alarm', async () => {
    const actor = { kind: 'user', userId: anId(), name: 'ann@gate.example', ip: null } as const;
    const seat = { actor, userId: actor.userId, role: 'admin' } as const;
    const { operatorDesk } = it.service.console;
    for (let nth = 0; nth < 2; nth += 1)
      expect(await operatorDesk.tryNotices(seat)).toMatchObject({ ok: true });
    await sent();
    await sent();
    expect(titles()).toEqual([
      ...Array<string>(2).fill('ann@shop.example: TEST: alarms'),
      ...Array<string>(2).fill('bob@shop.example: TEST: alarms'),
    ]);
    expect(posts()).toMatchObject([
      { event: 'notice.test', status: 'over', fields: {} },
      { event: 'notice.test', status: 'over', fields: {} },
    ]);
    const { operatorQueries } = it.service.dependencies;
    const ordered = { subject: 'delivery', action: 'delivery.tested', actor: actor.name } as const;
    const anything = { merchantId: null, subjectId: null, from: null, to: null };
    const entries = await operatorQueries.auditEntries(
      { ...anything, ...ordered },
      { before: null, limit: 9 },
    );
    expect(entries).toHaveLength(2);
    const [shown] = await showNotices(it.service.dependencies)({ limit: 1 });
    expect(shown).toMatchObject({ what: 'A test notice', status: 'noted', sent: 3, unsent: 0 });
  });

  test('an alarm that repeats is one notice, and its repetitions are reported when the hour is over', async () => {
    for (let nth = 0; nth < 30; nth += 1) logger().error('payout.unsignable', { payoutId: `p${nth}` });
    await sent();
    clock.advance(60);
    logger().error('payout.unsignable', { payoutId: 'last' });
    await sent();
    expect(posts()).toHaveLength(1);
    clock.advance(3_600);
    await sent();
    expect(posts().map(({ text, count }) => [text.slice(0, 6), count])).toEqual([
      ['ALARM:', expect.any(Number)],
      ['STILL:', 31],
    ]);
  });

  test('the end of an alarm is reported, and the same alarm is news again', async () => {
    logger().error('chain.late', { chain: 'tron', state: 'away' });
    await sent();
    logger().info('chain.in_time', { chain: 'ton' });
    await sent();
    expect(posts()).toHaveLength(1);
    clock.advance(600);
    logger().info('chain.in_time', { chain: 'tron' });
    await sent();
    logger().error('chain.late', { chain: 'tron', state: 'behind' });
    await sent();
    expect(posts().map(({ text }) => text.slice(0, 11))).toEqual([
      'ALARM: tron',
      'OVER: tron:',
      'ALARM: tron',
    ]);
  });

  test('after a restart an alarm whose cause is gone ends, and that is reported once', async () => {
    logger().error('deposit.price_overdue', { asset: 'eth_ethereum', since: clock.now().toISOString() });
    await sent();
    await it.stop();
    it = await start();
    for (let run = 0; run < 2; run += 1) {
      await job('screen-deposits');
      await sent();
    }
    expect(posts().map(({ text }) => text.slice(0, 11))).toEqual(['ALARM: eth_', 'OVER: eth_e']);
  });

  test('a channel that is away delays no other, and gets the notice when it is back', async () => {
    server.answer(450);
    logger().error('books.disagree', { faults: 1, differences: 0 });
    await sent();
    expect([posts().length, server.received.length]).toEqual([1, 0]);
    expect(lines.some(({ event }) => event === 'notice.not_sent')).toBe(true);
    server.answer(null);
    await sent();
    expect(server.received).toHaveLength(0);
    clock.advance(120);
    await sent();
    expect(server.received).toHaveLength(2);
    expect(posts()).toHaveLength(1);
  });

  test('a notice that nobody takes is given up after a day, is no alarm, and is still to be read', async () => {
    status = 500;
    logger().error('wallet.blocked', { chain: 'bitcoin', nonce: '1' });
    await sent();
    for (let hour = 0; hour < 26; hour += 1) {
      clock.advance(3_600);
      await sent();
    }
    const told = lines.filter(({ event }) => event === 'notice.given_up');
    expect(told.map(({ fields }) => [fields.alarm, fields.channel])).toEqual([['wallet.blocked', 'webhook']]);
    const tries = posts().length;
    expect(tries).toBeGreaterThan(20);
    await sent();
    expect(posts()).toHaveLength(tries);
    const [shown] = (await showNotices(it.service.dependencies)({ limit: 500 })).filter(
      ({ event, subject }) => event === 'wallet.blocked' && subject === 'bitcoin',
    );
    expect(shown).toMatchObject({ status: 'noted', sent: 2, unsent: 0, givenUp: 1, count: 1 });
    expect(shown?.what).toContain('has been in no block for an hour');
    expect(shown?.action).toContain('bun run payouts cancel');
    // The failures themselves are no notices.
    const events = (await showNotices(it.service.dependencies)({ limit: 500 })).map(({ event }) => event);
    expect(events.filter((event) => event.startsWith('notice.') && event !== 'notice.test')).toEqual([]);
  });

  test('no log line has the URL of the webhook', async () => {
    status = 404;
    logger().error('wallet.blocked', { chain: 'litecoin' });
    await sent();
    expect(JSON.stringify(lines)).not.toContain('token=secret');
    expect(lines.map(({ event }) => event)).toContain('notice.not_sent');
  });

  test('a process that dies between storing and sending loses none: another one sends it', async () => {
    logger().error('deposit.reversed', { depositId: 'd9' });
    await it.stop();
    expect(posts()).toEqual([]);
    it = await start();
    await sent();
    expect(posts().map(({ event }) => event)).toEqual(['deposit.reversed']);
  });

  test('a process that died while it sent is followed after five minutes, with the same id', async () => {
    logger().error('deposit.reversed', { depositId: 'd10' });
    await it.service.notices.settled(10_000);
    const now = clock.now();
    const to = [{ channel: 'webhook', recipient: '' }] as const;
    const died = await it.service.dependencies.unitOfWork.run(async ({ operatorNotices }) => {
      await operatorNotices.plan({ to, now });
      const until = new Date(now.getTime() + 300_000);
      return operatorNotices.take({ channel: 'webhook', now, until, limit: 10 });
    });
    expect(died).toHaveLength(1);
    await sent();
    expect(posts()).toEqual([]);
    clock.advance(301);
    await sent();
    expect(posts().map(({ id }) => id)).toEqual([`${died[0]?.notice.id}.raised`]);
  });

  test('what is stored in a process without channels is sent by a worker that has them', async () => {
    const without = { OPERATOR_MAIL_TO: '', OPERATOR_WEBHOOK_URL: '', ROLE: 'api' };
    const other = await start(without);
    other.service.dependencies.logger.error('addresses.database_behind', { derivers: ['evm'] });
    await other.stop();
    await sent();
    expect(posts().map(({ event }) => event)).toEqual(['addresses.database_behind']);
  });

  test('alarms are counted in the metrics, and open ones as well', async () => {
    logger().error('clock.differs', { aheadSeconds: 400 });
    await sent();
    const { body } = await it.call(null, 'GET', '/metrics');
    expect(body).toMatch(/^quittance_alarms_total\{event="clock.differs"\} [1-9]/m);
    expect(body).toMatch(/^quittance_operator_notices_open [1-9]/m);
    expect(body).toContain('quittance_operator_notices_unsent 0\n');
    expect(body).toContain('quittance_backup_age_seconds -1\n');
  });

  test('what was last raised 90 days ago is forgotten', async () => {
    clock.advance(91 * 86_400);
    await job('forget-notices');
    expect(await showNotices(it.service.dependencies)({ limit: 500 })).toEqual([]);
  });
});
