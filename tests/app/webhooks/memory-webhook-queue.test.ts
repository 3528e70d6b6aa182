/**
 * The queue in memory, which the dispatcher's tests run on, is held to the contracts of the real
 * one.
 */
import { describeReceiverCircuits } from '../../contracts/webhooks/receiver-circuits.ts';
import { describeWebhookLanes } from '../../contracts/webhooks/webhook-lanes.ts';
import { anId } from '../../support/builders.ts';
import type { OpenedLanes } from '../../support/webhooks/lane-desk.ts';
import { memoryWebhookQueue } from '../../support/webhooks/memory-webhook-queue.ts';

async function open(): Promise<OpenedLanes> {
  const queue = memoryWebhookQueue();
  return {
    webhookQueue: queue,
    receiverCircuits: queue.circuits,
    merchant: async () => anId(),
    enqueue: async (deliveries) => queue.enqueue(deliveries),
    close: async () => undefined,
  };
}

describeWebhookLanes('memory', open);
describeReceiverCircuits('memory', open);
