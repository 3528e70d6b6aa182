/** What makes a webhook's signatures, and what they are made with. */

/**
 * X-Service-Signature: hex HMAC-SHA256 of the raw body, keyed with the merchant's API key (specification, "Request headers").
 */
export interface WebhookSigner {
  sign(body: Uint8Array, apiKey: string): string;
  /**
   * One signature of `webhook-signature` (standardwebhooks.com): `v1,` and the base64 HMAC-SHA256 of `id.unixSeconds.body`, keyed
   * with the bytes of the secret `whsec_` + base64.
   */
  signStandard(
    message: { readonly id: string; readonly unixSeconds: number; readonly body: Uint8Array },
    secret: string,
  ): string;
}

/**
 * What the webhooks of one merchant and environment are signed with: sealed (ports/runtime/vault.ts) as storage hands it out, opened
 * for the signer.
 */
export interface SigningKeys {
  /** The API key that signs. In an overlap the older one, until the first API call with the newer one. */
  readonly current: string;
  /** The second key of an overlap; null outside of one. */
  readonly other: string | null;
  /** The webhook secrets, newest first: none before one was made, two in an overlap of theirs. */
  readonly secrets: readonly string[];
}
