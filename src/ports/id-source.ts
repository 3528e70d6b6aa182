/** The only source of fresh identifiers and secrets for domain and app code. */
export interface IdSource {
  /** 24 hex digits: 6 bytes of big-endian Unix milliseconds, then 6 random bytes. The ids of one process strictly increase. */
  id(): string;
  /** A random UUID, version 4. */
  uuid(): string;
  /** A new merchant key: `sk_live_` or `sk_sandbox_` and 48 hex digits. */
  apiKey(environment: 'live' | 'sandbox'): string;
}
