/**
 * Webhooks that are sent again on demand: by the merchant, by an operator after an outage, and as a
 * test.
 */
import { describe, expect, test } from 'bun:test';
import { replayDead, replayInvoice } from '../../../../src/app/invoices/replay-webhooks.ts';
import type { WebhookOutcome, WebhookRequest } from '../../../../src/ports/webhooks/webhook-transport.ts';
import { type Harness, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const HOOK = 'https://shop.example/hook';
const NO_SUCH_ID = 'f'.repeat(24);

/** A harness whose test webhooks get this answer, and what was sent. */
async function answering(outcome: WebhookOutcome): Promise<Harness & { sent: WebhookRequest[] }> {
  const sent: WebhookRequest[] = [];
  const webhookTransport = {
    async post(request: WebhookRequest) {
      sent.push(request);
      return outcome;
    },
  };
  return { ...(await openHarness({ ports: { webhookTransport }, merchant: { callbackUrl: HOOK } })), sent };
}

describe('a test webhook', () => {
  test('that the receiver refuses is told with its status, and logged', async () => {
    const { call, sent } = await answering({ kind: 'answered', status: 500, body: 'broken' });
    const { result } = (await call('POST', '/api/v2/notifications/test', { body: {} })).json;
    expect(result).toEqual({
      ...{ url: HOOK, delivered: false, status_code: 500, error: 'the receiver answered 500' },
    });
    expect(JSON.parse(new TextDecoder().decode(sent[0]?.body))).not.toHaveProperty('sandbox');
    const [logged] = (await call('GET', '/api/v2/notifications')).json.result;
    expect(logged).toMatchObject({ invoice_id: null, status_code: 500, response_body: 'broken', attempt: 1 });
  });

  test('that reaches nobody is told with the reason', async () => {
    const { call } = await answering({ kind: 'failed', reason: 'connection refused' });
    const { result } = (await call('POST', '/api/v2/notifications/test', { body: {} })).json;
    expect(result).toEqual({ url: HOOK, delivered: false, status_code: null, error: 'connection refused' });
  });

  test('goes to the URL that was asked for, and says that it is of the sandbox', async () => {
    const { call, sandboxKey, sent } = await answering({ kind: 'answered', status: 204, body: '' });
    const url = 'https://other.example/';
    const answer = await call('POST', '/api/v2/notifications/test', { key: sandboxKey, body: { url } });
    expect(answer.json.result).toEqual({ url, delivered: true, status_code: 204, error: null });
    expect(sent.map((request) => request.url)).toEqual([url]);
    expect(JSON.parse(new TextDecoder().decode(sent[0]?.body))).toMatchObject({ sandbox: true });
    expect(sent[0]?.headers['X-Service-Sandbox']).toBe('true');
  });
});

describe('a sample', () => {
  const sampled = async (body: object, key?: string) => {
    const { call, sandboxKey, sent } = await answering({ kind: 'answered', status: 200, body: '' });
    await call('POST', '/api/v2/notifications/test', {
      body,
      ...(key === 'sandbox' ? { key: sandboxKey } : {}),
    });
    return JSON.parse(new TextDecoder().decode(sent[0]?.body));
  };

  test('is of a payment that succeeded where no status is named, and in our format where none is', async () => {
    expect(await sampled({ format: 'nowpayments' })).toMatchObject({ payment_status: 'finished' });
    const failed = await sampled({ status: 'failed' }, 'sandbox');
    expect(failed).toMatchObject({ status: 'failed', sandbox: true, received_amount: 0, txid: null });
    expect(failed.processed_at).toBe(failed.created_at);
  });

  test('has the money that its status says', async () => {
    const told = { confirming: 25, partially_paid: 12.5, paid_over: 31.25, high_risk: 25, created: 0 };
    for (const [status, fiat] of Object.entries(told)) {
      const { fiat_amount, txid } = await sampled({ status });
      expect([fiat_amount, txid === null], status).toEqual([fiat, fiat === 0]);
    }
  });

  test('is of a status and a format that there are', async () => {
    const { call } = await answering({ kind: 'answered', status: 200, body: '' });
    for (const body of [{ status: 'paid' }, { format: 'native' }])
      expect((await call('POST', '/api/v2/notifications/test', { body })).status).toBe(422);
  });
});

describe('an operator', () => {
  async function invoice({ call, sandboxKey: key }: Harness, body: object = {}): Promise<string> {
    const asked = { amount: 25, asset: 'usdt_tron', notify_url: HOOK, ...body };
    return (await call('POST', '/api/v2/invoices', { key, body: asked })).json.result.order_id;
  }
  const simulate = ({ call, sandboxKey: key }: Harness, id: string, status: string) =>
    call('POST', `/api/v2/invoices/${id}/simulate`, { key, body: { status, send_webhook: false } });

  test('replays one invoice in whatever state it is', async () => {
    const harness = await openHarness();
    const id = await invoice(harness);
    expect(await replayInvoice(harness.dependencies)(id)).toMatchObject({ ok: true, value: { url: HOOK } });
    const silent = await invoice(harness, { notify_url: null });
    expect(await replayInvoice(harness.dependencies)(silent)).toMatchObject({
      ...{ ok: false, error: { code: 'NO_DESTINATION' } },
    });
    expect(await replayInvoice(harness.dependencies)(NO_SUCH_ID)).toMatchObject({
      ...{ ok: false, error: { code: 'NOT_FOUND' } },
    });
  });

  test('replays what was given up: each invoice once, and none in a state that is never pushed', async () => {
    const harness = await openHarness();
    const [paid, expired, silent] = [
      await invoice(harness),
      await invoice(harness),
      await invoice(harness, { notify_url: null }),
    ];
    await simulate(harness, paid, 'success');
    await simulate(harness, expired, 'expired');
    await simulate(harness, silent, 'success');
    const since = new Date('2026-01-01T00:00:00Z');
    const asked: unknown[] = [];
    const operatorQueries = {
      ...harness.dependencies.operatorQueries,
      async deadDeliveries(filter: unknown) {
        asked.push(filter);
        return [paid, paid, expired, silent, NO_SUCH_ID, null].map((invoiceId, at) => ({
          ...{ id: `${at}`, invoiceId, url: HOOK, attempts: 10 },
        }));
      },
    };
    const told: number[] = [];
    const replay = replayDead({ ...harness.dependencies, operatorQueries });
    expect(await replay({ since }, (done) => told.push(done))).toEqual({
      queued: 1,
      skipped: 4,
      more: false,
    });
    expect(asked).toEqual([{ invoiceId: null, since, limit: 10_000 }]);
    expect(told).toEqual([1, 2, 3, 4]);
  });
});
