/** POST /invoices/{id}/cancel by the merchant. */
import { describe, expect, test } from 'bun:test';
import type { Answered } from '../../../support/http/called-server.ts';
import { type Harness, harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const HOOK = 'https://shop.example/hook';

async function invoice(
  { call }: Harness,
  key: string,
  body: object = { asset: 'usdt_tron' },
): Promise<{ id: string; cancel: (as?: string) => Promise<Answered>; page: () => Promise<Answered> }> {
  const asked = { amount: 25, fiat_currency: 'USD', notify_url: HOOK, ...body };
  const { order_id: id, external_id: page } = (await call('POST', '/api/v2/invoices', { key, body: asked }))
    .json.result;
  return {
    id,
    cancel: (as = key) => call('POST', `/api/v2/invoices/${id}/cancel`, { key: as }),
    page: () => call('GET', `/checkout/${page}`, { key: null }),
  };
}

describe('an invoice that its merchant cancels', () => {
  test.each(['live', 'sandbox'] as const)(
    'is expired at once, says so on its page, and tells nobody (%s)',
    async (environment) => {
      const harness = await openHarness();
      const key = environment === 'live' ? harness.liveKey : harness.sandboxKey;
      for (const body of [{ asset: 'usdt_tron' }, {}]) {
        const { id, cancel, page } = await invoice(harness, key, body);
        const { status, json } = await cancel();
        expect([status, json.result.order_id, json.result.status]).toEqual([200, id, 'expired']);
        expect(json.result.expires_at).toBe(Math.floor(harnessClock.now().getTime() / 1000));
        const read = await harness.call('GET', `/api/v2/invoices/${id}`, { key });
        expect(read.json).toEqual(json);
        expect((await page()).text).toContain('data-status="expired"');
        harnessClock.advance(1);
        expect((await cancel()).text).toBe(JSON.stringify(json));
      }
      const list = await harness.call('GET', '/api/v2/invoices?status=expired', { key });
      expect(list.json.pagination.total).toBe(2);
      expect((await harness.call('GET', '/api/v2/notifications', { key })).json.result).toEqual([]);
    },
  );

  test('is left alone once a payment was seen, however it ended', async () => {
    const harness = await openHarness();
    const { sandboxKey: key } = harness;
    for (const status of ['success', 'partially_paid', 'failed', 'cancelled']) {
      const { id, cancel } = await invoice(harness, key);
      const body = { status, send_webhook: false };
      await harness.call('POST', `/api/v2/invoices/${id}/simulate`, { key, body });
      const refused = await cancel();
      expect([refused.status, refused.json.error.code]).toEqual([400, 'INVALID_TRANSITION']);
      expect((await harness.call('GET', `/api/v2/invoices/${id}`, { key })).json.result.status).toBe(status);
    }
  });

  test("is not another merchant's, nor the other environment's", async () => {
    const harness = await openHarness();
    const { cancel } = await invoice(harness, harness.liveKey);
    for (const key of [harness.sandboxKey, (await harness.addMerchant()).liveKey])
      expect((await cancel(key)).json.error.code).toBe('NOT_FOUND');
  });
});
