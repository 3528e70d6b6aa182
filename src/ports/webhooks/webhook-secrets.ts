/** Webhook secrets (standardwebhooks.com): one per merchant and environment, in an overlap two. */
import type { Environment } from '../../domain/environment.ts';

export interface WebhookSecretRepository {
  /** Stores the first secret; an existing one stays. */
  putFirst(secret: StoredSecret): Promise<void>;
  /**
   * Stores another secret. The previous one also signs until `olderUntil`, or ends immediately if
   * that is null. A secret before that one ends immediately.
   */
  put(secret: StoredSecret, olderUntil: Date | null): Promise<void>;
  /** Null before the first one. The older one may have ended. */
  find(merchantId: string, environment: Environment): Promise<FoundSecrets | null>;
  /**
   * Ends an overlap's older one at `until`, or immediately (null); false if none signs at `now`.
   */
  endOlder(
    merchantId: string,
    environment: Environment,
    when: { now: Date; until: Date | null },
  ): Promise<boolean>;
}

export interface StoredSecret {
  readonly merchantId: string;
  readonly environment: Environment;
  /** `whsec_` and base64, sealed (ports/runtime/vault.ts). */
  readonly sealed: string;
  readonly createdAt: Date;
}

export interface FoundSecrets {
  readonly sealed: string;
  readonly createdAt: Date;
  readonly older: { readonly sealed: string; readonly until: Date } | null;
}
