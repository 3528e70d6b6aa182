/** Secrets of users: passwords, one-time codes, passkeys. Adapters use well-kept libraries. */

export interface Passwords {
  /** Argon2id, with its parameters and salt in the text. */
  hash(password: string): Promise<string>;
  /** Null compares with a hash that fits nothing, and takes as long. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** Time-based one-time codes (RFC 6238: SHA-1, 6 digits, 30 s), as all authenticator apps have. */
export interface OneTimeCodes {
  /** A new secret, base32. */
  secret(): string;
  /** The `otpauth://` URI for the QR code. */
  uri(secret: string, account: { issuer: string; email: string }): string;
  /**
   * The time step that the code is of, at most one beside the present one; null if it fits none. A
   * step is accepted once (UserRepository.useStep).
   */
  stepOf(code: string, secret: string, now: Date): number | null;
}

/** A passkey as it is stored (WebAuthn, credential record). */
export interface Passkey {
  /** base64url. */
  readonly credentialId: string;
  readonly userId: string;
  readonly publicKey: Uint8Array;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** WebAuthn with user verification. `options` is the JSON that the browser's script is given. */
export interface Passkeys {
  registration(user: {
    id: string;
    email: string;
    name: string;
    known: readonly Passkey[];
  }): Promise<{ readonly options: string; readonly challenge: string }>;
  /** Null if the browser's answer is no registration for the challenge. */
  registered(
    answer: string,
    challenge: string,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount' | 'transports'> | null>;
  /** Without `known` any passkey of this site may answer: a sign-in without a password. */
  assertion(known: readonly Passkey[]): Promise<{ readonly options: string; readonly challenge: string }>;
  /** The credential id that an answer names; null if it is malformed. */
  credentialOf(answer: string): string | null;
  /** The new sign count; null if the answer is not of this passkey, for the challenge. */
  asserted(answer: string, challenge: string, passkey: Passkey): Promise<number | null>;
}
