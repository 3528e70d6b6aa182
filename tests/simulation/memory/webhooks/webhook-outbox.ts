import type { WebhookOutbox } from '../../../../src/ports/webhooks/webhook-outbox.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function webhookOutbox(_store: MemoryStore): WebhookOutbox {
  return notYet('webhookOutbox');
}
