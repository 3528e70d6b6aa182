/** The API keys of a merchant and environment in memory, and those that sign its webhooks. */
import { signingKeysFromRow } from '../../../../src/adapters/postgres/merchants/signing-keys.ts';
import type { Environment } from '../../../../src/domain/environment.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { SigningKeys } from '../../../../src/ports/webhooks/webhook-signer.ts';
import type { MemoryStore } from '../store/memory-store.ts';

type ApiKeyRow = NonNullable<ReturnType<MemoryStore['tables']['apiKeys']['find']>>;

export function isSandbox(environment: Environment): boolean {
  return environment === 'sandbox';
}

/** The newest key; there is at most one. */
export function activeKey({ tables }: MemoryStore, { merchantId, sandbox }: Scope): ApiKeyRow | undefined {
  return tables.apiKeys
    .by('merchantId', merchantId)
    .find((key) => key.sandbox === sandbox && key.revokedAt === null);
}

/** The key before it in an overlap, perhaps one that has ended; there is at most one. */
export function olderKey({ tables }: MemoryStore, { merchantId, sandbox }: Scope): ApiKeyRow | undefined {
  return tables.apiKeys
    .by('merchantId', merchantId)
    .find((key) => key.sandbox === sandbox && key.livesUntil !== null);
}

export function livesAfter({ livesUntil }: Pick<ApiKeyRow, 'livesUntil'>, now: Date): boolean {
  return livesUntil !== null && livesUntil > now;
}

/** Null if no key was ever issued. */
export function signingKeysOf(store: MemoryStore, scope: Scope, now: Date): SigningKeys | null {
  const newest = activeKey(store, scope);
  const older = olderKey(store, scope);
  const secret = store.tables.webhookSecrets.find(scope.merchantId, scope.sandbox);
  const olderSecretSigns = secret !== undefined && secret.olderUntil !== null && secret.olderUntil > now;
  return signingKeysFromRow({
    newestKey: newest?.sealed ?? null,
    newestUsed: newest !== undefined && newest.firstUsedAt !== null,
    olderKey: older !== undefined && livesAfter(older, now) ? older.sealed : null,
    newestSecret: secret?.sealed ?? null,
    olderSecret: olderSecretSigns ? secret.olderSealed : null,
  });
}
