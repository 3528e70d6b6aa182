/**
 * Cryptomus' and Heleket's clients on the real application: what they send, what they are answered,
 * what their receivers get.
 */
import { describe, expect, test } from 'bun:test';
import { client, md5 } from '../../../support/compat/cryptomus-client.ts';
import { harnessClock, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const HOOK = 'https://shop.example/callback';
const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

const ORDER = {
  ...{ amount: '16', currency: 'USD', to_currency: 'USDT', network: 'TRON', order_id: '555123' },
  ...{ url_callback: HOOK, url_return: 'https://shop.example/return', lifetime: '7200', subtract: '' },
};

describe('a shop of Cryptomus', () => {
  test('creates a payment, is told that it was paid, verifies that, and reads it', async () => {
    const { harness, send, sent } = await client();
    const made = await send('/payment', ORDER);
    expect(made.status).toBe(200);
    expect(made.json).toMatchObject({
      state: 0,
      result: {
        ...{ order_id: '555123', amount: '16.00', currency: 'USD', payer_currency: 'USDT', network: 'tron' },
        ...{ payment_status: 'check', status: 'check', is_final: false, txid: null },
      },
    });
    const { uuid, address, url, expired_at } = made.json.result;
    expect(address).toStartWith('T');
    expect(url).toEndWith(uuid);
    expect(expired_at).toBe(Math.floor(Date.parse(made.json.result.created_at) / 1000) + 7200);

    const own = (await harness.call('GET', '/api/v2/invoices?per_page=1', { key: harness.sandboxKey })).json;
    const [{ order_id: id, extra }] = own.result;
    expect(extra).toBe('555123');
    await harness.call('POST', `/api/v2/invoices/${id}/simulate`, {
      ...{ key: harness.sandboxKey, body: { status: 'success' } },
    });
    const hook = new TextDecoder().decode(sent[0]?.body);
    const { sign } = JSON.parse(hook);
    expect(sign).toBe(md5(hook.replace(`,"sign":"${sign}"`, ''), harness.sandboxKey));
    expect(sent[0]?.url).toBe(HOOK);
    expect(JSON.parse(hook)).toMatchObject({ uuid, order_id: '555123', status: 'paid', is_final: true });

    const both = { uuid: '8b03432e-385b-4670-8d06-064591096795', order_id: '555123' };
    for (const name of [{ uuid }, { order_id: '555123' }, { order_id: id }, both])
      expect((await send('/payment/info', name)).json.result).toMatchObject({
        ...{ uuid, status: 'paid', payment_status: 'paid', is_final: true, address },
      });
    expect((await send('/payment/list', {})).json.result).toMatchObject({
      items: [{ uuid, status: 'paid' }],
      paginate: { count: 1, hasPages: false, nextCursor: null, perPage: 15 },
    });
    expect((await send('/payment/resend', { uuid })).json).toEqual({ state: 0, result: [] });
    await send('/test-webhook/payment', { url_callback: HOOK, currency: 'USDT', status: 'fail' });
    expect(new TextDecoder().decode(sent[1]?.body)).toContain('"status":"fail"');
  });

  test('that repeats an order id, at once or later, gets the one payment that stands', async () => {
    const { send, harness } = await client();
    const answers = await Promise.all(
      [16, 17, 18, 19].map((amount) => send('/payment', { ...ORDER, amount })),
    );
    const uuids = new Set(answers.map(({ json }) => json.result.uuid));
    expect(uuids.size).toBe(1);
    expect((await send('/payment', { ...ORDER, amount: '99' })).json.result).toEqual(answers[0]?.json.result);
    const live = await send('/payment', ORDER, { key: harness.liveKey });
    expect(uuids.has(live.json.result.uuid)).toBe(false);
    expect((await send('/payment/list')).json.result.paginate.count).toBe(1);
  });

  test('lets the customer choose, narrows the choice, and prices in a coin', async () => {
    const { send, harness } = await client();
    const choose = {
      amount: '20.50',
      currency: 'EUR',
      order_id: 'a',
      additional_data: 'note',
      discount_percent: 5,
    };
    // Of a list what is known is kept.
    const currencies = [{ currency: 'USDT', network: 'tron' }, { currency: 'DOGE' }];
    const made = await send('/payment', { ...choose, currencies });
    expect(made.json.result).toMatchObject({
      amount: '20.50',
      currency: 'EUR',
      address: null,
      network: null,
    });
    const except = (...named: object[]) =>
      send('/payment', { ...choose, order_id: `c${named.length}`, except_currencies: named });
    await except({ currency: 'DOGE' });
    await except({ currency: 'USDT', network: 'MARS' }, { currency: 'BTC' });
    const exact = `{"amount":20,"currency":"USD","order_id":"e","discount_percent":5.0}`;
    await send('/payment', exact);
    const coin = { amount: '0.01', currency: 'BTC', order_id: 'b', is_payment_multiple: true };
    expect((await send('/payment', coin)).json.result).toMatchObject({
      payer_amount: '0.01010000',
      network: 'btc',
    });
    const list = (await harness.call('GET', '/api/v2/invoices', { key: harness.sandboxKey })).json.result;
    expect(list).toMatchObject([
      { extra: 'b', asset: 'btc_bitcoin' },
      { extra: 'e', price_modifier: -5 },
      { extra: 'c2', excluded_coins: ['btc_bitcoin'] },
      { extra: 'c1', excluded_coins: [] },
      { extra: 'a', accepted_coins: ['usdt_tron'], price_modifier: -5, description: 'note' },
    ]);
  });

  test('reads services, balance and rates in its own shapes', async () => {
    const { send, harness, base } = await client();
    await harness.earn(20, harness.sandboxKey);
    const services = (await send('/payment/services')).json.result;
    expect(services).toContainEqual({
      ...{ network: 'TRON', currency: 'USDT', is_available: true },
      limit: { min_amount: expect.stringMatching(/^\d+\.\d{8}$/), max_amount: '10000000.00000000' },
      commission: { fee_amount: '0.00', percent: expect.stringMatching(/^\d+\.\d\d$/) },
    });
    expect((await send('/payout/services', {})).json.result).toHaveLength(services.length);
    const [{ balance }] = (await send('/balance', [])).json.result;
    expect(balance.merchant).toMatchObject([{ currency_code: 'USD', balance: '20.00' }]);
    const rates = await harness.call('GET', `${base}/exchange-rate/ETH/list`, { key: null });
    expect(rates.json.result).toContainEqual({ from: 'ETH', to: 'USD', course: '2000' });
  });

  test('gets one static wallet for an order id', async () => {
    const { send } = await client();
    const asked = { currency: 'USDT', network: 'tron', order_id: 'user-7', url_callback: HOOK };
    const made = await send('/wallet', asked);
    expect(made.json.result).toMatchObject({ order_id: 'user-7', network: 'tron', currency: 'USDT' });
    expect((await send('/wallet', asked)).json).toEqual(made.json);
  });

  test('pays out once for an order id, however late it asks again, and only from an allowed address', async () => {
    const { send, harness } = await client();
    await harness.earn(100, harness.sandboxKey);
    const asked = {
      ...{
        amount: '15',
        currency: 'USDT',
        network: 'TRON',
        order_id: '555321',
        address: ADDRESS,
        is_subtract: '1',
      },
      url_callback: HOOK,
    };
    expect((await send('/payout', asked, { from: '203.0.113.9' })).json).toMatchObject({
      ...{ state: 1, code: 'PAYOUTS_DISABLED' },
    });
    const answers = await Promise.all([1, 2, 3].map(() => send('/payout', asked)));
    const [made] = answers;
    expect(made?.json.result).toMatchObject({
      ...{ order_id: '555321', amount: '15.00000000', currency: 'USDT', network: 'tron', address: ADDRESS },
      ...{ status: 'process', is_final: false },
    });
    const { uuid } = made?.json.result ?? {};
    for (const answer of answers) expect(answer.json.result.uuid).toBe(uuid);
    harnessClock.advance(3 * 86_400);
    expect((await send('/payout', asked)).json.result.uuid).toBe(uuid);
    for (const named of [{ uuid }, { order_id: '555321' }, { uuid: 'another', order_id: '555321' }])
      expect((await send('/payout/info', named)).json.result.uuid).toBe(uuid);
    expect((await send('/payout/list', {})).json.result).toMatchObject({
      items: [{ uuid }],
      paginate: { count: 1 },
    });
    const changes = [
      { amount: '20' },
      { currency: 'TRX' },
      { address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7' },
    ];
    for (const change of changes)
      expect(await send('/payout', { ...asked, ...change })).toMatchObject({
        ...{ status: 409, json: { state: 1, code: 'DUPLICATE', message: expect.stringContaining(uuid) } },
      });
    const inUsd = { ...asked, ...{ order_id: 'usd', currency: 'USD', to_currency: 'USDT', amount: '7.77' } };
    const named = (await send('/payout', inUsd)).json.result.uuid;
    expect((await send('/payout', inUsd)).json.result.uuid).toBe(named);
    expect((await send('/payout', { ...inUsd, amount: '7.78' })).status).toBe(409);
    // Of another fiat currency nothing is kept to compare with: the payout that stands is answered,
    // as there.
    for (const amount of ['7.77', '9'])
      expect((await send('/payout', { ...inUsd, currency: 'EUR', amount })).json.result).toMatchObject({
        ...{ uuid: named, amount: '7.77000000' },
      });
    const unclear = await send('/payout', { ...asked, order_id: 'y', is_subtract: 'perhaps' });
    expect(unclear).toMatchObject({ status: 422, json: { errors: { is_subtract: [expect.any(String)] } } });
    const memo = await send('/payout', { ...asked, order_id: 'x', memo: ['7'] });
    expect(memo.json).toMatchObject({ state: 1, errors: { memo: [expect.stringContaining('X-address')] } });
  });
});

test('each state of ours that the sandbox reaches is told in their word', async () => {
  const words = {
    ...{ success: 'paid', partially_paid: 'wrong_amount', paid_over: 'paid_over', expired: 'cancel' },
    ...{ cancelled: 'wrong_amount', failed: 'fail', refunded: 'refund_paid' },
  };
  const { send, harness } = await client();
  for (const [status, word] of Object.entries(words)) {
    const { uuid } = (await send('/payment', { ...ORDER, order_id: status })).json.result;
    const id = (await harness.application.queries.invoiceByExternalId(uuid))?.id;
    await harness.call('POST', `/api/v2/invoices/${id}/simulate`, {
      ...{ key: harness.sandboxKey, body: { status, send_webhook: false } },
    });
    expect((await send('/payment/info', { order_id: status })).json.result.status).toBe(word);
  }
});

describe("Cryptomus' shape of a refusal", () => {
  test('names fields by its own names', async () => {
    const { send } = await client();
    const cases: readonly [object, string][] = [
      [{ amount: 'much' }, 'amount'],
      [{ amount: '-1' }, 'amount'],
      [{ currency: 'XXX' }, 'to_currency'],
      [{ to_currency: 'XXX' }, 'network'],
      [{ currency: '' }, 'currency'],
      [{ order_id: '' }, 'order_id'],
      [{ network: 'MARS' }, 'network'],
      [{ network: '' }, 'network'],
      [{ lifetime: '1' }, 'lifetime'],
      [{ url_callback: 'ftp://x' }, 'url_callback'],
      [{ subtract: '50' }, 'subtract'],
      [{ to_currency: '', network: 'dogechain' }, 'network'],
      [{ to_currency: '', network: 'TRON', currencies: [{ currency: 'BTC' }] }, 'network'],
      [{ to_currency: '', network: '', currencies: [{ currency: 'DOGE' }] }, 'currencies'],
      [{ to_currency: '', network: '', currencies: 'BTC' }, 'currencies'],
      [{ to_currency: '', network: '', currencies: [{ currency: 'USDT' }, 'BTC'] }, 'currencies'],
      [
        { to_currency: '', network: '', except_currencies: [{ currency: 'DOGE' }, 'BTC'] },
        'except_currencies',
      ],
      [{ to_currency: '', network: '', except_currencies: 'BTC' }, 'except_currencies'],
    ];
    for (const [change, field] of cases) {
      const answer = await send('/payment', { ...ORDER, ...change });
      expect(answer).toMatchObject({
        status: 422,
        json: { state: 1, message: expect.stringContaining(field) },
      });
      expect(Object.keys(answer.json.errors)).toEqual([field]);
    }
  });

  test('tells what is not supported with 501, and what is not found with 404', async () => {
    const { send, harness, base } = await client();
    const unsupported = [
      ...[
        '/payment/qr',
        '/payment/mark-as-paid',
        '/payment/refund',
        '/payment/aml-links',
        '/recurrence/create',
      ],
      ...[
        '/recurrence/info',
        '/recurrence/list',
        '/recurrence/cancel',
        '/wallet/qr',
        '/wallet/block-address',
      ],
      ...['/wallet/blocked-address-refund', '/payout/calc', '/payout/calculate', '/transfer/to-personal'],
      ...['/transfer/to-business', '/test-webhook/wallet', '/test-webhook/payout', '/payment/discount/list'],
    ];
    for (const path of unsupported)
      expect(await send(path, {})).toMatchObject({
        ...{ status: 501, json: { state: 1, code: 'NOT_SUPPORTED', message: expect.stringContaining(path) } },
      });
    expect((await harness.call('POST', `${base}/payment/qr`, { key: null })).status).toBe(401);
    const uuid = '8b03432e-385b-4670-8d06-064591096795';
    for (const name of [{ uuid }, { order_id: 'none' }])
      expect(await send('/payment/info', name)).toMatchObject({ status: 404, json: { state: 1 } });
    expect(await send('/payout/info', { uuid })).toMatchObject({ status: 404, json: { state: 1 } });
  });
});

test('a shop of Heleket has the same with its own names of chains', async () => {
  const { send, sent, harness } = await client('heleket');
  const made = await send('/payment', { ...ORDER, to_currency: 'ETH', network: 'ethereum' });
  const asThere = await send('/payment', { ...ORDER, network: 'eth', order_id: '2' });
  expect(asThere.json.result).toMatchObject({ network: 'ethereum', payer_currency: 'USDT' });
  expect(made.json.result).toMatchObject({ network: 'ethereum', payer_currency: 'ETH', status: 'check' });
  const list = (await harness.call('GET', '/api/v2/invoices', { key: harness.sandboxKey })).json.result;
  await harness.call('POST', `/api/v2/invoices/${list[1].order_id}/simulate`, {
    ...{ key: harness.sandboxKey, body: { status: 'partially_paid' } },
  });
  expect(JSON.parse(new TextDecoder().decode(sent[0]?.body))).toMatchObject({
    ...{ network: 'ethereum', status: 'wrong_amount_waiting', is_final: false },
  });
  expect((await send('/payment/info', { uuid: made.json.result.uuid })).json.result).toMatchObject({
    status: 'wrong_amount_waiting',
  });
});
