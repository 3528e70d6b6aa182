/** The only source of randomness for application code. */
import type { Environment } from '../../domain/environment.ts';

export interface IdSource {
  /**
   * 24 lower-case hex: 6 bytes of big-endian milliseconds and 6 random bytes, so that ids sort by
   * time.
   */
  id(): string;
  /** A version 4 UUID. */
  uuid(): string;
  /** `sk_live_` or `sk_sandbox_` and 48 hex. */
  apiKey(environment: Environment): string;
  /** `whsec_` and the base64 of 32 bytes. */
  webhookSecret(): string;
  /** 32 random bytes in base64url: of sessions, links and challenges. */
  secretToken(): string;
}
