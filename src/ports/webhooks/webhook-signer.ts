/** Signatures of webhooks, and their keys. */

/**
 * X-Service-Signature: hex HMAC-SHA256 of the raw body, keyed with the merchant's API key
 * (specification, "Request headers").
 */
export interface WebhookSigner {
  sign(body: Uint8Array, apiKey: string): string;
  /**
   * One signature of `webhook-signature` (standardwebhooks.com): `v1,` and the base64 HMAC-SHA256
   * of `id.unixSeconds.body`, keyed with the decoded bytes of the secret (`whsec_` + base64).
   */
  signStandard(
    message: { readonly id: string; readonly unixSeconds: number; readonly body: Uint8Array },
    secret: string,
  ): string;
}

/**
 * The keys that sign one merchant's webhooks in one environment: sealed (ports/runtime/vault.ts) in
 * storage, opened for the signer.
 */
export interface SigningKeys {
  /**
   * The API key that signs: in an overlap the older one, until the first API call with the newer.
   */
  readonly current: string;
  /** The overlap's second key; null without an overlap. */
  readonly other: string | null;
  /** The webhook secrets, newest first: none, one, or two in an overlap. */
  readonly secrets: readonly string[];
}
