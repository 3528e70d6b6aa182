import type { WebhookSecretRepository } from '../../../../src/ports/webhooks/webhook-secrets.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function webhookSecretRepository(_store: MemoryStore): WebhookSecretRepository {
  return notYet('webhookSecretRepository');
}
