/**
 * A chain whose nodes fall silent and come back: what is offered, what is told, and the payment
 * that was made meanwhile.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a chain whose nodes fall silent', () => {
  const lines: LogLine[] = [];
  let on: FakeJourney;
  beforeAll(async () => {
    on = await openFakeJourney({ logger: memoryLogger(lines) }, 'ethereum', ['tron']);
  }, 120_000);
  afterAll(() => on.close());

  const noted = async () =>
    (await on.it.service.dependencies.unitOfWork.run(({ chainHealth }) => chainHealth.all())).get('ethereum')
      ?.noted;
  const isEnabled = async () => {
    const { body } = await on.it.call(on.merchant.live, 'GET', '/api/v2/assets');
    return body.result.find((one: { asset: string }) => one.asset === 'usdt_ethereum').enabled;
  };
  const ask = (asset: string) =>
    on.it.call(on.merchant.live, 'POST', '/api/v2/invoices', { amount: 25, fiat_currency: 'USD', asset });
  const events = (event: string) => lines.filter((line) => line.event === event);
  async function pass(seconds: number, steps = 1): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      on.clock.advance(seconds / steps);
      await on.it.settle(1);
    }
  }

  test('is offered within the bound, refused beyond it, and offered again once it is read', async () => {
    on.chain().mine();
    await pass(5);
    expect(await noted()).toMatchObject({ state: 'ok', lagBlocks: 0, fault: null });
    const { body: metrics } = await on.it.call(null, 'GET', '/metrics');
    expect(metrics).toContain('quittance_chain_state{chain="ethereum",state="ok"} 1\n');
    const invoice = await on.create();
    const page = async () =>
      (await on.it.call(null, 'GET', `/checkout/${invoice.external_id}/status`)).body.state;
    const inTime = await page();

    on.chain().fail(true);
    await pass(540, 3);
    expect(await noted()).toMatchObject({ state: 'away', fault: 'unreachable' });
    expect([await isEnabled(), (await ask('usdt_ethereum')).status]).toEqual([true, 201]);
    expect(await page()).toBe(inTime);

    await pass(120, 2);
    const late = await page();
    expect(late).not.toBe(inTime);
    expect(await isEnabled()).toBe(false);
    const refused = await ask('usdt_ethereum');
    expect([refused.status, refused.body.error.details]).toEqual([503, { chain: 'ethereum', state: 'away' }]);
    expect((await ask('usdt_tron')).status).toBe(201);

    on.chain().fail(false);
    await pass(5);
    expect(await page()).toBe(inTime);
    on.pay(invoice, '25.25');
    await on.mineToFinality();
    expect(await noted()).toMatchObject({ state: 'ok', fault: null });
    expect([await isEnabled(), (await ask('usdt_ethereum')).status]).toEqual([true, 201]);
    expect((await on.read(invoice.order_id)).status).toBe('success');
    await on.booksAreRight();
  });

  test('raises one alarm, again after an hour and after two more, and its end is told once', async () => {
    lines.splice(0);
    on.chain().fail(true);
    await pass(600, 4);
    expect(events('chain.late')).toEqual([]);
    await pass(120, 2);
    expect(events('chain.late').map(({ level, fields }) => [level, fields.chain, fields.state])).toEqual([
      ['error', 'ethereum', 'away'],
    ]);
    await pass(4 * 3_600, 48);
    expect(events('chain.late')).toHaveLength(3);
    expect(events('chain.unreadable').length).toBeLessThan(15);
    on.chain().fail(false);
    await pass(10);
    await pass(10);
    expect(events('chain.late')).toHaveLength(3);
    expect(events('chain.in_time')).toHaveLength(1);
  });

  test('R10: is in time, without a warning, while a machine that lags answers', async () => {
    on.chain().mine(10);
    await pass(5);
    lines.splice(0);
    on.chain().lag(3);
    await pass(600, 5);
    expect(await noted()).toMatchObject({ state: 'ok', lagBlocks: 0 });
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(events('chain.behind_cursor').length).toBeLessThan(6);
    on.chain().lag(0);
  });

  test('is late for every process when no worker is left to note it', async () => {
    await pass(5);
    expect(await isEnabled()).toBe(true);
    on.clock.advance(700);
    await on.it.run('watch-health');
    expect(await isEnabled()).toBe(false);
    await pass(5);
    expect(await isEnabled()).toBe(true);
  });
});
