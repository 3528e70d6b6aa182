/**
 * Invoices paid on Tron: coin and token, in parts, by failed transactions, through a fork, at
 * permanent addresses.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { SOLID_BEHIND, stageTronJourney } from '../../support/tron/journey.ts';
import { TOKEN_SUPPLY } from '../../support/tron/lab.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice on Tron', () => {
  const on = stageTronJourney();
  const { create, pay, mine, mineToFinality, read, balance, statusesSent, booksAreRight } = on;

  for (const asset of ['trx_tron', 'usdt_tron', 'lab_tron'])
    test(`in ${asset} is confirming when mined and success when solidified, with webhooks and ledger`, async () => {
      const invoice = await create({ asset });
      const txid = await pay(invoice);
      await mine();
      expect(await read(invoice.order_id)).toMatchObject({ status: 'confirming', txid });
      await mine(SOLID_BEHIND - 1);
      expect((await read(invoice.order_id)).status).toBe('confirming');
      await mine();
      expect(await read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
        txid,
        address_from: on.lab.customer.address,
      });
      expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      expect((await on.ledger())[0]).toMatchObject({ type: 'income', asset, reference_id: invoice.order_id });
      expect((await balance()).available).toBeCloseTo(25, 4);
      await booksAreRight();
    });

  test('is paid in two parts, and credited exactly what it was for', async () => {
    const invoice = await create();
    await pay(invoice, '10');
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'partially_paid', received_amount: 10 });
    await pay(invoice, '15.25');
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'success', received_amount: 25.25 });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'confirming', 'success']);
    expect((await balance()).available).toBe(25);
    await booksAreRight();
  });

  test('T1: is not paid by a transaction that failed', async () => {
    const invoice = await create();
    await on.lab.payToken('usdt', invoice.address_to, TOKEN_SUPPLY + 1n);
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    expect(await on.depositsTo(invoice.address_to)).toEqual([]);
  });

  test('is unpaid again when a fork takes its payment, and paid once by the next', async () => {
    const invoice = await create();
    await pay(invoice);
    await mine();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await on.lab.server.chain.fork(1);
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    await pay(invoice);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    expect((await balance()).available).toBe(25);
    await booksAreRight();
  });

  test('U7: credited and then taken by a fork deeper than what was solidified, it is clawed back', async () => {
    const invoice = await create();
    await pay(invoice);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await on.lab.server.chain.fork(SOLID_BEHIND + 1);
    await mineToFinality();
    await mineToFinality();
    expect((await balance()).available).toBe(0);
    expect((await on.depositsTo(invoice.address_to)).map(({ status }) => status)).toEqual(['reversed']);
    await booksAreRight();
  });

  test('a permanent address takes coin and tokens: each payment opens an invoice of its own', async () => {
    const user = { user_id: 'customer-7', family: 'tron' };
    const made = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', user);
    expect(made.status).toBe(201);
    const { id, address } = made.body.result;
    for (const asset of ['trx_tron', 'usdt_tron']) {
      await pay({ address_to: address, type: asset === 'trx_tron' ? 'native' : 'token' }, '40');
      await mineToFinality();
    }
    const { body } = await on.it.call(on.merchant.live, 'GET', '/api/v2/invoices?order=asc');
    const common = { status: 'success', permanent_address_id: id, address_to: address, received_amount: 40 };
    expect(body.result).toMatchObject([
      { ...common, asset: 'trx_tron', fiat_amount: 10 },
      { ...common, asset: 'usdt_tron', fiat_amount: 40 },
    ]);
    await booksAreRight();
  });
});
