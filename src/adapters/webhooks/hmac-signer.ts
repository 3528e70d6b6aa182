/** X-Service-Signature by the platform's own HMAC. */
import type { WebhookSigner } from '../../ports/webhook-signer.ts';

export const hmacSigner: WebhookSigner = {
  sign: (body, apiKey) => new Bun.CryptoHasher('sha256', apiKey).update(body).digest('hex'),
};
