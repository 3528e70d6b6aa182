/** POST /invoices/{id}/accept: the merchant takes a part for the whole. */
import { describe, expect, test } from 'bun:test';
import { type Harness, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

async function simulated({ call, sandboxKey: key }: Harness, status: string, body: object = {}) {
  const asked = { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron', ...body };
  const { order_id: id } = (await call('POST', '/api/v2/invoices', { key, body: asked })).json.result;
  const simulation = { status, send_webhook: false };
  await call('POST', `/api/v2/invoices/${id}/simulate`, { key, body: simulation });
  return {
    accept: (as = key) => call('POST', `/api/v2/invoices/${id}/accept`, { key: as }),
    read: async () => (await call('GET', `/api/v2/invoices/${id}`, { key })).json.result,
  };
}

describe('an invoice that its merchant accepts', () => {
  test.each(['partially_paid', 'cancelled'])(
    'is paid, with its amounts as they were (%s)',
    async (status) => {
      const harness = await openHarness();
      const { accept, read } = await simulated(harness, status);
      const balance = async () =>
        (await harness.call('GET', '/api/v2/balance', { key: harness.sandboxKey })).json.result;
      const [before, had] = [await read(), await balance()];
      const { status: code, json } = await accept();
      expect(code).toBe(200);
      const { amount, received_amount, fiat_amount } = before;
      expect(json.result).toMatchObject({ status: 'success', amount, received_amount, fiat_amount });
      expect(json.result.processed_at).not.toBeNull();
      expect((await accept()).json).toEqual(json);
      expect(await read()).toEqual(json.result);
      expect(await balance()).toEqual(had);
      const events = await harness.call('GET', '/api/v2/events', { key: harness.sandboxKey });
      expect(events.json.result.map(({ type }: { type: string }) => type)).toEqual(['invoice.success']);
    },
  );

  test('is one that is partly paid, and no other', async () => {
    const harness = await openHarness();
    for (const status of ['success', 'paid_over', 'expired', 'failed', 'refunded']) {
      const { accept, read } = await simulated(harness, status);
      const refused = await accept();
      expect([refused.status, refused.json.error.code]).toEqual([400, 'INVALID_TRANSITION']);
      expect((await read()).status).toBe(status);
    }
    const vary = await simulated(harness, 'partially_paid', { billing_type: 'VARY' });
    expect((await vary.accept()).json.error.code).toBe('INVALID_TRANSITION');
  });

  test('is its own, in its environment', async () => {
    const harness = await openHarness();
    const { sandboxKey: stranger } = await harness.addMerchant();
    const { accept, read } = await simulated(harness, 'partially_paid');
    for (const key of [stranger, harness.liveKey]) expect((await accept(key)).status).toBe(404);
    expect((await read()).status).toBe('partially_paid');
  });
});
