/**
 * A customer changes the currency, and pays what the phone still shows, on a real EVM node: the
 * scanner still knows it.
 */
import { describe, expect, test } from 'bun:test';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { CONFIRMATIONS, stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);

describe.skipIf(!ready)('a changed currency on a real EVM node', () => {
  const on = stageAnvilJourney();

  async function choose(invoice: Json, asset: string): Promise<Json> {
    const page = new URL(invoice.payment_url).pathname;
    const answer = await fetch(`${on.it.url}${page}/currency`, {
      ...{ method: 'POST', redirect: 'manual', body: `asset=${asset}` },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(303);
    return { ...(await on.read(invoice.order_id)), payment_url: invoice.payment_url };
  }

  for (const [earlier, later] of [
    ['eth_ethereum', 'usdt_ethereum'],
    ['usdt_ethereum', 'eth_ethereum'],
  ] as const) {
    test(`paid in ${earlier} after the change to ${later}, the invoice is one of ${earlier} again`, async () => {
      const open = await on.create({ asset: undefined });
      const old = await choose(open, earlier);
      const now = await choose(open, later);
      expect(now).toMatchObject({ asset: later, initial_asset: earlier, address_to: old.address_to });
      const txid = await on.pay(old);
      await on.mine();
      await on.it.settle();
      expect(await on.read(open.order_id)).toMatchObject({
        ...{ status: 'confirming', asset: earlier, amount: old.amount, txid },
      });
      await on.mine(CONFIRMATIONS);
      await on.it.settle();
      expect(await on.read(open.order_id)).toMatchObject({
        ...{ status: 'success', received_amount: old.amount, fiat_amount: 25, initial_asset: earlier },
      });
      expect(on.statusesSent(open.order_id)).toEqual(['confirming', 'success']);
      expect((await on.balance()).available).toBeCloseTo(25, 4);
      await on.booksAreRight();
    });
  }

  test('paid in ETH by a contract after the change, it is found as well', async () => {
    const open = await on.create({ asset: undefined });
    const old = await choose(open, 'eth_ethereum');
    await choose(open, 'usdt_ethereum');
    const value = on.due(old);
    await on.lab.send({
      to: on.lab.contracts.router,
      value,
      data: on.lab.call('Router', 'pay', [[old.address_to], value]),
    });
    // Balances are compared over so many blocks together.
    await on.mine(10);
    await on.it.settle();
    await on.mineToFinality();
    expect(await on.read(open.order_id)).toMatchObject({ status: 'success', asset: 'eth_ethereum' });
    await on.booksAreRight();
  });

  test('once a payment waits in the pool, nothing is changed any more', async () => {
    const open = await on.create({ asset: undefined });
    const eth = await choose(open, 'eth_ethereum');
    await on.pay(eth);
    await on.it.settle();
    const page = new URL(open.payment_url).pathname;
    const answer = await fetch(`${on.it.url}${page}/currency`, {
      ...{ method: 'POST', redirect: 'manual', body: 'asset=usdt_ethereum' },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(400);
    await on.mineToFinality();
    expect(await on.read(open.order_id)).toMatchObject({ status: 'success', asset: 'eth_ethereum' });
  });
});
