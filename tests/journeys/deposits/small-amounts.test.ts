/**
 * Amounts under the assets' minimums: what nobody could pay is refused at once, and the checkout
 * offers only what it takes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('small amounts', () => {
  let it: TestService;
  let key: string;

  beforeAll(async () => {
    it = await startTestService({
      file: { assets: { btc_bitcoin: { min_amount_usd: '10' }, ltc_litecoin: { min_amount_usd: '3' } } },
    });
    key = (await it.merchant()).sandbox;
  });
  afterAll(() => it.stop());

  const create = (body: Json) => it.call(key, 'POST', '/api/v2/invoices', body);

  test('the price modifier counts towards the minimum also before an asset is chosen', async () => {
    expect((await create({ amount: 20, price_modifier: -90 })).status).toBe(201);
    const refused = await create({ amount: 2, price_modifier: -90 });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: 'INVOICE_REJECTED',
      details: { rule: 'below_minimum' },
    });
    expect((await create({ amount: 1.5, price_modifier: 90 })).status).toBe(201);
  });

  test('the checkout offers the assets whose minimum the amount reaches, and the simulator takes one of those', async () => {
    const made = await create({ amount: 5, accepted_coins: ['btc_bitcoin', 'ltc_litecoin'] });
    const { order_id: id, external_id: externalId } = made.body.result;
    const page = (await it.call(null, 'GET', `/checkout/${externalId}`)).body;
    expect(page).toContain('value="ltc_litecoin"');
    expect(page).not.toContain('value="btc_bitcoin"');
    const simulated = await it.call(key, 'POST', `/api/v2/invoices/${id}/simulate`, { status: 'success' });
    expect(simulated.body.result.invoice).toMatchObject({ status: 'success', asset: 'ltc_litecoin' });
  });

  test('a refusal names the minimum of the catalog, as a number', async () => {
    const refused = await create({ amount: 0.0011, asset: 'btc_bitcoin' });
    const assets = (await it.call(key, 'GET', '/api/v2/assets')).body.result;
    const btc = assets.find((asset: Json) => asset.asset === 'btc_bitcoin');
    expect(refused.body.error.details.min_amount).toBe(btc.min_amount);
    expect((await create({ amount: btc.min_amount, asset: 'btc_bitcoin' })).status).toBe(201);
  });

  test('a payout that the balance does not cover is told the figures, as numbers', async () => {
    const refused = await it.call(
      key,
      'POST',
      '/api/v2/payouts',
      { amount: 100, asset: 'usdt_ethereum', address: '0x1111111111111111111111111111111111111111' },
      { 'x-uniq-id': crypto.randomUUID() },
    );
    expect(refused.body.error).toMatchObject({
      code: 'PAYOUT_REJECTED',
      details: { rule: 'insufficient_balance', available: expect.any(Number), required: 102 },
    });
  });
});
