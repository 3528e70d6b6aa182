/**
 * The machine's clock is wrong, on a real EVM node: its chain's own time ends invoices and decides
 * what came in time.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { rotateKey } from '../../../src/app/merchants/manage-merchants.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
const THREE_HOURS = 3 * 3_600;

describe.skipIf(!ready)('a clock that is wrong by three hours', () => {
  const on = stageAnvilJourney();
  let error = 0;
  const wrongBy = (seconds: number): void => {
    on.clock.advance(seconds - error);
    error = seconds;
  };
  afterEach(() => wrongBy(0));
  const chainTime = async () =>
    Number(
      (await on.lab.anvil.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp,
    );
  /** A block of this time, whatever our clock says. */
  async function mineAt(unixSeconds: number): Promise<void> {
    await on.lab.anvil.rpc('evm_setNextBlockTimestamp', [unixSeconds]);
    await on.lab.mine();
    await on.it.settle();
  }
  async function mineToFinality(): Promise<void> {
    for (let block = 0; block < 5; block += 1) await mineAt((await chainTime()) + 1);
  }
  const statusOf = async ({ order_id }: Json): Promise<string> => (await on.read(order_id)).status;

  test('K7: ahead, ends no invoice before the chain’s own time does, and a payment in time is credited', async () => {
    const invoices = [await on.create({ ttl: 300 }), await on.create({ ttl: 300, asset: undefined })];
    wrongBy(THREE_HOURS);
    await on.it.settle();
    await mineAt((await chainTime()) + 1);
    expect(await Promise.all(invoices.map(statusOf))).toEqual(['created', 'created']);
    const [paid] = invoices;
    await on.pay(paid);
    await mineToFinality();
    expect(await statusOf(paid)).toBe('success');
    await on.booksAreRight();
  });

  test('K7: ahead, calls no payment late that waits for its block, and none failed that leaves the chain in time', async () => {
    const [waiting, leaving] = [
      await on.create({ asset: 'eth_ethereum', ttl: 300 }),
      await on.create({ asset: 'eth_ethereum', ttl: 300 }),
    ];
    await on.pay(leaving);
    await mineAt((await chainTime()) + 1);
    expect(await statusOf(leaving)).toBe('confirming');
    wrongBy(THREE_HOURS);
    await on.lab.reorg(1);
    await on.it.settle(4);
    expect(await statusOf(leaving)).toBe('created');
    await on.pay(waiting);
    await on.it.settle();
    expect(await statusOf(waiting)).toBe('created');
    await mineToFinality();
    expect(await statusOf(waiting)).toBe('success');
    await on.booksAreRight();
  });

  test('K7: ahead for a moment, leaves nothing behind that ends an invoice once it is right again', async () => {
    const invoice = await on.create({ ttl: 300 });
    wrongBy(THREE_HOURS);
    await on.it.settle();
    wrongBy(0);
    on.clock.advance(301);
    await on.it.settle();
    expect(await statusOf(invoice)).toBe('created');
    await mineAt(invoice.expires_at - 1);
    expect(await statusOf(invoice)).toBe('created');
    // What contracts paid until then is looked for at the latest after two minutes.
    on.clock.advance(119);
    await mineAt(invoice.expires_at + 119);
    expect(await statusOf(invoice)).toBe('expired');
  });

  test('K7: behind, takes a payment of an invoice that was made meanwhile', async () => {
    wrongBy(-THREE_HOURS);
    const invoice = await on.create({ ttl: 300 });
    await on.pay(invoice);
    await mineToFinality();
    expect(await statusOf(invoice)).toBe('success');
    await on.booksAreRight();
  });

  test('K7: ahead, keeps no key alive that is revoked, once it is right again', async () => {
    const ask = async () => (await on.it.call(on.merchant.live, 'GET', '/api/v2/balance')).status;
    wrongBy(THREE_HOURS);
    expect(await ask()).toBe(200);
    expect((await rotateKey(on.it.service.dependencies)(on.merchant.id, 'live', 0)).ok).toBe(true);
    wrongBy(0);
    expect(await ask()).toBe(401);
  });

  test('K7: ahead, or behind when a payout is asked for, frees no X-Uniq-Id: the payout is not made twice', async () => {
    await on.pay(await on.create({ amount: 100 }));
    await mineToFinality();
    const ask = async (uniqId: string) =>
      (
        await on.it.call(
          on.merchant.live,
          'POST',
          '/api/v2/payouts',
          { address: on.lab.freshAddress(), amount: 5, asset: 'usdt_ethereum' },
          { 'x-uniq-id': uniqId },
        )
      ).status;
    const [ahead, behind] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(await ask(ahead)).toBe(201);
    wrongBy(2 * THREE_HOURS);
    await on.it.settle();
    expect(await ask(ahead)).toBe(409);
    wrongBy(-THREE_HOURS);
    expect(await ask(behind)).toBe(201);
    wrongBy(0);
    await on.it.settle();
    expect(await ask(behind)).toBe(409);
    // Two hours later by both clocks it is free, as always.
    on.clock.advance(2 * 3_600 + 10);
    await mineAt(Math.floor(on.clock.now().getTime() / 1000));
    expect(await ask(behind)).toBe(201);
  });

  test.each([
    ['ahead', THREE_HOURS],
    ['behind', -THREE_HOURS],
  ])('K7: %s, is told to the operators, and that it is right again', async (_, seconds) => {
    const told = on.lines.length;
    const looks = async (): Promise<void> => {
      for (let look = 0; look < 4; look += 1) {
        const now = Math.floor(on.clock.now().getTime() / 1000) - error;
        await on.lab.anvil.rpc('evm_setNextBlockTimestamp', [Math.max(now, (await chainTime()) + 1)]);
        await on.lab.mine();
        await on.it.run('check-clock');
      }
    };
    wrongBy(seconds);
    await looks();
    wrongBy(0);
    await looks();
    const events = on.lines.slice(told).filter(({ event }) => event.startsWith('clock.'));
    expect(events.map(({ event }) => event)).toEqual(['clock.differs', 'clock.agrees']);
    expect(Math.abs(Number(events[0]?.fields.aheadSeconds) - seconds)).toBeLessThan(60);
  });
});
