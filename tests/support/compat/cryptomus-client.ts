/**
 * How Cryptomus' and Heleket's clients call: the recipes of their public SDKs over the harness of a
 * file.
 */
import { createHash } from 'node:crypto';
import type { WebhookRequest } from '../../../src/ports/webhooks/webhook-transport.ts';
import type { Answered } from '../http/called-server.ts';
import { type Harness, openHarness } from '../http/http-harness.ts';

/** The recipe of the public SDKs: the key behind the Base64 of the very body. */
export const md5 = (body: string, key: string) =>
  createHash('md5')
    .update(Buffer.from(body).toString('base64') + key)
    .digest('hex');

/** A request as those SDKs sign it. */
export function signedRequest(body: unknown, { merchant, key }: { merchant: string; key: string }) {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  return {
    text,
    headers: { merchant, sign: md5(text, key), 'content-type': 'application/json;charset=UTF-8' },
  };
}

export interface Client {
  readonly harness: Harness;
  readonly sent: WebhookRequest[];
  readonly base: string;
  send(
    path: string,
    body?: unknown,
    change?: { key?: string; merchant?: string; from?: string },
  ): Promise<Answered>;
}

/** A shop with a sandbox merchant of its own; what its receiver gets is in `sent`. */
export async function client(provider: 'cryptomus' | 'heleket' = 'cryptomus'): Promise<Client> {
  const sent: WebhookRequest[] = [];
  const webhookTransport = {
    async post(request: WebhookRequest) {
      sent.push(request);
      return { kind: 'answered', status: 200, body: 'ok' } as const;
    },
  };
  const harness = await openHarness({ ports: { webhookTransport } });
  const base = `/compat/${provider}/v1`;
  return {
    ...{ harness, sent, base },
    send(path, body, { key = harness.sandboxKey, merchant = harness.merchant.id, from = '127.0.0.1' } = {}) {
      const { text, headers } = signedRequest(body, { merchant, key });
      return harness.call('POST', base + path, {
        ...{ key: null, from, headers },
        ...(body === undefined ? {} : { body: text }),
      });
    },
  };
}
