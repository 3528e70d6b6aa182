/** X-Service-Signature by the platform's own HMAC. */
import { createHmac } from 'node:crypto';
import type { WebhookSigner } from '../../ports/webhook-signer.ts';

export const hmacSigner: WebhookSigner = {
  sign: (body, apiKey) => createHmac('sha256', apiKey).update(body).digest('hex'),
};
