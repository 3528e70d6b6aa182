import { describe, expect, test } from 'bun:test';
import { BUILT_IN_ASSETS } from '../../../../src/domain/catalog/asset.ts';
import { type CreditValue, income, payoutReserved, refund } from '../../../../src/domain/ledger.ts';
import { RATE_SCALE, type Rates } from '../../../../src/domain/rates/rate.ts';
import { harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';
import { fixedBook, NO_RATES } from '../../../support/rates/fixed-rates.ts';

stageHarness();

/** More than a double holds to the last digit. */
const EARNED: CreditValue = {
  asset: 'usdt_tron',
  creditedUnits: 10_000_000_000_000_001n,
  feeUnits: 0n,
  receivedMicroUsd: 10_000_000_000_000_001n,
  creditedMicroUsd: 10_000_000_000_000_001n,
};
const TRON_ADDRESS = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
const rates = (usd: Readonly<Record<string, bigint>>): Rates => ({
  usdPerAssetE18: new Map(Object.entries(usd)),
  fiatPerUsdE18: new Map([
    ['USD', RATE_SCALE],
    ['EUR', RATE_SCALE / 2n],
  ]),
});

const UNIQ = () => ({ 'x-uniq-id': crypto.randomUUID() });

describe('balance and ledger', () => {
  test('balance is in exact USD', async () => {
    const { call, dependencies, merchant } = await openHarness();
    const entry = { merchantId: merchant.id, sandbox: false, referenceId: 'f'.repeat(24) };
    await dependencies.unitOfWork.run(async ({ ledger }) => {
      for (const [kind, postings] of [
        ['income', income(EARNED)],
        ['payout_reserved', payoutReserved(2_500_000n)],
        ['refund', refund(500_000n)],
      ] as const) {
        const { ids, clock } = dependencies;
        await ledger.post({
          ...entry,
          kind,
          postings,
          id: ids.id(),
          depositId: null,
          feed: null,
          at: clock.now(),
        });
      }
    });
    const { text } = await call('GET', '/api/v2/balance');
    expect(text).toBe(
      '{"ok":true,"result":{"available":9999999997.000001,"total_income":10000000000.000001,"total_payouts":2.5}}',
    );
  });

  test('ledger entries have the fields of their type', async () => {
    const { call, earn, sandboxKey: key } = await openHarness();
    await earn(100, key);
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
      body: { address: TRON_ADDRESS, amount: 1, asset: 'usdt_tron' },
    });
    const { result } = (await call('GET', '/api/v2/ledger', { key })).json;
    const fields = result.map((entry: object) => [
      Object.values(entry)[0],
      Object.keys(entry).toSorted().join(' '),
    ]);
    expect(Object.fromEntries(fields)).toEqual({
      payout: 'amount asset created_at reference_id status type',
      refund: 'amount asset created_at ordered_by reference_id status type',
      income: 'amount asset created_at currency fee reference_id type',
    });
    expect((await call('GET', '/api/v2/ledger?type=refund', { key })).json.pagination.total).toBe(1);
  });
});

describe('the catalog', () => {
  test('lists every asset with its minimum, rounded up to what the asset shows', async () => {
    const { call } = await openHarness({
      ports: { rateBook: fixedBook(rates({ btc_bitcoin: 97_123n * RATE_SCALE })) },
    });
    const { result } = (await call('GET', '/api/v2/assets')).json;
    expect(result).toHaveLength(BUILT_IN_ASSETS.length);
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
    expect(find('xmr_monero')).toMatchObject({ enabled: true });
  });

  test('rates are plain decimal strings, by base and assets', async () => {
    const { call } = await openHarness({
      ports: {
        rateBook: fixedBook(
          rates({ btc_bitcoin: 97_123_450_000_000_000_000_000n, usdt_tron: 1_000_200_000_000_000_000n }),
        ),
      },
    });
    const told = async (query: string) => (await call('GET', `/api/v2/rates${query}`)).json.result;
    expect(await told('')).toEqual({ base: 'USD', rates: { btc_bitcoin: '97123.45', usdt_tron: '1.0002' } });
    expect(await told('?base=EUR&assets=btc,usdt_trc20,btc')).toEqual({
      base: 'EUR',
      rates: { btc_bitcoin: '48561.725', usdt_tron: '0.5001' },
    });
    expect(await told('?assets=eth_base')).toEqual({ base: 'USD', rates: {} });
  });

  test('without rates the minimum is 0 and rates are 503', async () => {
    const { call } = await openHarness({ ports: { rateBook: NO_RATES } });
    expect((await call('GET', '/api/v2/assets')).json.result[0].min_amount).toBe(0);
    const refused = await call('GET', '/api/v2/rates');
    expect([refused.status, refused.json.error.code]).toEqual([503, 'RATES_UNAVAILABLE']);
  });
});

describe('notifications', () => {
  test('a test goes to the URL given, or to the callback_url, and is logged without an invoice', async () => {
    const { call } = await openHarness({ merchant: { callbackUrl: 'https://shop.example/callback' } });
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
      sent_at: harnessClock.now().getTime() / 1000,
    });
  });

  test('a test without any URL is NO_DESTINATION', async () => {
    const { call } = await openHarness();
    const refused = await call('POST', '/api/v2/notifications/test', { body: {} });
    expect([refused.status, refused.json.error.code]).toEqual([400, 'NO_DESTINATION']);
  });
});
