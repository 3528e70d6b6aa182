import type { WebhookQueue } from '../../../../src/ports/webhooks/webhook-queue.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function webhookQueue(_store: MemoryStore): WebhookQueue {
  return notYet('webhookQueue');
}
