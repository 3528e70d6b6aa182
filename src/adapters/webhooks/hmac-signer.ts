/** Signatures of webhooks by the platform's own HMAC. */
import type { WebhookSigner } from '../../ports/webhooks/webhook-signer.ts';

const SECRET_PREFIX = 'whsec_';

export const hmacSigner: WebhookSigner = {
  sign: (body, apiKey) => new Bun.CryptoHasher('sha256', apiKey).update(body).digest('hex'),

  signStandard({ id, unixSeconds, body }, secret) {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    const hmac = new Bun.CryptoHasher('sha256', key).update(`${id}.${unixSeconds}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  },
};
