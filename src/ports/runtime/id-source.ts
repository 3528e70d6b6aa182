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
  /**
   * The id in the URL of a checkout, a version 4 UUID. Its first 24 bits are random, too, and the
   * same for an hour: 98 are its own. New ones are neighbours in the database's index, where wholly
   * random ones write a page of their own each. They tell no time.
   */
  checkoutId(): string;
  /** `sk_live_` or `sk_sandbox_` and 48 hex. */
  apiKey(environment: Environment): string;
  /** `whsec_` and the base64 of 32 bytes. */
  webhookSecret(): string;
  /** 32 random bytes in base64url: of sessions, links and challenges. */
  secretToken(): string;
}
