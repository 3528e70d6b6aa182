/**
 * Invoices paid on TON: coins and jettons, at once, in parts, by messages that come back or fail,
 * on a fork, to a permanent address.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { RECEIVES_NOTHING } from '../../support/ton/jetton.ts';
import { LAB, stageTonJourney } from '../../support/ton/ton-journey.ts';
import { commentBody, NATIVE, PAYER, USDT } from '../../support/ton/ton-lab.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice on TON', () => {
  const on = stageTonJourney();
  const { create, read, pay, mine, mineToFinality, statusesSent, balance, booksAreRight } = on;

  for (const asset of [NATIVE, USDT, LAB])
    test(`in ${asset} is confirming when mined and success when final, with webhooks and balance`, async () => {
      const invoice = await create({ asset });
      expect(invoice.address_to).toMatch(/^UQ/);
      pay(invoice);
      await mine();
      const [deposit] = await on.depositsTo(invoice.address_to);
      expect(await read(invoice.order_id)).toMatchObject({
        status: 'confirming',
        txid: deposit?.txid,
        address_from: PAYER.toRawString(),
      });
      await mine();
      expect(await read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
      });
      expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      expect((await balance()).available).toBeCloseTo(25, 4);
      await booksAreRight();
    });

  test('is paid in part and topped up, each time with whatever comment', async () => {
    const invoice = await create({ asset: NATIVE });
    const part = on.due(invoice) / 3n;
    const to = invoice.address_to;
    on.lab.pay({ to, units: part, body: commentBody('123456') });
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('partially_paid');
    on.lab.pay({ to, units: on.due(invoice) - part });
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
    });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'confirming', 'success']);
    await booksAreRight();
  });

  test('N1, N3: what comes back or fails is no payment', async () => {
    const [coins, jettons] = [await create({ asset: NATIVE }), await create()];
    on.lab.pay({ to: coins.address_to, units: on.due(coins), bounce: true });
    const owner = on.lab.addressOf(jettons.address_to);
    on.lab.place(
      on.lab.jetton.walletOf(owner),
      on.lab.jetton.walletState(owner, { status: RECEIVES_NOTHING }),
    );
    pay(jettons);
    await mineToFinality();
    for (const invoice of [coins, jettons]) {
      expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
      expect(await on.depositsTo(invoice.address_to)).toEqual([]);
    }
    await booksAreRight();
  });

  test('N5: jettons that are sent without a notification pay all the same', async () => {
    const invoice = await create();
    on.lab.payJetton({ to: invoice.address_to, units: on.due(invoice), forwardUnits: 0n });
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await booksAreRight();
  });

  test('a payment that a fork removes takes the invoice back, and one on the other branch pays it once', async () => {
    const invoice = await create();
    pay(invoice);
    await mine();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await on.lab.chain.reorg(1);
    await on.settle();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    pay(invoice);
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
    });
    expect((await on.depositsTo(invoice.address_to)).map(({ status }) => status).toSorted()).toEqual([
      'credited',
      'dropped',
    ]);
    await booksAreRight();
  });

  test('U7: a credited payment that a deep fork removes is taken back', async () => {
    const invoice = await create({ asset: NATIVE });
    pay(invoice);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await on.lab.chain.reorg(4);
    await on.settle();
    await on.settle();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'failed', received_amount: 0 });
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'reversed' }]);
    expect((await balance()).available).toBe(0);
    await booksAreRight();
  });

  test.each([
    ['asked whether it stands', 3],
    ['asked whether all agree on the other one, too', 4],
  ])(
    'that was paid long before it was read is credited, though the node told another hash of its block when it was %s',
    async (_, lies) => {
      const invoice = await create({ amount: 500 });
      pay(invoice);
      await on.lab.chain.settle();
      const wallet = on.lab.jetton.walletOf(on.lab.addressOf(invoice.address_to)).toRawString();
      const { hash } = on.lab.last(wallet);
      const paid = Array.from({ length: on.lab.chain.tip.seqno + 1 }, (_each, seqno) => seqno).find((seqno) =>
        on.lab.chain.block(seqno)?.records.some((record) => record.hash.equals(hash)),
      )!;
      await on.lab.mine(60);
      let asked = 0;
      on.lab.server.behave({
        answer: (method, params, result) => {
          if (method !== 'getBlockHeader' || Number(params.seqno) !== paid) return undefined;
          asked += 1;
          // The first time it is read; from then on it is asked whether that block stands.
          if (asked === 1 || asked > lies) return undefined;
          const told = result as { id: object };
          return { ...told, id: { ...told.id, root_hash: Buffer.alloc(32, 1).toString('base64') } };
        },
      });
      await on.settle();
      expect(asked).toBeGreaterThan(lies);
      on.lab.server.behave({});
      for (let round = 0; round < 5; round += 1) await mine();
      expect((await read(invoice.order_id)).status).toBe('success');
      await booksAreRight();
    },
  );

  test('a permanent address takes payments of both assets: an invoice each', async () => {
    const made = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', {
      user_id: 'customer-7',
      family: 'ton',
    });
    expect(made.status).toBe(201);
    const { address } = made.body.result;
    on.lab.pay({ to: address, units: 10_000_000_000n });
    on.lab.payJetton({ to: address, units: 30_000_000n });
    on.lab.payJetton({ to: address, units: 40_000_000n });
    await mineToFinality();
    const answer = await on.it.call(on.merchant.live, 'GET', '/api/v2/invoices?order=asc');
    const opened = answer.body.result.filter(
      (invoice: { permanent_address_id: string | null }) => invoice.permanent_address_id !== null,
    );
    expect(opened).toHaveLength(3);
    for (const invoice of opened) expect(invoice).toMatchObject({ status: 'success', address_to: address });
    await booksAreRight();
  });
});
