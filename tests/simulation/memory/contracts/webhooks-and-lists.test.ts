/** The contracts of webhooks, events and lists, on the storage in memory. */

import { expect, test } from 'bun:test';
import type { UnitOfWork } from '../../../../src/ports/repositories.ts';
import { describeFeedLists } from '../../../contracts/lists/feed-lists.ts';
import { describeFoundRows } from '../../../contracts/lists/found-rows.ts';
import { describeLists } from '../../../contracts/lists/lists.ts';
import { describeQueries } from '../../../contracts/lists/queries.ts';
import { describeWholeLists } from '../../../contracts/lists/whole-lists.ts';
import type { OpenedEvents } from '../../../contracts/webhooks/events.ts';
import { describeEvents } from '../../../contracts/webhooks/events.ts';
import { describeEventsAgain } from '../../../contracts/webhooks/events-again.ts';
import { describeReceiverCircuits } from '../../../contracts/webhooks/receiver-circuits.ts';
import { describeWebhookLanes } from '../../../contracts/webhooks/webhook-lanes.ts';
import { describeWebhookQueue } from '../../../contracts/webhooks/webhook-queue.ts';
import { describeWebhookRetention } from '../../../contracts/webhooks/webhook-retention.ts';
import { aDelivery, aMerchant, anId, anInvoice, NOW, secondsAfter } from '../../../support/builders.ts';
import { lanesOn, type OpenedLanes } from '../../../support/webhooks/lane-desk.ts';
import { memoryDatabase } from '../memory-database.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const { ports } = memoryDatabase(memoryStore());
  const { unitOfWork, queries, webhookQueue, receiverCircuits, operatorQueries } = ports;
  return {
    ...{ unitOfWork, queries, webhookQueue, receiverCircuits, operatorQueries },
    close: async () => undefined,
  } satisfies OpenedEvents & Pick<OpenedLanes, 'receiverCircuits'>;
}

const openLanes = async () => lanesOn(await open());

async function anInvoiceIn(unitOfWork: UnitOfWork) {
  const merchant = aMerchant();
  const scope = { merchantId: merchant.id, sandbox: false };
  const invoice = anInvoice(scope);
  await unitOfWork.run(async (r) => {
    await r.merchants.insert(merchant);
    await r.invoices.insert(invoice);
  });
  return { scope, invoice };
}

// As tests/adapters/postgres/webhooks/webhook-outbox.test.ts: an older process creates merchants
// without the counter.
test('the events of a merchant without a counter are numbered from 1 on', async () => {
  const store = memoryStore();
  const { unitOfWork, queries } = memoryDatabase(store).ports;
  const { scope, invoice } = await anInvoiceIn(unitOfWork);
  await store.write(() => {
    const { counters } = store.tables;
    for (const counter of counters.where(({ stream }) => stream === 'events')) counters.delete(counter);
  });
  expect((await queries.events(scope, { after: 0, limit: 9 })).last).toBe(0);
  const tell = (...told: readonly (readonly [version: number, at: Date])[]) =>
    unitOfWork.run(async ({ webhooks }) => {
      for (const [invoiceVersion, eventAt] of told)
        await webhooks.enqueue(aDelivery({ ...scope, invoiceId: invoice.id, invoiceVersion, eventAt }));
    });
  await Promise.all([tell([1, NOW], [2, secondsAfter(5)]), tell([3, secondsAfter(1)])]);
  const { events, last } = await queries.events(scope, { after: 0, limit: 9 });
  expect(events.map(({ seq, createdAt }) => [seq, createdAt])).toEqual(
    [1, 2, 3].map((seq) => [seq, secondsAfter(5)]),
  );
  expect(last).toBe(3);
});

test('a delivery of a transaction that failed is not written by the next one', async () => {
  const { unitOfWork, queries } = memoryDatabase(memoryStore()).ports;
  const { scope, invoice } = await anInvoiceIn(unitOfWork);
  const delivery = aDelivery({ ...scope, invoiceId: invoice.id });
  const failed = unitOfWork.run(async (r) => {
    await r.webhooks.enqueue(delivery);
    throw new Error('undone');
  });
  await expect(failed).rejects.toThrow('undone');
  await unitOfWork.run((r) => r.webhooks.enqueue({ ...delivery, id: anId(), invoiceVersion: 2 }));
  expect((await queries.events(scope, { after: 0, limit: 9 })).events).toHaveLength(1);
});

describeQueries('memory', open);
describeLists('memory', open);
describeFoundRows('memory', open);
describeWholeLists('memory', open);
describeFeedLists('memory', open);
describeEvents('memory', open);
describeWebhookRetention('memory', open);
describeEventsAgain('memory', open);
describeWebhookQueue('memory', open);
describeWebhookLanes('memory', openLanes);
describeReceiverCircuits('memory', openLanes);
