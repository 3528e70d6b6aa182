/**
 * A payment that leaves the chain before it was final and is mined after all, in a later block
 * under the same id: it is credited once, to the invoice if that still takes it, and the merchant
 * is told each state that the invoice takes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))(
  'a payment that was dropped and is mined after all',
  () => {
    let journey: FakeJourney;
    beforeAll(async () => {
      journey = await openFakeJourney();
      journey.chain().mine(20);
      await journey.it.settle();
    });
    afterAll(() => journey.close());

    type Deposits = readonly { readonly status: string; readonly strayReason: string | null }[];
    const depositsTo = async ({ address_to }: Json): Promise<Deposits> => {
      const all = await journey.it.service.dependencies.operatorQueries.deposits({
        statuses: ['confirming', 'arrived', 'credited', 'held', 'rejected', 'stray', 'dropped', 'reversed'],
        sandbox: false,
        limit: 1_000,
      });
      return all.filter((deposit) => deposit.address === address_to.toLowerCase());
    };
    async function pay(invoice: Json, amount = '25.25'): Promise<string> {
      const txid = journey.pay(invoice, amount);
      await mined(2);
      return txid;
    }
    async function mined(blocks: number): Promise<void> {
      journey.chain().mine(blocks);
      await journey.it.settle();
    }
    /** The last blocks are replaced by empty ones. */
    async function replaced(blocks: number): Promise<void> {
      journey.chain().reorg(blocks);
      await journey.it.settle(3);
    }
    async function minedAfterAll(txid: string): Promise<void> {
      journey.chain().sendAgain(txid);
      await journey.mineToFinality();
      await journey.it.settle();
    }
    /**
     * What the invoice says, what became of the payments to it, and what its merchant was told of
     * it and has earned since.
     */
    async function stateOf(invoice: Json, before: number) {
      const { status, received_amount: received } = await journey.read(invoice.order_id);
      const payments = (await depositsTo(invoice)).map((one) => [one.status, one.strayReason]);
      const earned = Math.round(((await journey.balance()).total_income - before) * 1e6) / 1e6;
      await journey.booksAreRight();
      return { status, received, payments, told: journey.statusesSent(invoice.order_id), earned };
    }
    const income = async (): Promise<number> => (await journey.balance()).total_income;

    test('in time is confirming again, and credited once', async () => {
      const [invoice, before] = [await journey.create(), await income()];
      const txid = await pay(invoice);
      await replaced(2);
      expect(await stateOf(invoice, before)).toEqual({
        ...{ status: 'created', received: 0, payments: [['dropped', null]] },
        ...{ told: ['confirming'], earned: 0 },
      });
      await minedAfterAll(txid);
      const paid = {
        ...{ status: 'success', received: 25.25, payments: [['credited', null]] },
        ...{ told: ['confirming', 'confirming', 'success'], earned: 25 },
      };
      expect(await stateOf(invoice, before)).toEqual(paid);
      await journey.mineToFinality();
      expect(await stateOf(invoice, before)).toEqual(paid);
    });

    test('when it only waited, and twice, is credited once', async () => {
      const [invoice, before] = [await journey.create(), await income()];
      const txid = journey.pay(invoice, '25.25');
      await journey.it.settle();
      for (let times = 0; times < 2; times += 1) {
        journey.chain().drop(txid);
        await journey.it.settle();
        expect(await stateOf(invoice, before)).toMatchObject({ status: 'created', received: 0, earned: 0 });
        journey.chain().sendAgain(txid);
        await journey.it.settle();
        expect(await stateOf(invoice, before)).toMatchObject({ status: 'confirming', received: 25.25 });
      }
      await journey.mineToFinality();
      await journey.it.settle();
      expect(await stateOf(invoice, before)).toEqual({
        ...{ status: 'success', received: 25.25, payments: [['credited', null]] },
        ...{ told: ['confirming', 'confirming', 'confirming', 'success'], earned: 25 },
      });
    });

    test('when the time was over and the invoice had failed, pays it after all', async () => {
      const [invoice, before] = [await journey.create({ ttl: 300 }), await income()];
      const txid = await pay(invoice);
      journey.clock.advance(400);
      await mined(1);
      await replaced(3);
      expect(await stateOf(invoice, before)).toEqual({
        ...{ status: 'failed', received: 0, payments: [['dropped', null]] },
        ...{ told: ['confirming', 'failed'], earned: 0 },
      });
      await minedAfterAll(txid);
      expect(await stateOf(invoice, before)).toEqual({
        ...{ status: 'success', received: 25.25, payments: [['credited', null]] },
        ...{ told: ['confirming', 'failed', 'confirming', 'success'], earned: 25 },
      });
    });

    test('when the invoice had expired, is a stray, and nobody is told that it was paid', async () => {
      const [invoice, before] = [await journey.create({ ttl: 300 }), await income()];
      const txid = await pay(invoice);
      await replaced(2);
      journey.clock.advance(400);
      await mined(1);
      expect(await stateOf(invoice, before)).toMatchObject({ status: 'expired', received: 0 });
      await minedAfterAll(txid);
      expect(await stateOf(invoice, before)).toEqual({
        ...{ status: 'expired', received: 0, payments: [['stray', 'came_back_late']] },
        ...{ told: ['confirming'], earned: 0 },
      });
    });

    test('when the customer had paid again, is a stray beside the second payment', async () => {
      const [invoice, before] = [await journey.create(), await income()];
      const txid = await pay(invoice);
      await replaced(2);
      await pay(invoice);
      await journey.mineToFinality();
      const once = {
        status: 'success',
        received: 25.25,
        earned: 25,
        told: ['confirming', 'confirming', 'success'],
      };
      expect(await stateOf(invoice, before)).toMatchObject(once);
      await minedAfterAll(txid);
      const { payments, ...state } = await stateOf(invoice, before);
      expect(state).toEqual(once);
      expect(payments).toHaveLength(2);
      expect(payments).toContainEqual(['credited', null]);
      expect(payments).toContainEqual(['stray', 'came_back_late']);
    });

    test('when it was a part, completes what the other part began', async () => {
      const [invoice, before] = [await journey.create(), await income()];
      const txid = await pay(invoice, '15.25');
      await replaced(2);
      await pay(invoice, '10');
      await journey.mineToFinality();
      await journey.it.settle();
      expect(await stateOf(invoice, before)).toMatchObject({ status: 'partially_paid', received: 10 });
      await minedAfterAll(txid);
      expect(await stateOf(invoice, before)).toMatchObject({
        ...{ status: 'success', received: 25.25, earned: 25 },
        told: ['confirming', 'confirming', 'partially_paid', 'confirming', 'success'],
      });
    });

    test('at a permanent address, pays the invoice that it had opened, and opens no other', async () => {
      const made = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/permanent', {
        user_id: 'user-1',
        family: 'evm',
      });
      const newest = async () =>
        (await journey.it.call(journey.merchant.live, 'GET', '/api/v2/invoices?per_page=1')).body;
      const before = await income();
      const txid = await pay({ address_to: made.body.result.address }, '40');
      await replaced(2);
      const opened = await newest();
      expect(opened.result[0]).toMatchObject({ status: 'created', received_amount: 0, user_id: 'user-1' });
      await minedAfterAll(txid);
      expect(await stateOf(opened.result[0], before)).toEqual({
        ...{ status: 'success', received: 40, payments: [['credited', null]] },
        ...{ told: ['confirming', 'confirming', 'success'], earned: 39.6 },
      });
      expect((await newest()).pagination.total).toBe(opened.pagination.total);
    });

    test('after it had been credited, is credited once in all', async () => {
      const [invoice, before] = [await journey.create(), await income()];
      const txid = await pay(invoice);
      await journey.mineToFinality();
      await journey.it.settle();
      await replaced(14);
      expect(await stateOf(invoice, before)).toMatchObject({ status: 'failed', received: 0, earned: 0 });
      await minedAfterAll(txid);
      expect(await stateOf(invoice, before)).toEqual({
        ...{ status: 'success', received: 25.25, payments: [['credited', null]] },
        ...{ told: ['confirming', 'success', 'failed', 'confirming', 'success'], earned: 25 },
      });
    });
  },
);
