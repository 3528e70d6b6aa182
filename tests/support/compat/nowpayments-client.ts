/** How NOWPayments' clients call: their paths and headers over the harness of a file. */
import { spyOn } from 'bun:test';
import type { Application } from '../../../src/app/application.ts';
import { ok } from '../../../src/domain/result.ts';
import type { WebhookRequest } from '../../../src/ports/webhooks/webhook-transport.ts';
import type { Answered } from '../http/called-server.ts';
import { type Harness, openHarness } from '../http/http-harness.ts';

/**
 * As if the address of an invoice were gone, whose currency is chosen again: the choice brings
 * `next`.
 */
export function addressGone(application: Application, next: string) {
  const { chooseCurrency } = application;
  return spyOn(application, 'chooseCurrency').mockImplementation(async (...given) => {
    const chosen = await chooseCurrency(...given);
    return chosen.ok ? ok({ ...chosen.value, addressTo: next }) : chosen;
  });
}

export const NOWPAYMENTS_BASE = '/compat/nowpayments/v1';

export interface Client {
  readonly harness: Harness;
  readonly sent: WebhookRequest[];
  get(path: string): Promise<Answered>;
  post(
    path: string,
    body: unknown,
    change?: { token?: string; from?: string; key?: string | undefined },
  ): Promise<Answered>;
  token(): Promise<string>;
}

/** A shop with a merchant of its own; what its receiver gets is in `sent`. */
export async function client(): Promise<Client> {
  const sent: WebhookRequest[] = [];
  const webhookTransport = {
    async post(request: WebhookRequest) {
      sent.push(request);
      return { kind: 'answered', status: 200, body: 'ok' } as const;
    },
  };
  const harness = await openHarness({ ports: { webhookTransport } });
  const key = harness.sandboxKey;
  const authenticate = () =>
    harness.call('POST', `${NOWPAYMENTS_BASE}/auth`, {
      key: null,
      body: { email: 'a@shop.example', password: key },
    });
  return {
    ...{ harness, sent },
    get: (path) => harness.call('GET', NOWPAYMENTS_BASE + path, { key }),
    post: (path, body, { token, from = '127.0.0.1', key: named } = {}) =>
      harness.call('POST', NOWPAYMENTS_BASE + path, {
        ...{ key, body, from },
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(named === undefined ? {} : { 'idempotency-key': named }),
        },
      }),
    token: async () => (await authenticate()).json.token,
  };
}
