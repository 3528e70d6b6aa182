/**
 * Invoices paid on a real EVM node: native coin and token, in parts, too much, too late, by
 * contracts, to permanent addresses.
 */
import { describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { startHeadServer } from '../../support/chains/head-server.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { CONFIRMATIONS, stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';
import { startTestService } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);

describe.skipIf(!ready)('an invoice on a real EVM node', () => {
  const on = stageAnvilJourney();
  const { mine, mineToFinality, pay, payEth, payUsdt, create, read, balance, statusesSent, booksAreRight } =
    on;
  const payer = () => on.lab.anvil.accounts[0]!.address;

  for (const asset of ['eth_ethereum', 'usdt_ethereum']) {
    test(`in ${asset} is confirming when mined and success when final, with webhooks, balance and ledger`, async () => {
      const invoice = await create({ asset });
      const txid = await pay(invoice);
      await mine();
      await on.it.settle();
      expect(await read(invoice.order_id)).toMatchObject({ status: 'confirming', txid });
      await mine(CONFIRMATIONS - 2);
      await on.it.settle();
      expect((await read(invoice.order_id)).status).toBe('confirming');
      await mine();
      await on.it.settle();
      expect(await read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
        fiat_amount: 25,
        txid,
        address_from: expect.stringMatching(new RegExp(payer(), 'i')),
      });
      expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      const [line] = await on.ledger();
      expect(line).toMatchObject({ type: 'income', asset, currency: 'USD', reference_id: invoice.order_id });
      expect(line.amount + line.fee).toBeCloseTo(invoice.amount, 12);
      expect((await balance()).available).toBeCloseTo(25, 4);
      await booksAreRight();
    });
  }

  test('R11: shows as soon as the node tells its block, and no later than by polling where it tells none', async () => {
    const { jobs, chains } = on.it.service;
    const job = jobs.find(({ name }) => name === 'chain:ethereum')!;
    const stopping = new AbortController();
    let looks: readonly Promise<void>[] = [];
    job.listen?.(() => {
      looks = [...looks, job.run()];
    }, stopping.signal);
    const isTold = () => chains.nodes.get('ethereum')?.standings()[0]?.stream === true;
    const nextBlock = async () => {
      on.clock.advance(12);
      await mine();
    };
    const isRarer = () => job.everyMs === 24_000;
    // The first ones may be told at one moment, like those of a chain that hurries.
    await until('the node tells heads', 10_000, async () => {
      if (!isRarer()) await nextBlock();
      return isRarer();
    });
    await Promise.all(looks);
    expect(isTold()).toBe(true);
    const invoice = await create();
    await pay(invoice);
    const before = looks.length;
    await nextBlock();
    await until('the block is told', 10_000, () => looks.length > before);
    await Promise.all(looks);
    expect((await read(invoice.order_id)).status).toBe('confirming');

    stopping.abort();
    expect([isTold(), job.everyMs]).toEqual([false, 12_000]);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await booksAreRight();
  });

  test('R11: a worker hears heads until it stops, and an api process opens no stream', async () => {
    const node = startHeadServer();
    const { databaseUrl, service } = on.it;
    const { dataDir } = service.config;
    const { anvil, contracts } = on.lab;
    const file = {
      chains: { ethereum: { rpc: [{ url: anvil.url, stream: node.url }], chain_id: anvil.chainId } },
      assets: {
        usdt_ethereum: { contract: contracts.tether },
        usdc_ethereum: { contract: contracts.usdc },
      },
    };
    for (const [ROLE, streams] of [
      ['api', 0],
      ['worker', 1],
    ] as const) {
      const overrides = { schedule: true, clock: on.clock };
      const other = await startTestService({ databaseUrl, dataDir, file, env: { ROLE }, overrides });
      await until('it listens', 10_000, () => node.asked.length === streams);
      await other.stop();
      await until('it hung up', 10_000, () => node.open() === 0);
      expect(node.begun()).toBe(streams);
    }
    await node.stop();
  });

  test('a native payment that only waits in the pool is already confirming', async () => {
    const invoice = await create({ asset: 'eth_ethereum' });
    await pay(invoice);
    await on.it.settle();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    expect(await on.depositsTo(invoice.address_to)).toHaveLength(1);
    await booksAreRight();
  });

  test('is paid in two parts, and credited exactly what it was for', async () => {
    const invoice = await create();
    await payUsdt(invoice.address_to, '10');
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'partially_paid', received_amount: 10 });
    await payUsdt(invoice.address_to, '15.25');
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'success', received_amount: 25.25 });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'confirming', 'success']);
    expect((await balance()).available).toBe(25);
    await booksAreRight();
  });

  test('is paid over, and everything received is credited less the commission', async () => {
    const invoice = await create();
    await payUsdt(invoice.address_to, '50.5');
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'paid_over', received_amount: 50.5 });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'paid_over']);
    expect((await balance()).available).toBe(50);
    await booksAreRight();
  });

  test('A2: a late payment does not revive it; it is a stray that an operator credits once', async () => {
    const invoice = await create({ ttl: 300 });
    on.clock.advance(400);
    await mine();
    await on.it.settle();
    expect((await read(invoice.order_id)).status).toBe('expired');
    await pay(invoice);
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'expired', received_amount: 0 });
    expect(statusesSent(invoice.order_id)).toEqual([]);
    const [stray, ...others] = await on.depositsTo(invoice.address_to);
    expect(others).toEqual([]);
    expect(stray).toMatchObject({ status: 'stray', units: 25_250_000n, merchantId: on.merchant.id });
    expect((await balance()).available).toBe(0);
    await booksAreRight();
    const credit = creditStray(on.it.service.dependencies);
    const both = await Promise.all([credit(stray?.id ?? ''), credit(stray?.id ?? '')]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect((await balance()).available).toBe(24.9975);
    expect((await read(invoice.order_id)).status).toBe('expired');
    await booksAreRight();
  });

  test('A1: the block time a second before expires_at counts, a second after it does not, however late both are read', async () => {
    const [inTime, atTheEnd, tooLate] = [
      await create({ ttl: 300 }),
      await create({ ttl: 300 }),
      await create({ ttl: 300 }),
    ];
    await pay(inTime);
    await on.mineAt(inTime.expires_at - 1);
    await pay(atTheEnd);
    await on.mineAt(inTime.expires_at);
    await pay(tooLate);
    await on.mineAt(inTime.expires_at + 1);
    on.clock.advance(600);
    await on.it.settle();
    expect((await read(inTime.order_id)).status).toBe('confirming');
    await mineToFinality();
    expect((await read(inTime.order_id)).status).toBe('success');
    for (const late of [atTheEnd, tooLate]) {
      expect((await read(late.order_id)).status).toBe('expired');
      expect(await on.depositsTo(late.address_to)).toMatchObject([{ status: 'stray' }]);
    }
    await booksAreRight();
  });

  test('A1: seen before expires_at and final long after it, a payment counts', async () => {
    const invoice = await create({ ttl: 300 });
    await pay(invoice);
    await mine();
    await on.it.settle();
    on.clock.advance(3_600);
    await on.it.settle();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await booksAreRight();
  });

  test('part paid and out of time it is cancelled with a webhook, and a late rest is a stray', async () => {
    const invoice = await create({ ttl: 300 });
    await payUsdt(invoice.address_to, '10');
    await mineToFinality();
    on.clock.advance(400);
    await mine();
    await on.it.settle();
    expect((await read(invoice.order_id)).status).toBe('cancelled');
    await payUsdt(invoice.address_to, '15.25');
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'cancelled', received_amount: 10 });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'cancelled']);
    expect((await on.depositsTo(invoice.address_to)).map(({ status }) => status).toSorted()).toEqual([
      'credited',
      'stray',
    ]);
    await booksAreRight();
  });

  test('E6: paid by a contract, also by selfdestruct, it is credited where the node traces', async () => {
    const methods = ['pay', 'payBySelfdestruct'] as const;
    for (const method of methods) {
      const invoice = await create({ asset: 'eth_ethereum' });
      const value = on.due(invoice);
      const args = method === 'pay' ? [[invoice.address_to], value] : [invoice.address_to];
      await on.lab.send({ to: on.lab.contracts.router, value, data: on.lab.call('Router', method, args) });
      // Balances are compared over so many blocks together.
      await mine(10);
      await on.it.settle();
      await mineToFinality();
      expect(await read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
      });
      expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    }
    expect((await balance()).available).toBeCloseTo(50, 4);
    await booksAreRight();
  });

  test('a permanent address takes native coins and tokens: each payment opens an invoice of its own', async () => {
    const made = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', {
      user_id: 'customer-7',
      family: 'evm',
      metadata: { level: 3 },
    });
    expect(made.status).toBe(201);
    const { id, address } = made.body.result;
    const list = async () => {
      const answer = await on.it.call(on.merchant.live, 'GET', '/api/v2/invoices?order=asc');
      return answer.body.result;
    };
    await payEth(address, '0.02');
    await mineToFinality();
    await payUsdt(address, '30');
    await payUsdt(address, '1.5');
    await mineToFinality();
    const common = {
      status: 'success',
      billing_type: 'VARY',
      permanent_address_id: id,
      user_id: 'customer-7',
      metadata: { level: 3 },
      address_to: address,
    };
    const invoices = await list();
    expect(invoices).toMatchObject([
      { ...common, asset: 'eth_ethereum', amount: 0.02, received_amount: 0.02, fiat_amount: 40 },
      { ...common, asset: 'usdt_ethereum', amount: 30, received_amount: 30, fiat_amount: 30 },
    ]);
    expect(invoices).toHaveLength(2);
    for (const invoice of invoices) expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect((await balance()).available).toBeCloseTo(70 * 0.99, 6);
    const dust = (await on.depositsTo(address)).find(({ units }) => units === 1_500_000n);
    expect(dust).toMatchObject({ status: 'stray', invoiceId: null });

    await on.it.call(on.merchant.live, 'DELETE', `/api/v2/permanent/${id}`);
    await payUsdt(address, '30');
    await mineToFinality();
    expect(await list()).toHaveLength(2);
    await booksAreRight();
  });
});
