/**
 * How CoinPayments' clients call, of its old API and of the present one: the recipes of its public
 * examples over the harness of a file.
 */
import { createHmac } from 'node:crypto';
import type { WebhookRequest } from '../../../src/ports/webhooks/webhook-transport.ts';
import type { Answered } from '../http/called-server.ts';
import { type Harness, harnessClock, openHarness } from '../http/http-harness.ts';

const LOCAL = 'http://localhost';

/** A form as clients of the old API sign it. */
export function signedForm(fields: object, key: string, hmac?: string) {
  const form = { version: '1', format: 'json', key, ...fields };
  const body = new URLSearchParams(form as Record<string, string>).toString();
  const sign = hmac ?? createHmac('sha512', key).update(body).digest('hex');
  return { body, headers: { HMAC: sign, 'content-type': 'application/x-www-form-urlencoded' } };
}

/** The headers of a request as the present API's examples sign it. */
export function signatureHeaders(
  { method, url, text, at }: { method: string; url: string; text: string; at: Date },
  { id, secret }: { id: string; secret: string },
) {
  const timestamp = at.toISOString().slice(0, 19);
  const signed = `\ufeff${method}${url}${id}${timestamp}${text}`;
  return {
    'x-coinpayments-client': id,
    'x-coinpayments-timestamp': timestamp,
    'x-coinpayments-signature': createHmac('sha256', secret).update(signed).digest('base64'),
  };
}

export interface Client {
  readonly harness: Harness;
  /** What the receiver was sent, as it verifies it. */
  hook(position: number): { url: string; headers: Record<string, string>; body: string };
  /** The recipe of the old API's public clients: a form, and its HMAC. */
  old(fields: object, change?: { key?: string; from?: string; hmac?: string }): Promise<Answered>;
  /** The recipe of the present API's examples; the client id is the merchant's unless given. */
  now(
    method: string,
    path: string,
    body?: unknown,
    change?: { at?: Date; url?: string; id?: string; secret?: string },
  ): Promise<Answered>;
}

/**
 * A shop with a merchant of its own; `baseUrl` is what the service takes for its public address.
 */
export async function client(baseUrl = LOCAL): Promise<Client> {
  const sent: WebhookRequest[] = [];
  const webhookTransport = {
    async post(request: WebhookRequest) {
      sent.push(request);
      return { kind: 'answered', status: 200, body: 'ok' } as const;
    },
  };
  const harness = await openHarness({ ports: { webhookTransport }, config: { baseUrl } });
  const key = harness.sandboxKey;
  return {
    harness,
    hook(position) {
      const { url = '', headers = {}, body } = sent[position] ?? {};
      const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      return { url, headers: Object.fromEntries(names), body: new TextDecoder().decode(body) };
    },
    old(fields, { key: used = key, from = '127.0.0.1', hmac } = {}) {
      const signed = signedForm(fields, used, hmac);
      return harness.call('POST', '/compat/coinpayments/v1/api.php', { key: null, from, ...signed });
    },
    now(method, path, body, change = {}) {
      const { at = harnessClock.now(), url = baseUrl, id = harness.merchant.id, secret = key } = change;
      const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
      const full = `/compat/coinpayments${path}`;
      const headers = signatureHeaders({ method, url: url + full, text, at }, { id, secret });
      return harness.call(method, full, {
        key: null,
        headers,
        ...(body === undefined ? {} : { body: text }),
      });
    },
  };
}
