/** CoinPayments' clients, of its old API and of the present one, on the real application. */
import { describe, expect, test } from 'bun:test';
import { massOf } from '../../../../src/adapters/http/compat/coinpayments/requests.ts';
import { type Client, client } from '../../../support/compat/coinpayments-client.ts';
import { addressGone } from '../../../support/compat/nowpayments-client.ts';
import { refusedBy } from '../../../support/compat/receiver-recipes.ts';
import { harnessClock, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const HOOK = 'https://shop.example/ipn';
const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const BEHIND_PROXY = 'https://pay.example';

const simulate = ({ harness: { call, sandboxKey: key } }: Client, id: string, body: object) =>
  call('POST', `/api/v2/invoices/${id}/simulate`, { key, body });

const TRANSACTION = {
  ...{ cmd: 'create_transaction', amount: '10.00', currency1: 'USD', currency2: 'USDT.TRC20', ipn_url: HOOK },
  ...{ buyer_email: 'b@shop.example', item_name: 'Shirt', invoice: 'order/7', custom: 'cart=9', address: '' },
};

describe('a shop of the old CoinPayments', () => {
  test('creates a transaction, is told that it was paid, verifies that, and reads it', async () => {
    const shop = await client();
    const made = await shop.old(TRANSACTION);
    expect(made.json).toMatchObject({
      error: 'ok',
      result: { amount: expect.stringMatching(/^10\.\d{8}$/), confirms_needed: '19', timeout: 3600 },
    });
    const { txn_id: id, address } = made.json.result;
    await simulate(shop, id, { status: 'success' });
    const hook = shop.hook(0);
    expect(refusedBy('coinpayments', hook, shop.harness.sandboxKey)).toEqual([]);
    expect(Object.fromEntries(new URLSearchParams(hook.body))).toMatchObject({
      ...{
        txn_id: id,
        invoice: 'order/7',
        custom: 'cart=9',
        status: '100',
        currency1: 'USD',
        item_name: 'Shirt',
      },
      merchant: shop.harness.merchant.id,
    });
    expect((await shop.old({ cmd: 'get_tx_info', txid: id, full: '1' })).json.result).toMatchObject({
      ...{ status: 100, coin: 'USDT.TRC20', payment_address: address, type: 'coins' },
      checkout: { currency: 'USD', amountf: '10.00000000', invoice: 'order/7', custom: 'cart=9' },
    });
    const many = (await shop.old({ cmd: 'get_tx_info_multi', txid: `${id}|none` })).json.result;
    expect(many).toMatchObject({ [id]: { error: 'ok', status: 100 }, none: { error: expect.any(String) } });
    expect((await shop.old({ cmd: 'get_tx_ids' })).json.result).toEqual([id]);
  });

  test('reads each state that the sandbox reaches as its number', async () => {
    const shop = await client();
    const numbers = {
      ...{
        success: 100,
        partially_paid: 0,
        paid_over: 100,
        expired: -1,
        cancelled: -1,
        failed: -1,
        refunded: -2,
      },
    };
    for (const [status, number] of Object.entries(numbers)) {
      const id = (await shop.old(TRANSACTION)).json.result.txn_id;
      await simulate(shop, id, { status, send_webhook: false });
      expect((await shop.old({ cmd: 'get_tx_info', txid: id })).json.result.status).toBe(number);
    }
  });

  test('reads rates, balances and who it is, and gets one address for a label', async () => {
    const { old, harness } = await client();
    await harness.earn(20, harness.sandboxKey);
    const rates = (await old({ cmd: 'rates', short: '1', accepted: '1' })).json.result;
    expect(rates).toMatchObject({
      BTC: { is_fiat: 0, rate_btc: '1', accepted: 1 },
      USD: { is_fiat: 1, rate_btc: '0.0005' },
    });
    expect((await old({ cmd: 'balances' })).json.result).toMatchObject({
      USD: { balance: 2_000_000_000, balancef: '20.00000000' },
    });
    expect((await old({ cmd: 'get_basic_info' })).json.result.merchant_id).toBe(harness.merchant.id);
    const callback = { cmd: 'get_callback_address', currency: 'USDT.TRC20', ipn_url: HOOK };
    const address = async (fields: object) => (await old({ ...callback, ...fields })).json.result.address;
    expect(await address({ label: 'u1' })).toBe(await address({ label: 'u1' }));
    expect(await address({})).not.toBe(await address({}));
  });

  test('withdraws, from an allowed address only, and a request that is repeated within two hours pays once', async () => {
    const { old, harness } = await client();
    await harness.earn(100, harness.sandboxKey);
    const asked = {
      cmd: 'create_withdrawal',
      amount: '10',
      currency: 'USDT.TRC20',
      address: ADDRESS,
      note: 'n1',
    };
    expect((await old(asked, { from: '203.0.113.9' })).status).toBe(403);
    const answers = await Promise.all([1, 2, 3].map(() => old(asked)));
    const id = answers[0]?.json.result.id;
    for (const { json } of answers) expect(json).toMatchObject({ error: 'ok', result: { id, status: 1 } });
    expect((await old({ cmd: 'get_withdrawal_info', id })).json.result).toMatchObject({
      ...{ status: 1, coin: 'USDT.TRC20', amountf: '10.00000000', note: 'n1', send_address: ADDRESS },
    });
    expect((await old({ ...asked, add_tx_fee: '1' })).json.result.id).not.toBe(id);
    harnessClock.advance(7_300);
    expect((await old(asked)).json.result.id).not.toBe(id);
    const mass = {
      cmd: 'create_mass_withdrawal',
      ...{ 'wd[a][amount]': '5', 'wd[a][currency]': 'USDT.TRC20', 'wd[a][address]': ADDRESS },
      ...{ 'wd[b][amount]': '5', 'wd[b][currency]': 'XRP', 'wd[b][address]': 'r', 'wd[b][dest_tag]': '7' },
    };
    const both = (await old(mass)).json.result;
    expect(both).toMatchObject({
      a: { error: 'ok', status: 1 },
      b: { error: expect.stringContaining('dest_tag') },
    });
    expect((await old(mass)).json.result.a.id).toBe(both.a.id);
    const unclear = [
      { 'wd[c d][amount]': '5' },
      { 'wd[c][]': '5' },
      { [`wd[${'c'.repeat(65)}][amount]`]: '5' },
    ];
    for (const fields of unclear)
      expect(await old({ ...mass, ...fields })).toMatchObject({
        ...{ status: 422, json: { error: expect.stringContaining('wd[name][field]') } },
      });
    expect((await old({ ...asked, add_tx_fee: 'perhaps' })).json.error).toContain('add_tx_fee');
  });

  test('stalls nobody with as many fields of one withdrawal as a body holds', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `wd[a][f${index}]`);
    const beganAt = performance.now();
    const mass = massOf(Object.fromEntries(names.map((name) => [name, '1'])));
    expect(performance.now() - beganAt).toBeLessThan(2_000);
    expect(mass).toMatchObject({ ok: true });
    expect(mass.ok && mass.value.get('a')).toMatchObject({ f0: '1', f19999: '1' });
  });

  test('is refused without the right HMAC, and told by 501 what is not supported', async () => {
    const { old } = await client();
    expect(await old(TRANSACTION, { hmac: 'x' })).toMatchObject({
      status: 401,
      json: { error: expect.any(String) },
    });
    expect((await old(TRANSACTION, { key: 'sk_live_x' })).status).toBe(401);
    const unsupported = [
      ...['convert_coins', 'convert', 'get_conversion_limits', 'convert_limits', 'get_conversion_info'],
      ...[
        'create_transfer',
        'get_pbn_info',
        'get_pbn_list',
        'claim_pbn_tag',
        'update_pbn_tag',
        'buy_pbn_tags',
      ],
      ...['get_deposit_address', 'cancel_withdrawal', 'get_withdrawal_history'],
    ];
    for (const cmd of unsupported)
      expect(await old({ cmd })).toMatchObject({
        ...{ status: 501, json: { error: expect.stringContaining(cmd), code: 'NOT_SUPPORTED' } },
      });
    expect(await old({ ...TRANSACTION, currency2: 'XXX' })).toMatchObject({
      ...{ status: 422, json: { error: expect.stringContaining('currency2'), result: [] } },
    });
  });
});

const USDT_TRON = '9:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const INVOICE = {
  ...{ currency: '5057', invoiceId: 'order-8', description: 'Two shirts', customData: { cart: '9' } },
  items: [{ name: 'Shirt', quantity: { value: 1, type: 2 }, amount: '123.45' }],
  amount: { breakdown: { subtotal: '123.45' }, total: '123.45' },
  ...{ payment: { refundEmail: 'b@shop.example' }, webhooks: [{ notificationsUrl: HOOK }] },
};

describe('a shop of the present CoinPayments', () => {
  test('creates an invoice, chooses its currency, is told that it was paid, verifies that, and reads it', async () => {
    const shop = await client();
    const made = await shop.now('POST', '/api/v2/merchant/invoices', INVOICE);
    expect(made.status).toBe(201);
    const [{ id, checkoutLink, payment }] = made.json.invoices;
    expect(checkoutLink).toEndWith(`/checkout/${id}`);
    const offered = new Map<string, object>(
      payment.paymentCurrencies.map((each: { currency: { id: string } }) => [each.currency.id, each]),
    );
    const path = `/api/v1/invoices/${id}/payment-currencies/${USDT_TRON}`;
    const asCustomer = (at: string) => shop.harness.call('GET', `/compat/coinpayments${at}`, { key: null });
    expect((await asCustomer(`${path}/status`)).status).toBe(422);
    const chosen = await asCustomer(path);
    expect(chosen.json).toMatchObject({
      ...{ currency: { symbol: 'USDT' }, addresses: { address: expect.stringMatching(/^T/) } },
      amount: { displayValue: expect.stringMatching(/^12\d\.\d+$/) },
    });
    const { currency, amount } = chosen.json;
    expect(offered.get(USDT_TRON)).toEqual({ currency, amount });
    expect((await shop.now('GET', path)).json).toEqual(chosen.json);
    const moved = addressGone(shop.harness.application, ADDRESS);
    expect((await shop.now('GET', path)).json.addresses).toEqual({ address: ADDRESS });
    moved.mockRestore();
    await simulate(shop, payment.paymentId, { status: 'success' });
    const hook = shop.hook(0);
    expect(refusedBy('coinpayments_v2', hook, shop.harness.sandboxKey)).toEqual([]);
    expect(hook.headers['x-coinpayments-client']).toBe(shop.harness.merchant.id);
    expect(JSON.parse(hook.body)).toMatchObject({
      ...{ type: 'InvoiceCompleted', invoice: { id, invoiceId: 'order-8', customData: { cart: '9' } } },
    });
    expect((await asCustomer(`${path}/status`)).json).toMatchObject({ status: 'Completed' });
    const unknown = path.replace(id, '8b03432e-385b-4670-8d06-064591096795');
    for (const at of [unknown, `${unknown}/status`, path.replace(id, 'x')])
      expect((await asCustomer(at)).status).toBe(404);
    const read = await shop.now('GET', `/api/v2/merchant/invoices/${id}`);
    expect(read.json).toMatchObject({ id, invoiceId: 'order-8', state: 'Completed', status: 'Completed' });
    expect((await shop.now('GET', '/api/v2/merchant/invoices?page=1&pageSize=5')).json).toMatchObject({
      ...{ paging: { total: 1 }, items: [{ id }] },
    });
  });

  test('gives amounts of the first version in the smallest unit, and cancels what nobody has paid', async () => {
    const { now, harness } = await client();
    const first = {
      ...{ invoiceId: '9', amount: { currencyId: '5057', value: 345 } },
      payment: { paymentCurrency: USDT_TRON },
    };
    const [{ id, hotWallet }] = (await now('POST', '/api/v1/merchant/invoices', first)).json.invoices;
    expect(hotWallet).toMatchObject({
      currency: { symbol: 'USDT' },
      addresses: { address: expect.any(String) },
    });
    const [own] = (await harness.call('GET', '/api/v2/invoices', { key: harness.sandboxKey })).json.result;
    expect(own).toMatchObject({ extra: '9', initial_fiat_amount: 3.45, asset: 'usdt_tron' });
    const cents = async (value: string) => {
      const text = `{"amount":{"currencyId":"5057","value":${value}}}`;
      const made = await now('POST', '/api/v1/merchant/invoices', text);
      if (made.status !== 201) return made.status;
      const { result } = (await harness.call('GET', '/api/v2/invoices', { key: harness.sandboxKey })).json;
      return result[0].initial_fiat_amount;
    };
    expect([await cents('345.00'), await cents('434.99999999999994'), await cents('"345"')]).toEqual([
      3.45, 4.35, 3.45,
    ]);
    expect([await cents('4.5'), await cents('"x"')]).toEqual([422, 422]);
    expect((await now('POST', `/api/v1/merchant/invoices/${id}/cancel`)).json.state).toBe('TimedOut');
  });

  test('reads currencies and rates without a key', async () => {
    const { harness } = await client();
    const open = async (path: string) =>
      (await harness.call('GET', `/compat/coinpayments${path}`, { key: null })).json;
    expect(await open('/api/v1/currencies?q=ltc')).toMatchObject([
      { id: '2', symbol: 'LTC', type: 'crypto' },
    ]);
    expect(await open('/api/v2/currencies')).toContainEqual(
      expect.objectContaining({ id: '5057', type: 'fiat' }),
    );
    expect(await open(`/api/v2/currencies/${USDT_TRON}`)).toMatchObject({ symbol: 'USDT', type: 'token' });
    expect(await open('/api/v2/currencies/5057')).toMatchObject({ symbol: 'USD', type: 'fiat' });
    expect(await open('/api/v2/currencies/none')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await open('/api/v2/currencies/required-confirmations')).toContainEqual({
      ...{ currencyId: USDT_TRON, confirmationsCount: 19 },
    });
    expect(await open('/api/v2/rates?from=4&to=5057')).toEqual({
      items: [{ baseCurrencyId: '4', quoteCurrencyId: '5057', rate: '2000' }],
    });
  });

  test('is refused with an old, foreign or missing signature, and told by 501 what is not supported', async () => {
    const { now, harness } = await client(BEHIND_PROXY);
    const path = '/api/v2/merchant/invoices';
    const at = (ms: number) => ({ at: new Date(harnessClock.now().getTime() + ms) });
    expect((await now('GET', path, undefined, at(-200_000))).status).toBe(200);
    expect((await now('GET', path, undefined, at(-400_000))).status).toBe(401);
    expect((await now('GET', path, undefined, at(400_000))).status).toBe(401);
    expect(await now('GET', path, undefined, { url: 'https://other.example' })).toMatchObject({
      ...{ status: 401, json: { error: expect.any(String), code: 'UNAUTHORIZED' } },
    });
    expect(
      (await harness.call('GET', `/compat/coinpayments${path}`, { key: harness.sandboxKey })).status,
    ).toBe(401);
    const unsupported = [
      '/api/v2/merchant/wallets',
      '/api/v1/merchant/wallets/1/spend/request',
      '/api/v1/fees',
    ];
    for (const each of unsupported)
      expect(await now('POST', each, {})).toMatchObject({ status: 501, json: { code: 'NOT_SUPPORTED' } });
    const none = { ...INVOICE, amount: { total: 'much' } };
    expect(await now('POST', path, none)).toMatchObject({
      ...{ status: 422, json: { error: expect.stringContaining('amount') } },
    });
    expect((await now('GET', `${path}/8b03432e-385b-4670-8d06-064591096795`)).status).toBe(404);
  });
});
