/** Webhook secrets (standardwebhooks.com): one of each merchant and environment, and in an overlap the one before it. */
import type { Environment } from '../../domain/environment.ts';

export interface WebhookSecretRepository {
  /** Stores the first secret; one that is there stays. */
  putFirst(secret: StoredSecret): Promise<void>;
  /**
   * Stores another secret. The one before signs beside it until `olderUntil`, or no more where that is null; one that signed
   * beside that one signs no more.
   */
  put(secret: StoredSecret, olderUntil: Date | null): Promise<void>;
  /** Null before one was made. The older one may have ended. */
  find(merchantId: string, environment: Environment): Promise<FoundSecrets | null>;
  /** Ends the older one of an overlap at `until`, or at once where that is null; false when none signs at `now`. */
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
  readonly older: { readonly sealed: string; readonly until: Date } | null;
}
