/** A merchant's defaults for new invoices: each is used, and each explicit value wins over it. */
import { describe, expect, test } from 'bun:test';
import type { Merchant } from '../../../../src/domain/merchants/merchant.ts';
import { openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

async function opened(merchant: Partial<Merchant>) {
  const harness = await openHarness({ merchant });
  const post = (body: object) =>
    harness.call('POST', '/api/v2/invoices', { body: { amount: 50, fiat_currency: 'USD', ...body } });
  return { ...harness, post, made: async (body: object) => (await post(body)).json.result };
}

describe("a merchant's default", () => {
  test('of the tolerance counts where none is given, also against 0', async () => {
    const { made } = await opened({ defaultTolerancePpm: 12_500n });
    expect(await made({})).toMatchObject({ underpay_tolerance: 1.25 });
    expect(await made({ underpay_tolerance: 3 })).toMatchObject({ underpay_tolerance: 3 });
    expect(await made({ underpay_tolerance: 0 })).toMatchObject({ underpay_tolerance: 0 });
  });

  test('of the coins counts where neither coins nor an asset are given', async () => {
    const { made } = await opened({ acceptedCoins: ['usdt_tron', 'btc_bitcoin'] });
    expect(await made({})).toMatchObject({ accepted_coins: ['usdt_tron', 'btc_bitcoin'], asset: null });
    expect(await made({ asset: 'eth_base' })).toMatchObject({ accepted_coins: null, asset: 'eth_base' });
    expect(await made({ accepted_coins: ['eth_base'] })).toMatchObject({ accepted_coins: ['eth_base'] });
    expect(await made({ excluded_coins: ['eth_base'] })).toMatchObject({
      ...{ accepted_coins: null, excluded_coins: ['eth_base'] },
    });
  });

  test('of the coins ignores those that there are not any more, and says when none is left', async () => {
    const { made } = await opened({ acceptedCoins: ['gone_tron', 'usdt_tron'] });
    expect(await made({})).toMatchObject({ accepted_coins: ['usdt_tron'] });
    const { post } = await opened({ acceptedCoins: ['gone_tron'] });
    const refused = await post({});
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatchObject({
      ...{ code: 'INVOICE_REJECTED', details: { rule: 'no_asset_left' } },
      message: expect.stringContaining('gone_tron'),
    });
    expect((await post({ asset: 'usdt_tron' })).status).toBe(201);
  });

  test('of the format counts where none is given, for invoices and for new permanent addresses', async () => {
    const { made, call, application, merchant } = await opened({ defaultWebhookFormat: 'cryptomus' });
    const formatOf = async (body: object) => {
      const { order_id: id } = await made(body);
      const scope = { merchantId: merchant.id, sandbox: false };
      return (await application.queries.invoice(scope, id))?.webhookFormat;
    };
    expect(await formatOf({})).toBe('cryptomus');
    expect(await formatOf({ webhook_format: 'native_v2' })).toBe('native_v2');
    const address = async (body: object) =>
      (await call('POST', '/api/v2/permanent', { body: { family: 'evm', ...body } })).json.result;
    expect(await address({ user_id: 'one' })).toMatchObject({ webhook_format: 'cryptomus' });
    expect(await address({ user_id: 'two', webhook_format: 'heleket' })).toMatchObject({
      webhook_format: 'heleket',
    });
    expect(await address({ user_id: 'two' })).toMatchObject({ webhook_format: 'heleket' });
  });
});
