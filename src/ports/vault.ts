/** Keeps secrets that the gateway must be able to read again (merchant API keys sign webhooks) and finds keys without storing them. */
export interface Vault {
  /** Encrypts `plaintext`, bound to `context` (for example `merchant:<id>:live`). Two calls never give the same text. */
  seal(plaintext: string, context: string): string;
  /** The plaintext of `sealed`. Throws when the text was altered, or sealed by another key or for another context. */
  open(sealed: string, context: string): string;
  /** Keyed hash (64 hex digits) under which an API key is stored and looked up. The same key always gives the same hash. */
  lookupHash(apiKey: string): string;
}
