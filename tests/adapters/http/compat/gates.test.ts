/**
 * Who is let in by the routes of other providers: signatures, webhooks that come back, and what
 * anybody may ask.
 */
import { describe, expect, spyOn, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { flagAsked } from '../../../../src/adapters/http/compat/use-cases.ts';
import type { PayoutInput } from '../../../../src/app/application.ts';
import { rotateKey } from '../../../../src/app/merchants/manage-merchants.ts';
import { INVOICE_STATUSES } from '../../../../src/domain/invoices/invoice.ts';
import type { JsonValue } from '../../../../src/domain/money/json.ts';
import { client as coinpayments, signedForm } from '../../../support/compat/coinpayments-client.ts';
import { client, md5 } from '../../../support/compat/cryptomus-client.ts';
import { NOWPAYMENTS_BASE } from '../../../support/compat/nowpayments-client.ts';
import { PAID, read, told } from '../../../support/fake/presented-invoices.ts';
import { openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const ORDER = { amount: '16', currency: 'USD', to_currency: 'USDT', network: 'TRON', order_id: '555123' };

test('a webhook that comes back as a request is refused as a bad signature is, whatever it asks for', async () => {
  const { send, harness, sent } = await client();
  const { uuid } = (await send('/payment', ORDER)).json.result;
  const id = (await harness.application.queries.invoiceByExternalId(uuid))?.id;
  await harness.call('POST', `/api/v2/invoices/${id}/simulate`, {
    ...{ key: harness.sandboxKey, body: { status: 'success', notify_url: 'https://shop.example/callback' } },
  });
  const hook = new TextDecoder().decode(sent[0]?.body);
  const { sign } = JSON.parse(hook);
  const body = hook.replace(`,"sign":"${sign}"`, '');
  const forged = await send('/payment/info', body, { key: 'another' });
  expect(md5(body, harness.sandboxKey)).toBe(sign);
  for (const path of ['/payment/info', '/payment/resend', '/payout']) {
    const refused = await send(path, body);
    expect([refused.status, refused.json]).toEqual([401, forged.json]);
  }
  const later = body.replace('"type":"payment"', '"type":"wallet"');
  expect((await send('/payment/info', later)).status).toBe(401);
  expect((await send('/payment/info', { uuid, type: 'payment' })).status).toBe(200);
});

test('no webhook of Cryptomus or Heleket names an address, which a payout goes to', () => {
  for (const format of ['cryptomus', 'heleket'] as const)
    for (const permanentAddressId of [null, '0190f3a1b2c30a1b2c3d4e60'])
      for (const status of INVOICE_STATUSES)
        expect(
          Object.keys(read(format, told({ ...PAID.invoice, status, permanentAddressId }))),
        ).not.toContain('address');
});

test('what anybody may ask counts by network with the requests that have no good key', async () => {
  const { call, sandboxKey: key } = await openHarness({ config: { rateLimitPerMinute: 3 } });
  const open = [
    '/nowpayments/v1/status',
    '/coinpayments/api/v2/rates?from=4&to=5057',
    '/cryptomus/v1/exchange-rate/ETH/list',
    '/coinpayments/api/v1/invoices/8b03432e-385b-4670-8d06-064591096795/payment-currencies/1',
  ];
  const ask = (path: string, from: string) => call('GET', `/compat${path}`, { key: null, from });
  const statuses: number[] = [];
  for (const path of open) statuses.push((await ask(path, '203.0.113.9')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refused = await ask('/nowpayments/v1/status', '203.0.113.9');
  expect(refused.json).toMatchObject({ status: false, code: 'RATE_LIMITED' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask('/nowpayments/v1/status', '203.0.114.9')).status).toBe(200);
  expect((await call('GET', '/api/v2/balance', { key, from: '203.0.113.9' })).status).toBe(200);
});

test('W4: what a stranger sends is not taken apart, however much it is', async () => {
  const { call } = await openHarness({ config: { rateLimitPerMinute: 1 } });
  const key = `sk_sandbox_${'0'.repeat(48)}`;
  const form = `key=${key}&${'a&'.repeat(100_000)}`;
  const json = JSON.stringify({ password: key, a: Array.from({ length: 100_000 }, () => 0) });
  const hmac = createHmac('sha512', key).update(form).digest('hex');
  const large: number[] = [];
  const note = (text: unknown) => String(text).length > 10_000 && large.push(String(text).length);
  const [Form, parse] = [globalThis.URLSearchParams, JSON.parse];
  const forms = spyOn(globalThis, 'URLSearchParams').mockImplementation(((given: string) => {
    note(given);
    return new Form(given);
  }) as never);
  const texts = spyOn(JSON, 'parse').mockImplementation((text, ...more) => {
    note(text);
    return parse(text, ...more);
  });
  try {
    const asked = { key: null, from: '203.0.113.9' };
    const old = { ...asked, body: form, headers: { hmac } };
    const statuses: number[] = [];
    for (const given of [old, old])
      statuses.push((await call('POST', '/compat/coinpayments/v1/api.php', given)).status);
    statuses.push((await call('POST', '/compat/nowpayments/v1/auth', { ...asked, body: json })).status);
    expect(statuses).toEqual([401, 429, 429]);
    expect(large).toEqual([]);
  } finally {
    forms.mockRestore();
    texts.mockRestore();
  }
});

test('a form of CoinPayments that the database could not hold is refused, and so is a label that would have to be cut', async () => {
  const { old } = await coinpayments();
  const callback = { cmd: 'get_callback_address', currency: 'USDT.TRC20' };
  const payment = { cmd: 'create_transaction', amount: '10', currency1: 'USD', currency2: 'USDT.TRC20' };
  for (const form of [
    { ...callback, label: 'a\0' },
    { ...payment, item_name: 'a\0' },
    { ...callback, label: `${'u'.repeat(128)}1` },
  ])
    expect(await old(form)).toMatchObject({ status: 422, json: { code: 'VALIDATION_ERROR' } });
  const whole = { ...callback, label: '\u{1f600}'.repeat(128) };
  expect((await old(whole)).json.result.address).toBe((await old(whole)).json.result.address);
});

test('requests of other clients count with those to the API against the limit of the key, and are told what is left', async () => {
  const { call, sandboxKey: key } = await openHarness({ config: { rateLimitPerMinute: 2 } });
  const ask = () => call('GET', `${NOWPAYMENTS_BASE}/currencies`, { key });
  expect((await ask()).headers.get('ratelimit')).toContain('r=1;');
  await call('GET', '/api/v2/balance', { key });
  const third = await ask();
  expect(third).toMatchObject({ status: 429, json: { status: false, code: 'RATE_LIMITED' } });
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a shop of the present CoinPayments has its merchant id or its API key as client id, and the API key as secret', async () => {
  const { now, harness } = await coinpayments();
  const asked = async (id: string, secret = harness.sandboxKey) =>
    (await now('GET', '/api/v2/merchant/invoices', undefined, { id, secret })).status;
  const { id } = harness.merchant;
  expect([await asked(id), await asked(harness.sandboxKey)]).toEqual([200, 200]);
  const stranger = await openHarness();
  expect([await asked(id, stranger.sandboxKey), await asked(stranger.merchant.id)]).toEqual([401, 401]);
  expect([await asked(stranger.sandboxKey), await asked(id, id), await asked('x')]).toEqual([401, 401, 401]);
});

test('callback addresses without a label differ, though the requests call themselves alike', async () => {
  const { harness } = await coinpayments();
  const form = { cmd: 'get_callback_address', currency: 'USDT.TRC20' };
  const { headers, body } = signedForm(form, harness.sandboxKey);
  const address = async () => {
    const given = { key: null, body, headers: { ...headers, 'x-request-id': 'always-the-same' } };
    return (await harness.call('POST', '/compat/coinpayments/v1/api.php', given)).json.result.address;
  };
  expect(await address()).not.toBe(await address());
});

test('yes and no are taken in the usual spellings, and nothing else is taken for either', () => {
  const meant = (value: JsonValue | undefined) => {
    const read = flagAsked(value, 'is_subtract');
    return read.ok ? read.value : read.error.code;
  };
  for (const yes of [true, 1, '1', 'true', 'TRUE', ' yes ', 'on']) expect(meant(yes)).toBe(true);
  for (const no of [false, 0, '0', 'False', 'no', 'off']) expect(meant(no)).toBe(false);
  for (const none of [undefined, null, '', ' ']) expect(meant(none)).toBeNull();
  for (const other of [2, 'perhaps', [], {}, ['true']]) expect(meant(other)).toBe('VALIDATION_ERROR');
});

describe('a signature of Cryptomus', () => {
  test('is taken from every key that lives, and names the environment', async () => {
    const { send, harness } = await client();
    const rotated = await rotateKey(harness.dependencies)(harness.merchant.id, 'sandbox', 3_600);
    if (!rotated.ok) throw new Error(rotated.error.message);
    for (const key of [harness.liveKey, harness.sandboxKey, rotated.value.key])
      expect((await send('/balance', {}, { key })).status).toBe(200);
  });

  test('of another key, another merchant or another body is refused, as is none', async () => {
    const { send, harness, base } = await client();
    const other = await harness.addMerchant();
    const unauthorized = { state: 1, code: 'UNAUTHORIZED', message: expect.any(String) };
    for (const change of [{ key: other.sandboxKey }, { merchant: other.merchant.id }, { merchant: 'nobody' }])
      expect(await send('/payment', ORDER, change)).toMatchObject({ status: 401, json: unauthorized });
    const headers = { merchant: harness.merchant.id, sign: md5('{}', harness.sandboxKey) };
    const forged = await harness.call('POST', `${base}/payment`, { key: null, headers, body: ORDER });
    expect(forged).toMatchObject({ status: 401, json: unauthorized });
    const keyed = await harness.call('POST', `${base}/payment`, { key: harness.sandboxKey, body: ORDER });
    expect(keyed.status).toBe(401);
  });

  test('W4: that is guessed is counted by the network it comes from, and good ones behind that work', async () => {
    const { call, merchant, sandboxKey, addMerchant } = await openHarness({
      config: { rateLimitPerMinute: 2 },
    });
    const unused = await addMerchant();
    const ask = async (of: { id: string }, sign: string) => {
      const headers = { merchant: of.id, sign };
      return (await call('POST', '/compat/cryptomus/v1/balance', { key: null, headers, body: '{}' })).status;
    };
    const guesses = [await ask(merchant, 'x'), await ask(merchant, 'x'), await ask(merchant, 'x')];
    expect(guesses).toEqual([401, 401, 429]);
    expect(await ask(merchant, md5('{}', sandboxKey))).toBe(200);
    expect(await ask(unused.merchant, md5('{}', unused.sandboxKey))).toBe(200);
  });
});

test('an X-Uniq-Id that is kept longer than two hours is refused in words that say so', async () => {
  const harness = await openHarness();
  await harness.earn(50, harness.sandboxKey);
  const { application, merchant } = harness;
  const caller = {
    merchant,
    environment: 'sandbox',
    scope: { merchantId: merchant.id, sandbox: true },
  } as const;
  const input: PayoutInput = {
    ...{ asset: application.catalog.require('usdt_tron'), address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
    ...{ amount: { digits: 5n, scale: 0 }, fiatCurrency: null, ref: null, feeBearer: null },
  };
  for (const [kept, said] of [
    ['a day', 'within the last 24 hours'],
    ['for good', 'before'],
  ] as const) {
    const ask = () => application.createPayout(caller, kept, input, null, kept);
    expect(await ask()).toMatchObject({ ok: true });
    expect(await ask()).toMatchObject({
      error: {
        code: 'DUPLICATE',
        message: expect.stringContaining(`X-Uniq-Id was used ${said}: it created`),
      },
    });
  }
});
