/** Whose turn it is when there is less room than there are webhooks. */
import { expect, test } from 'bun:test';
import type { DeliverySlots } from '../../../src/app/webhooks/delivery-slots.ts';
import { dueDeliveries } from '../../../src/app/webhooks/due-deliveries.ts';
import { aDelivery, anId } from '../../support/builders.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { memoryWebhookQueue } from '../../support/webhooks/memory-webhook-queue.ts';

/** Room for one webhook at each claim. */
function oneAtATime(): DeliverySlots {
  let version = 0;
  return {
    share: ([lane]) => (lane === undefined ? [] : [{ lane, most: 1 }]),
    version: () => ++version,
    figures: () => ({ inFlight: 0, limit: 1 }),
    ...{ giveBack: () => {}, adapt: () => {}, forget: () => {} },
  };
}

test('W1: merchants take turns, however many destinations one of them has, and so do the destinations of one', async () => {
  const queue = memoryWebhookQueue();
  const clock = testClock();
  const [wide, narrow] = [anId(), anId()];
  const enqueue = (merchantId: string, host: string) => {
    const place = { merchantId, invoiceId: anId(), invoiceVersion: null, dueAt: clock.now() };
    for (let nth = 0; nth < 9; nth += 1)
      queue.enqueue([aDelivery({ ...place, url: `https://${host}.example/` })]);
  };
  for (const host of ['a', 'b', 'c']) enqueue(wide, host);
  enqueue(narrow, 'd');
  const due = dueDeliveries({ clock, webhookQueue: queue, receiverCircuits: queue.circuits }, oneAtATime());
  const claimed: string[] = [];
  for (let turn = 0; turn < 12; turn += 1)
    for (const { url } of await due.claim(turn === 0)) claimed.push(new URL(url).host[0] ?? '');
  expect(claimed.join('')).toBe('adbdcdadbdcd');
});
