import { describe, expect, test } from 'bun:test';
import { RATE_SCALE } from '../../src/domain/rate.ts';
import { FIXED_RATES } from '../support/fake-records.ts';
import { openHarness } from '../support/http-harness.ts';

const UNIQ = () => ({ 'x-uniq-id': crypto.randomUUID() });

describe('balance and ledger', () => {
  test('balance is in exact USD', async () => {
    const { call, application, merchant } = openHarness();
    application.tables.balances.set(`${merchant.id}:false`, {
      incomeMicroUsd: 10_000_000_000_000_001n,
      payoutsMicroUsd: 2_500_000n,
      refundsMicroUsd: 500_000n,
    });
    const { text } = await call('GET', '/api/v2/balance');
    expect(text).toBe(
      '{"ok":true,"result":{"available":9999999997.000001,"total_income":10000000000.000001,"total_payouts":2.5}}',
    );
  });

  test('ledger entries have the fields of their type', async () => {
    const { call, sandboxKey: key } = openHarness();
    const created = await call('POST', '/api/v2/invoices', { key, body: { amount: 25, asset: 'usdt_tron' } });
    const simulate = (status: string) =>
      call('POST', `/api/v2/invoices/${created.json.result.order_id}/simulate`, {
        key,
        body: { status, send_webhook: false },
      });
    await simulate('success');
    await simulate('refunded');
    await call('POST', '/api/v2/payouts', {
      key,
      headers: UNIQ(),
      body: { address: 'a', amount: 1, asset: 'usdt_tron' },
    });
    const { result } = (await call('GET', '/api/v2/ledger', { key })).json;
    const fields = result.map((entry: object) => [
      Object.values(entry)[0],
      Object.keys(entry).toSorted().join(' '),
    ]);
    expect(fields).toEqual([
      ['payout', 'amount asset created_at reference_id status type'],
      ['refund', 'amount asset created_at reference_id status type'],
      ['income', 'amount asset created_at currency fee reference_id type'],
    ]);
    expect((await call('GET', '/api/v2/ledger?type=refund', { key })).json.pagination.total).toBe(1);
  });
});

describe('the catalog', () => {
  test('lists every asset with its minimum, rounded up to what the asset shows', async () => {
    const { call, application } = openHarness();
    application.setRates({
      ...FIXED_RATES,
      usdPerAssetE18: new Map([['btc_bitcoin', 97_123n * RATE_SCALE]]),
    });
    const { result } = (await call('GET', '/api/v2/assets')).json;
    expect(result).toHaveLength(24);
    const find = (key: string) => result.find(({ asset }: { asset: string }) => asset === key);
    expect(find('btc_bitcoin')).toEqual({
      asset: 'btc_bitcoin',
      chain: 'bitcoin',
      enabled: true,
      min_amount: 0.0000206,
      network_family: 'bitcoin',
      symbol: 'BTC',
      type: 'native',
    });
    expect(find('eth_base')).toMatchObject({ min_amount: 0, network_family: 'evm' });
    expect(find('xmr_monero')).toMatchObject({ enabled: false });
  });

  test('rates are plain decimal strings, by base and assets', async () => {
    const { call, application } = openHarness();
    application.setRates({
      usdPerAssetE18: new Map([
        ['btc_bitcoin', 97_123_450_000_000_000_000_000n],
        ['usdt_tron', 1_000_200_000_000_000_000n],
      ]),
      fiatPerUsdE18: new Map([
        ['USD', RATE_SCALE],
        ['EUR', RATE_SCALE / 2n],
      ]),
    });
    const rates = async (query: string) => (await call('GET', `/api/v2/rates${query}`)).json.result;
    expect(await rates('')).toEqual({ base: 'USD', rates: { btc_bitcoin: '97123.45', usdt_tron: '1.0002' } });
    expect(await rates('?base=EUR&assets=btc,usdt_trc20,btc')).toEqual({
      base: 'EUR',
      rates: { btc_bitcoin: '48561.725', usdt_tron: '0.5001' },
    });
    expect(await rates('?assets=eth_base')).toEqual({ base: 'USD', rates: {} });
  });

  test('without rates the minimum is 0 and rates are 503', async () => {
    const { call, application } = openHarness();
    application.setRates(null);
    expect((await call('GET', '/api/v2/assets')).json.result[0].min_amount).toBe(0);
    const refused = await call('GET', '/api/v2/rates');
    expect([refused.status, refused.json.error.code]).toEqual([503, 'RATES_UNAVAILABLE']);
  });
});

describe('notifications', () => {
  test('a test goes to the URL given, or to the callback_url, and is logged without an invoice', async () => {
    const { call } = openHarness({ merchant: { callbackUrl: 'https://shop.example/callback' } });
    const given = await call('POST', '/api/v2/notifications/test', {
      body: { url: 'https://other.example/' },
    });
    expect(given.json.result).toEqual({
      url: 'https://other.example/',
      delivered: true,
      status_code: 200,
      error: null,
    });
    expect((await call('POST', '/api/v2/notifications/test', { body: { url: null } })).json.result.url).toBe(
      'https://shop.example/callback',
    );
    const { result } = (await call('GET', '/api/v2/notifications')).json;
    expect(result[1]).toMatchObject({
      invoice_id: null,
      url: 'https://other.example/',
      status_code: 200,
      attempt: 1,
      sent_at: 1_772_366_400,
    });
  });

  test('a test without any URL is NO_DESTINATION', async () => {
    const { call } = openHarness();
    const refused = await call('POST', '/api/v2/notifications/test', { body: {} });
    expect([refused.status, refused.json.error.code]).toEqual([400, 'NO_DESTINATION']);
  });
});
