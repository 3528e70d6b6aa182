/** Seals secrets at rest and hashes API keys for look-up; both under the master key. */
export interface Vault {
  /** Encrypts; `context` binds the result to its place, and opening needs the same. */
  seal(plaintext: string, context: string): string;
  /** Decrypts; throws when the text was tampered with or belongs elsewhere. */
  open(sealed: string, context: string): string;
  /** Keyed hash under which an API key is stored and found. */
  lookupHash(apiKey: string): string;
  /** A keyed code of `text`, in hex: nobody else can make it. */
  mac(text: string): string;
}
