/**
 * The contract of WebhookRetention: the oldest go, nothing that is still needed does, and pages,
 * totals, numbers and replays stay right.
 */
import { describe, expect, test } from 'bun:test';
import { workerJobs } from '../../../src/app/jobs.ts';
import type { NewDelivery } from '../../../src/ports/webhooks/webhook-outbox.ts';
import { aDelivery, anId, anInvoice, NOW, secondsAfter } from '../../support/builders.ts';
import type { OpenedOperator } from '../lists/operator-queries.ts';
import { openedFor } from '../opened.ts';
import type { OpenedEvents } from './events.ts';

const DAY = 86_400;
const FROM = secondsAfter(-DAY);
const after = (days: number): Date => secondsAfter(days * DAY);
/** An id of that time. */
const idAt = (at: Date): string => at.getTime().toString(16).padStart(12, '0') + anId().slice(12);

export function describeWebhookRetention(
  name: string,
  open: () => Promise<OpenedEvents & OpenedOperator>,
): void {
  describe(`${name}: webhook retention`, () => {
    const storage = openedFor(open);
    const ports = () => storage.ports();

    /** A merchant with an event of each day from day 0 on. */
    async function told(days: number) {
      const { id: merchantId } = await storage.merchant();
      const scope = { merchantId, sandbox: false };
      const deliveries: NewDelivery[] = [];
      for (let day = 0; day < days; day += 1) {
        const invoice = anInvoice({ merchantId, version: 1 });
        const delivery = aDelivery({
          ...{ id: idAt(after(day)), merchantId, invoiceId: invoice.id, invoiceVersion: 1 },
          ...{ eventAt: after(day), dueAt: after(day), body: '{"status":"success"}' },
        });
        await storage.run(async (r) => {
          await r.invoices.insert(invoice);
          await r.webhooks.enqueue(delivery);
        });
        deliveries.push(delivery);
      }
      return { scope, deliveries };
    }

    async function attempted(
      { id }: NewDelivery,
      sentAt: Date,
      state: 'delivered' | 'dead' | 'pending' = 'delivered',
    ): Promise<void> {
      const { webhookQueue } = ports();
      const delivery = await webhookQueue.claimOne(id, { now: sentAt, leaseSeconds: 60 });
      if (delivery === null) throw new Error('not claimed');
      const next = state === 'pending' ? { state, dueAt: sentAt } : { state };
      await webhookQueue.record([
        { attemptId: anId(), delivery, statusCode: 200, responseBody: 'ok', sentAt, next },
      ]);
    }

    const remove = (what: 'removeAttempts' | 'removeEvents' | 'removeReplays', before: Date, limit = 100) =>
      storage.run((r) => r.webhookRetention[what]({ from: FROM, before }, limit));
    async function removeAll(before: Date): Promise<void> {
      for (const what of ['removeAttempts', 'removeEvents', 'removeReplays'] as const)
        while ((await remove(what, before)) > 0);
    }
    const log = (scope: { merchantId: string; sandbox: boolean }, page = 1, perPage = 2) =>
      ports().queries.notifications(
        scope,
        { from: null, to: null, invoiceId: null, payoutId: null },
        { page, perPage },
      );
    const seqsOf = async (scope: { merchantId: string; sandbox: boolean }, from = 0) =>
      (await ports().queries.events(scope, { after: from, limit: 100 })).events.map(({ seq }) => seq);

    test('the oldest attempts and events go in batches, and pages, totals and numbers stay exact', async () => {
      const { scope, deliveries } = await told(6);
      for (const [day, delivery] of deliveries.entries()) await attempted(delivery, after(day));
      expect(await log(scope)).toMatchObject({ total: 6 });
      expect(await remove('removeAttempts', after(3), 2)).toBe(2);
      expect(await log(scope)).toMatchObject({ total: 4 });
      await removeAll(after(3));
      const pages = [await log(scope, 1), await log(scope, 2), await log(scope, 3)];
      expect(pages.map(({ total }) => total)).toEqual([3, 3, 3]);
      expect(pages.map(({ rows }) => rows.map(({ eventSeq }) => eventSeq))).toEqual([[6, 5], [4], []]);
      expect(await seqsOf(scope)).toEqual([4, 5, 6]);
      expect(await seqsOf(scope, 4)).toEqual([5, 6]);
      const dated = { from: after(4), to: after(5), invoiceId: null, payoutId: null };
      expect(await ports().queries.notifications(scope, dated, { page: 1, perPage: 1 })).toMatchObject({
        total: 2,
        rows: [{ eventSeq: 6 }],
      });
      // The numbers go on.
      const invoice = anInvoice({ merchantId: scope.merchantId });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.webhooks.enqueue(aDelivery({ ...scope, invoiceId: invoice.id, eventAt: after(7) }));
      });
      expect(await ports().queries.events(scope, { after: 6, limit: 9 })).toMatchObject({
        events: [{ seq: 7 }],
        last: 7,
      });
      expect(await storage.ports().operatorQueries.reconciliationFaults()).toEqual([]);
    });

    /** A run of the job that keeps 365 days, with its clock; `seen` is the time by the chains. */
    async function runJob(clock: Date, seen: Date): Promise<void> {
      await storage.run(async ({ chains }) => {
        const block = { height: 1, hash: anId(), coveredUntil: seen, finalizedHeight: 1 };
        await chains.moveCursor('ethereum', await chains.cursor('ethereum'), block);
      });
      const deps = { unitOfWork: { run: storage.run }, clock: { now: () => clock } };
      const parts = { watchers: [], retention: { webhookDays: 365, signedDays: 0, unpaidDays: 0 } };
      const [its, these] = [deps, parts] as unknown as Parameters<typeof workerJobs>;
      await workerJobs(its, these)
        .find(({ name: job }) => job === 'forget-webhooks')
        ?.run();
    }

    test('a run of the job removes what is old of every merchant', async () => {
      const merchants = [await told(3), await told(3)];
      for (const { deliveries } of merchants)
        for (const [day, delivery] of deliveries.entries()) await attempted(delivery, after(day));
      await runJob(after(365 + 2), after(365 + 2));
      for (const { scope } of merchants) {
        expect(await log(scope)).toMatchObject({ total: 1 });
        expect(await seqsOf(scope)).toEqual([3]);
      }
    });

    test('K7: a clock that is ahead of the chains removes nothing early', async () => {
      const { scope, deliveries } = await told(3);
      for (const [day, delivery] of deliveries.entries()) await attempted(delivery, after(day));
      await runJob(after(400), after(365));
      expect(await log(scope)).toMatchObject({ total: 3 });
      await runJob(after(400), after(365 + 1));
      expect(await log(scope)).toMatchObject({ total: 2 });
    });

    test('K7: what a clock far behind wrote is not old', async () => {
      const { scope, deliveries } = await told(1);
      const [event] = deliveries as [NewDelivery];
      const replay = aDelivery({
        ...{ ...scope, id: idAt(new Date(5)), invoiceId: event.invoiceId, invoiceVersion: null },
        ...{ eventAt: null, dueAt: new Date(5) },
      });
      const invoice = anInvoice({ ...scope, version: 1 });
      const { id: merchantId } = await storage.merchant();
      const first = anInvoice({ merchantId, version: 1 });
      const early = aDelivery({
        ...{ merchantId, invoiceId: first.id, invoiceVersion: 1, eventAt: new Date(5), dueAt: new Date(5) },
      });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.invoices.insert(first);
        await r.webhooks.enqueue(replay);
        await r.webhooks.enqueue(early);
      });
      await attempted(replay, new Date(5));
      await attempted(early, new Date(5));
      await removeAll(after(9));
      expect(await log(scope)).toMatchObject({ total: 1 });
      expect(await seqsOf({ merchantId, sandbox: false })).toEqual([1]);
    });

    test('all that is old may go, and a list without rows has none', async () => {
      const { scope, deliveries } = await told(2);
      for (const [day, delivery] of deliveries.entries()) await attempted(delivery, after(day));
      await removeAll(after(100));
      expect(await log(scope)).toEqual({ rows: [], total: 0 });
      expect(await ports().queries.events(scope, { after: 0, limit: 9 })).toEqual({ events: [], last: 2 });
      await removeAll(after(100));
      expect(await storage.ports().operatorQueries.reconciliationFaults()).toEqual([]);
    });

    test('what is still to be delivered stays, and all after it', async () => {
      const { scope, deliveries } = await told(4);
      const [first, second, third, fourth] = deliveries as [
        NewDelivery,
        NewDelivery,
        NewDelivery,
        NewDelivery,
      ];
      await attempted(first, after(0));
      await attempted(second, after(1), 'pending');
      await attempted(third, after(2));
      await attempted(fourth, after(3), 'dead');
      await removeAll(after(100));
      expect(await seqsOf(scope)).toEqual([2, 3, 4]);
      await attempted(second, after(50), 'dead');
      // Given up lately: its merchant may want it again.
      await removeAll(after(40));
      expect(await seqsOf(scope)).toEqual([2, 3, 4]);
      await removeAll(after(51));
      expect(await seqsOf(scope)).toEqual([]);
      expect(await storage.run((r) => r.webhooks.givenUp(scope, { id: null, most: 9 }))).toEqual([]);
    });

    test('an event with a later attempt, of a replay for example, stays with it', async () => {
      const { scope, deliveries } = await told(2);
      const [first, second] = deliveries as [NewDelivery, NewDelivery];
      await attempted(first, after(0));
      await attempted(second, after(1));
      await storage.run((r) =>
        r.webhooks.tellAgain([{ id: first.id, url: 'https://shop.example/h' }], after(20)),
      );
      await attempted(first, after(20));
      await removeAll(after(10));
      expect(await seqsOf(scope)).toEqual([1, 2]);
      expect(await log(scope)).toMatchObject({ total: 1, rows: [{ eventSeq: 1 }] });
      await removeAll(after(21));
      expect(await seqsOf(scope)).toEqual([]);
    });

    test('replays go by their age, unless they wait', async () => {
      const { scope, deliveries } = await told(1);
      const [event] = deliveries as [NewDelivery];
      const replay = (at: Date) =>
        aDelivery({
          ...{ ...scope, id: idAt(at), invoiceId: event.invoiceId, invoiceVersion: null },
          ...{ eventAt: null, dueAt: at },
        });
      const [old, waiting, late] = [replay(after(1)), replay(after(2)), replay(after(9))];
      await storage.run(async (r) => {
        for (const each of [old, waiting, late]) await r.webhooks.enqueue(each);
      });
      await attempted(event, after(0));
      await attempted(old, after(1));
      await remove('removeAttempts', after(5));
      expect(await remove('removeReplays', after(5))).toBe(1);
      await attempted(waiting, after(6));
      await attempted(late, after(9));
      await remove('removeAttempts', after(8));
      expect(await remove('removeReplays', after(8))).toBe(1);
      expect(await remove('removeReplays', after(8))).toBe(0);
    });

    test('replays of events begin after those that are gone', async () => {
      const { scope, deliveries } = await told(40);
      for (const [day, delivery] of deliveries.entries()) await attempted(delivery, after(day));
      await removeAll(after(20));
      const wanted = { after: 0, from: after(30), to: null, statuses: null, undelivered: false };
      const found = await storage.run((r) => r.webhooks.toTellAgain(scope, wanted, 100));
      expect(found).toMatchObject({ last: 40, more: false });
      expect(found.deliveries).toHaveLength(10);
      const all = await storage.run((r) => r.webhooks.toTellAgain(scope, { ...wanted, from: null }, 100));
      expect(all.deliveries).toHaveLength(20);
    });

    test('several workers at once remove each row once', async () => {
      const { scope, deliveries } = await told(12);
      for (const [day, delivery] of deliveries.entries()) await attempted(delivery, after(day));
      const removed = await Promise.all(
        Array.from({ length: 6 }, () => remove('removeAttempts', after(10), 3)),
      );
      await removeAll(after(10));
      expect(removed.every((count) => count <= 3)).toBe(true);
      expect(await log(scope)).toMatchObject({ total: 2 });
      expect(await seqsOf(scope)).toEqual([11, 12]);
      expect(NOW < after(1)).toBe(true);
    });
  });
}
