/** X-Service-Signature: hex HMAC-SHA256 of the raw body, keyed with the merchant's API key (specification, "Request headers"). */
export interface WebhookSigner {
  sign(body: Uint8Array, apiKey: string): string;
}
