/** The contracts of webhooks, events and lists, on the storage in memory. */

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
import { aMerchant, anInvoice } from '../../../support/builders.ts';
import type { OpenedLanes } from '../../../support/webhooks/lane-desk.ts';
import { memoryDatabase } from '../memory-database.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const { ports } = memoryDatabase(memoryStore());
  const { unitOfWork, queries, webhookQueue, receiverCircuits } = ports;
  return {
    ...{ unitOfWork, queries, webhookQueue, receiverCircuits },
    close: async () => undefined,
  } satisfies OpenedEvents & Pick<OpenedLanes, 'receiverCircuits'>;
}

/** Each delivery with an invoice of its own. */
async function openLanes(): Promise<OpenedLanes> {
  const { unitOfWork, webhookQueue, receiverCircuits, close } = await open();
  return {
    ...{ webhookQueue, receiverCircuits, close },
    async merchant() {
      const merchant = aMerchant();
      await unitOfWork.run((repositories) => repositories.merchants.insert(merchant));
      return merchant.id;
    },
    enqueue: (deliveries) =>
      unitOfWork.run(async (repositories) => {
        for (const delivery of deliveries) {
          const { merchantId } = delivery;
          const id = delivery.invoiceId ?? '';
          await repositories.invoices.insert(anInvoice({ id, merchantId }));
          await repositories.webhooks.enqueue(delivery);
        }
      }),
  };
}

describeQueries('memory', open);
describeLists('memory', open);
describeFoundRows('memory', open);
describeWholeLists('memory', open);
describeFeedLists('memory', open);
describeEvents('memory', open);
describeEventsAgain('memory', open);
describeWebhookQueue('memory', open);
describeWebhookLanes('memory', openLanes);
describeReceiverCircuits('memory', openLanes);
