/**
 * Invoices paid on real nodes of Bitcoin, Litecoin and Bitcoin Cash: at once, in parts, twice in
 * one transaction, reorganised, replaced.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageUtxoJourney } from '../../support/utxo/utxo-journey.ts';
import { BITCOIN, UTXO_CHAINS } from '../../support/utxo/utxo-nodes.ts';

const sources = [
  ...UTXO_CHAINS.map((chain) => ({ chain, over: 'rpc' as const })),
  { chain: BITCOIN, over: 'esplora' as const },
  { chain: BITCOIN, over: 'electrum' as const },
];

for (const { chain, over } of sources) {
  const ready = [chain.there(), needs('postgres', postgresAvailable())].every(Boolean);
  describe.skipIf(!ready)(`an invoice on ${chain.family} over ${over}`, () => {
    const on = stageUtxoJourney(chain, over);
    const { create, read, pay, settle, mineToFinality, statusesSent, balance, booksAreRight } = on;

    test('is confirming while the payment waits, and success when it is final', async () => {
      const invoice = await create();
      const { txid } = await pay(invoice);
      await settle();
      expect(await read(invoice.order_id)).toMatchObject({ status: 'confirming', txid });
      await on.node.mine(2);
      await settle();
      expect((await read(invoice.order_id)).status).toBe('confirming');
      await on.node.mine(1);
      await settle();
      expect(await read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
        txid,
        address_from: null,
      });
      expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      expect((await balance()).available).toBeCloseTo(25, 4);
      await booksAreRight();
    });

    test('is paid in part and topped up', async () => {
      const invoice = await create();
      const part = on.due(invoice) / 3n;
      await pay(invoice, part);
      await mineToFinality();
      expect((await read(invoice.order_id)).status).toBe('partially_paid');
      await pay(invoice, on.due(invoice) - part);
      await mineToFinality();
      expect(await read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
      });
      expect(statusesSent(invoice.order_id)).toEqual([
        'confirming',
        'partially_paid',
        'confirming',
        'success',
      ]);
      await booksAreRight();
    });

    test('U1: two outputs of one transaction to its address are two deposits, and both count', async () => {
      const invoice = await create();
      const half = on.due(invoice) / 2n;
      const to = invoice.address_to;
      const { txid } = await on.node.pay([
        { to, units: half },
        { to: on.node.freshAddress(), units: 50_000n },
        { to, units: on.due(invoice) - half },
      ]);
      await mineToFinality();
      expect((await read(invoice.order_id)).status).toBe('success');
      const deposits = await on.depositsTo(to);
      expect(deposits.map(({ output }) => output).toSorted()).toEqual(['vout:0', 'vout:2']);
      expect(deposits).toMatchObject([
        { txid, status: 'credited' },
        { txid, status: 'credited' },
      ]);
      await booksAreRight();
    });

    test('a payment that a reorganisation puts back into the mempool stays confirming, and is credited once', async () => {
      const invoice = await create();
      await pay(invoice);
      await on.node.mine(2);
      await settle();
      await on.node.reorg(2);
      await settle();
      expect((await read(invoice.order_id)).status).toBe('confirming');
      await mineToFinality();
      expect((await read(invoice.order_id)).status).toBe('success');
      expect(await on.depositsTo(invoice.address_to)).toHaveLength(1);
      expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      await booksAreRight();
    });

    test('a payment that a reorganisation replaces by one to somebody else takes the invoice back', async () => {
      const invoice = await create();
      await pay(invoice);
      await on.node.mine(1);
      await settle();
      expect((await read(invoice.order_id)).status).toBe('confirming');
      await on.node.reorgAway(1);
      await settle();
      expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
      expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'dropped' }]);
      await mineToFinality();
      expect((await balance()).available).toBe(0);
      await booksAreRight();
    });

    test('U7: a credited payment that a deep reorganisation removes is taken back', async () => {
      const invoice = await create();
      await pay(invoice);
      await mineToFinality();
      expect((await read(invoice.order_id)).status).toBe('success');
      await on.node.reorgAway(5);
      await settle();
      await settle();
      expect(await read(invoice.order_id)).toMatchObject({ status: 'failed', received_amount: 0 });
      expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'reversed' }]);
      expect((await balance()).available).toBe(0);
      await booksAreRight();
    });

    test('a permanent address takes three payments: an invoice each', async () => {
      const made = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', {
        user_id: 'customer-7',
        family: chain.family,
      });
      expect(made.status).toBe(201);
      const { address } = made.body.result;
      const units = on.due(await create());
      for (const factor of [1n, 2n, 3n]) await on.node.pay([{ to: address, units: units * factor }]);
      await mineToFinality();
      const answer = await on.it.call(on.merchant.live, 'GET', '/api/v2/invoices?order=asc');
      const opened = answer.body.result.filter(
        (invoice: { permanent_address_id: string | null }) => invoice.permanent_address_id !== null,
      );
      expect(opened).toHaveLength(3);
      for (const invoice of opened) {
        expect(invoice).toMatchObject({ status: 'success', address_to: address });
        expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      }
      await booksAreRight();
    });
  });
}
