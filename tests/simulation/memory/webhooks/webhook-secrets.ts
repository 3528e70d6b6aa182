/** Webhook secrets in memory: one row per merchant and environment holds both of an overlap. */
import { secretsFromRow } from '../../../../src/adapters/postgres/webhooks/webhook-secrets.ts';
import type {
  StoredSecret,
  WebhookSecretRepository,
} from '../../../../src/ports/webhooks/webhook-secrets.ts';
import { isSandbox } from '../merchants/keys.ts';
import type { MemoryStore } from '../store/memory-store.ts';

export function webhookSecretRepository(store: MemoryStore): WebhookSecretRepository {
  const { webhookSecrets } = store.tables;
  return {
    async putFirst(secret) {
      webhookSecrets.insertUnlessThere(rowOf(secret));
    },

    async put(secret, olderUntil) {
      const { sealed, createdAt } = secret;
      webhookSecrets.insertOrUpdate(rowOf(secret), (before) => ({
        ...{ sealed, createdAt, olderUntil },
        olderSealed: olderUntil === null ? null : before.sealed,
      }));
    },

    async find(merchantId, environment) {
      const row = webhookSecrets.find(merchantId, isSandbox(environment));
      return row === undefined ? null : secretsFromRow(row);
    },

    async endOlder(merchantId, environment, { now, until }) {
      const row = webhookSecrets.find(merchantId, isSandbox(environment));
      if (row === undefined || row.olderUntil === null) return false;
      const signed = row.olderUntil > now;
      const ended = { olderUntil: null, olderSealed: null };
      webhookSecrets.update(row, signed && until !== null ? { olderUntil: until } : ended);
      return signed;
    },
  };
}

function rowOf({ merchantId, environment, sealed, createdAt }: StoredSecret) {
  return { merchantId, sandbox: isSandbox(environment), sealed, createdAt };
}
