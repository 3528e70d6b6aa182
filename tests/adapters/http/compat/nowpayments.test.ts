/**
 * NOWPayments' clients on the real application: what they send, what they are answered, what their
 * receivers get.
 */
import { describe, expect, spyOn, test } from 'bun:test';
import { exactNumber } from '../../../../src/domain/money/exact-number.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import {
  addressGone,
  NOWPAYMENTS_BASE as BASE,
  type Client,
  client,
} from '../../../support/compat/nowpayments-client.ts';
import { refusedBy } from '../../../support/compat/receiver-recipes.ts';
import type { Answered } from '../../../support/http/called-server.ts';
import { harnessClock, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const HOOK = 'https://shop.example/ipn';
const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const OTHER_ADDRESS = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
const ORDER = {
  ...{ price_amount: 25.5, price_currency: 'usd', pay_currency: 'usdttrc20', order_id: 'RGDBP-21314' },
  ...{ order_description: 'Two shirts', ipn_callback_url: HOOK, is_fee_paid_by_user: false },
};

const simulate = ({ harness: { call, sandboxKey: key } }: Client, id: string, body: object) =>
  call('POST', `/api/v2/invoices/${id}/simulate`, { key, body });

describe('a shop of NOWPayments', () => {
  test('creates a payment, is told that it was paid, verifies that, and reads it', async () => {
    const shop = await client();
    const made = await shop.post('/payment', ORDER);
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      ...{ payment_status: 'waiting', price_amount: 25.5, price_currency: 'usd', pay_currency: 'usdttrc20' },
      ...{ order_id: 'RGDBP-21314', order_description: 'Two shirts', actually_paid: 0, network: 'tron' },
    });
    const { payment_id: id, pay_address: address, pay_amount } = made.json;
    expect(pay_amount).toBeNumber();
    await simulate(shop, id, { status: 'success' });
    const [hook] = shop.sent;
    const body = new TextDecoder().decode(hook?.body);
    const headers = Object.fromEntries(
      Object.entries(hook?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(refusedBy('nowpayments', { url: HOOK, headers, body }, shop.harness.sandboxKey)).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({
      payment_id: id,
      payment_status: 'finished',
      order_id: 'RGDBP-21314',
    });
    expect((await shop.get(`/payment/${id}`)).json).toMatchObject({
      ...{ payment_id: id, payment_status: 'finished', pay_address: address, actually_paid: pay_amount },
    });
    expect((await shop.get('/payment/?limit=5&page=0&sortBy=created_at&orderBy=desc')).json).toMatchObject({
      ...{ data: [{ payment_id: id }], limit: 5, page: 0, pagesCount: 1, total: 1 },
    });
  });

  test('gets a payment for each request, and the words of every state that the sandbox reaches', async () => {
    const shop = await client();
    const words = {
      ...{ success: 'finished', partially_paid: 'partially_paid', paid_over: 'finished', expired: 'expired' },
      ...{ cancelled: 'partially_paid', failed: 'failed', refunded: 'refunded' },
    };
    const ids = new Set<string>();
    for (const [status, word] of Object.entries(words)) {
      const id = (await shop.post('/payment', ORDER)).json.payment_id;
      ids.add(id);
      await simulate(shop, id, { status, send_webhook: false });
      expect((await shop.get(`/payment/${id}`)).json.payment_status).toBe(word);
    }
    expect(ids.size).toBe(7);
  });

  test('lets the customer choose on an invoice, or chooses for it', async () => {
    const { post, get, harness } = await client();
    const { pay_currency: _, ...open } = ORDER;
    const made = (await post('/invoice', { ...open, success_url: 'https://shop.example/ok' })).json;
    expect(made).toMatchObject({ price_amount: 25.5, price_currency: 'USD', pay_currency: null });
    expect(made.invoice_url).toEndWith(`/checkout/${made.token_id}`);
    const chosen = await post('/invoice-payment', { iid: made.id, pay_currency: 'ltc' });
    expect(chosen).toMatchObject({ status: 201, json: { payment_id: made.id, pay_currency: 'ltc' } });
    expect((await post('/invoice-payment', { iid: made.id, pay_currency: 'ltc' })).json).toEqual(chosen.json);
    expect((await get(`/payment/${made.id}`)).json.pay_address).toBe(chosen.json.pay_address);
    const elsewhere = { iid: made.id, pay_currency: 'ltc', payout_address: ADDRESS };
    expect((await post('/invoice-payment', elsewhere)).json.message).toContain('payout_address');
    const moved = addressGone(harness.application, OTHER_ADDRESS);
    const again = await post('/invoice-payment', { iid: made.id, pay_currency: 'ltc' });
    expect(again.json.pay_address).toBe(OTHER_ADDRESS);
    moved.mockRestore();
  });

  test('reads currencies, prices and its balance', async () => {
    const { get, harness } = await client();
    await harness.earn(20, harness.sandboxKey);
    expect((await harness.call('GET', `${BASE}/status`, { key: null })).json).toEqual({ message: 'OK' });
    const codes: string[] = (await get('/currencies')).json.currencies;
    expect(codes).toContain('usdttrc20');
    const full = (await get('/full-currencies')).json.currencies;
    expect(full.map(({ code }: { code: string }) => code.toLowerCase())).toEqual(codes);
    const upper = codes.map((code) => code.toUpperCase());
    expect((await get('/merchant/coins')).json).toEqual({ currencies: codes, selectedCurrencies: upper });
    const estimate = async (amount: string, from: string, to: string) =>
      (await get(`/estimate?amount=${amount}&currency_from=${from}&currency_to=${to}`)).json;
    expect(await estimate('3999.5000', 'usd', 'btc')).toEqual({
      ...{ currency_from: 'usd', amount_from: 3999.5, currency_to: 'btc', estimated_amount: 1.99975 },
    });
    expect(await estimate('1', 'eth', 'eur')).toMatchObject({ estimated_amount: 4000 });
    expect(await estimate('1', 'eth', 'usdttrc20')).toMatchObject({ estimated_amount: 2000 });
    expect(
      (await get('/min-amount?currency_from=eth&currency_to=eth&fiat_equivalent=usd')).json,
    ).toMatchObject({
      ...{ currency_from: 'eth', min_amount: expect.any(Number), fiat_equivalent: expect.any(Number) },
    });
    expect((await get('/balance')).json).toEqual({ usd: { amount: 20, pendingAmount: 0 } });
  });
});

const idsOf = ({ json }: Answered) => json.withdrawals.map(({ id }: { id: string | null }) => id);

describe('a payout of NOWPayments', () => {
  /** Under a token of its own, as clients ask. */
  const pay = async (
    { post, token }: Client,
    withdrawals: readonly object[],
    change: { key?: string } = {},
  ) => post('/payout', { withdrawals }, { token: await token(), ...change });
  const withdrawal = { address: ADDRESS, currency: 'usdttrc20', amount: 10.5 };

  test('needs a good token and an allowed address, and is paid once for an id, however late it is repeated', async () => {
    const { post, get, harness, token } = await client();
    await harness.earn(100, harness.sandboxKey);
    const body = { ipn_callback_url: HOOK, withdrawals: [{ ...withdrawal, unique_external_id: 'w-1' }] };
    expect(await post('/payout', body)).toMatchObject({ status: 401, json: { code: 'AUTH_REQUIRED' } });
    const good = await token();
    const forged = `${good.slice(0, -3)}AAA`;
    expect((await post('/payout', body, { token: forged })).status).toBe(401);
    expect(await post('/payout', body, { token: good, from: '203.0.113.9' })).toMatchObject({
      ...{ status: 403, json: { code: 'PAYOUTS_DISABLED' } },
    });
    const answers = await Promise.all([1, 2, 3].map(() => post('/payout', body, { token: good })));
    const [made] = answers;
    expect(made?.json).toMatchObject({
      withdrawals: [{ status: 'WAITING', amount: '10.5', currency: 'usdttrc20', unique_external_id: 'w-1' }],
    });
    for (const { json } of answers) expect(json.id).toBe(made?.json.id);
    // The token ends, and so did the two hours of an X-Uniq-Id.
    harnessClock.advance(3 * 86_400);
    expect((await post('/payout', body, { token: good })).status).toBe(401);
    const next = await token();
    expect((await post('/payout', body, { token: next })).json.id).toBe(made?.json.id);
    expect((await get('/payout')).json.payouts).toHaveLength(1);
    expect((await get(`/payout/${made?.json.id}`)).json).toMatchObject([
      { id: made?.json.id, unique_external_id: 'w-1' },
    ]);
    const verify = (change: object) =>
      post(`/payout/${made?.json.id}/verify`, { verification_code: '1' }, change);
    expect((await verify({})).status).toBe(401);
    expect((await verify({ token: next })).text).toBe('"OK"');
  });

  test('without an id is paid once a day whatever the token, as often as it stands in a request or as its Idempotency-Key says', async () => {
    const shop = await client();
    await shop.harness.earn(200, shop.harness.sandboxKey);
    const list = [withdrawal, withdrawal, { ...withdrawal, amount: 1000 }];
    const ids = async (change = {}, sent: readonly object[] = list) => idsOf(await pay(shop, sent, change));
    const made = await ids();
    expect(made).toEqual([expect.any(String), expect.any(String), null]);
    expect(made[0]).not.toBe(made[1]);
    harnessClock.advance(600);
    expect(await ids()).toEqual(made);
    expect(await ids({}, [{ ...withdrawal, amount: '10.50' }])).toEqual([made[0]]);
    const again = await ids({ key: 'b' });
    expect(made).not.toContain(again[0]);
    expect(await ids({ key: 'b' })).toEqual(again);
    harnessClock.advance(86_400);
    expect(made).not.toContain((await ids())[0]);
  });

  test('that was cut off in the middle of a list, or short of money, is paid when the list comes again, and what stands is not', async () => {
    const shop = await client();
    const { get, harness } = shop;
    await harness.earn(100, harness.sandboxKey);
    const both = [withdrawal, { ...withdrawal, amount: 11 }];
    const { createPayout } = harness.application;
    let asked = 0;
    const away = spyOn(harness.application, 'createPayout').mockImplementation(async (...given) => {
      asked += 1;
      if (asked === 2) throw new StorageUnavailable('away');
      return createPayout(...given);
    });
    expect((await pay(shop, both)).status).toBe(503);
    away.mockRestore();
    harnessClock.advance(1);
    expect((await pay(shop, both)).status).toBe(201);
    expect((await get('/payout')).json.payouts).toHaveLength(2);
    const list = [10, 100].map((amount) => ({ ...withdrawal, amount, unique_external_id: `w-${amount}` }));
    const ids = async () => idsOf(await pay(shop, list));
    const [first, short] = await ids();
    expect(short).toBeNull();
    await harness.earn(100, harness.sandboxKey);
    const made = await ids();
    expect(made).toEqual([first, expect.any(String)]);
    expect(await ids()).toEqual(made);
    expect((await get('/payout')).json.payouts).toHaveLength(4);
  });

  test('under an id that stands for another one is refused, in a list in its place', async () => {
    const shop = await client();
    await shop.harness.earn(100, shop.harness.sandboxKey);
    const named = { ...withdrawal, unique_external_id: 'w-1' };
    const made = await pay(shop, [named, { ...named, amount: 11 }]);
    expect(made.json.withdrawals).toMatchObject([
      { id: made.json.id, amount: '10.5' },
      {
        ...{ id: null, status: 'REJECTED' },
        error: expect.stringContaining(`This unique_external_id belongs to payout ${made.json.id},`),
      },
    ]);
    const keyed = async (amount: number) => (await pay(shop, [{ ...withdrawal, amount }], { key: 'k' })).json;
    const { id } = await keyed(12);
    expect((await keyed(13)).message).toContain(`This Idempotency-Key belongs to payout ${id},`);
    const changes = [{ amount: 11 }, { address: OTHER_ADDRESS }, { currency: 'trx' }];
    for (const change of changes)
      expect(await pay(shop, [{ ...named, ...change }])).toMatchObject({
        status: 409,
        json: { status: false, statusCode: 409, code: 'DUPLICATE' },
      });
  });

  test('sends what a fiat amount is worth where one is given, whatever amount stands beside it', async () => {
    const { post, get, harness, token } = await client();
    await harness.earn(100, harness.sandboxKey);
    const fiat = { ...withdrawal, amount: 1, fiat_amount: 20, fiat_currency: 'usd' };
    const paid = async (change: object = {}, body: object = {}) => {
      const withdrawals = [{ ...fiat, ...change }];
      return (await post('/payout', { withdrawals, ...body }, { token: await token() })).json;
    };
    const made = await paid();
    expect(made.withdrawals).toMatchObject([{ amount: '20', currency: 'usdttrc20' }]);
    expect((await paid({ amount: 3, fiat_amount: '20.0' })).id).toBe(made.id);
    // Two euros are a dollar in these tests.
    expect((await paid({ fiat_currency: 'eur' })).withdrawals).toMatchObject([{ amount: '10' }]);
    for (const alone of [{ fiat_amount: undefined }, { fiat_currency: undefined }, { fiat_currency: 'btc' }])
      expect((await paid(alone)).message).toContain('fiat_amount');
    expect((await paid({ fiat_amount: '0' })).message).toContain('fiat_amount');
    const later = { execute_at: '2026-12-29T10:35:00.000Z', interval: 'ONETIME' };
    expect((await paid({}, later)).message).toContain('execute_at');
    expect((await get('/payout')).json.payouts).toHaveLength(2);
  });

  test('is known by an id that is a number of any size, and loses no memo that is one', async () => {
    const shop = await client();
    await shop.harness.earn(100, shop.harness.sandboxKey);
    // Beyond what a binary float tells apart.
    const id = 9_007_199_254_740_992n;
    const paid = (change: object) => pay(shop, [{ ...withdrawal, ...change }]);
    const named = (units: bigint) => paid({ unique_external_id: exactNumber(units, 0) });
    const made = [await named(id), await named(id + 1n)].map(({ json }) => json.id);
    expect(made[0]).not.toBe(made[1]);
    harnessClock.advance(1);
    expect([await named(id), await named(id + 1n)].map(({ json }) => json.id)).toEqual(made);
    for (const extraId of [exactNumber(id + 1n, 0), true, ['7'], { memo: '7' }])
      expect((await paid({ extra_id: extraId })).json.message).toContain('extra_id');
    expect((await paid({ unique_external_id: { id: 7 } })).json.message).toContain('unique_external_id');
  });
});

describe("NOWPayments' shape of a refusal", () => {
  test('has its codes, and names fields by its names', async () => {
    const { post, harness, get } = await client();
    expect(await harness.call('POST', `${BASE}/payment`, { key: 'sk_live_x', body: ORDER })).toMatchObject({
      status: 403,
      json: { status: false, statusCode: 403, code: 'INVALID_API_KEY', message: expect.any(String) },
    });
    const guess = { key: null, body: { email: 'a@shop.example', password: 'guess' } };
    expect((await harness.call('POST', `${BASE}/auth`, guess)).status).toBe(403);
    const cases: readonly [object, string][] = [
      [{ price_amount: 0 }, 'price_amount'],
      [{ price_currency: 'xxx' }, 'price_currency'],
      [{ pay_currency: 'nocoin' }, 'pay_currency'],
      [{ pay_currency: undefined }, 'pay_currency'],
      [{ ipn_callback_url: 'x' }, 'ipn_callback_url'],
      [{ payout_address: ADDRESS }, 'payout_address'],
      [{ is_fee_paid_by_user: 'perhaps' }, 'is_fee_paid_by_user'],
    ];
    for (const [change, field] of cases)
      expect(await post('/payment', { ...ORDER, ...change })).toMatchObject({
        status: 400,
        json: { code: 'INVALID_REQUEST_PARAMS', message: expect.stringContaining(field) },
      });
    expect(await get('/payment/6249365965')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  });

  test('tells what is not supported with 501', async () => {
    const { post } = await client();
    const unsupported = [
      ...['/payment/1/update-merchant-estimate', '/payout/validate-address', '/payout/1/cancel'],
      ...['/subscriptions/plans', '/conversion', '/sub-partner/balance', '/payout/fee', '/balance/x'],
    ];
    for (const path of unsupported)
      expect(await post(path, {})).toMatchObject({
        ...{ status: 501, json: { status: false, statusCode: 501, code: 'NOT_SUPPORTED' } },
      });
  });
});
