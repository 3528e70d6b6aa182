import { describe, expect, test } from 'bun:test';
import { harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';
import { NO_RATES } from '../../../support/rates/fixed-rates.ts';

stageHarness();

const EVM_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const TRON_ADDRESS = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
const NOW = harnessClock.now().getTime() / 1000;

const UNIQ = () => ({ 'x-uniq-id': crypto.randomUUID() });

describe('invoices', () => {
  test('are created with every field of the specification, absent ones null', async () => {
    const { call } = await openHarness();
    const { status, json, headers } = await call('POST', '/api/v2/invoices', {
      body: { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' },
    });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    // And account and tag of an address in XRP, updated_at and payment_link_id.
    expect(Object.keys(json.result)).toHaveLength(36 + 4);
    expect(json.result).toMatchObject({
      address_classic: null,
      address_tag: null,
      status: 'created',
      amount: 25.25,
      initial_amount: 25.25,
      initial_fiat_amount: 25,
      fiat_amount: 0,
      billing_type: 'STATIC',
      fee_bearer: 'client',
      extra: null,
      underpay_tolerance: null,
      txid: null,
      expires_at: json.result.created_at + 3600,
    });
  });

  test('carry exact decimals that no float holds', async () => {
    const { call } = await openHarness();
    const body = '{"amount":123.456789012345678901,"asset":"eth_base","fee_bearer":"merchant"}';
    const { json } = await call('POST', '/api/v2/invoices', { body });
    const read = await call('GET', `/api/v2/invoices/${json.result.order_id}`);
    expect(read.text).toContain('"amount":123.456789012345678901,');
  });

  test('that the application refuses are answered with its code, message and details', async () => {
    const { call } = await openHarness();
    const permanent = {
      amount: 1,
      asset: 'xmr',
      permanent_address: true,
      billing_type: 'VARY',
      user_id: 'u',
    };
    const refused = await call('POST', '/api/v2/invoices', { body: permanent });
    expect([refused.status, refused.json.error.code, refused.json.error.details]).toEqual([
      400,
      'INVOICE_REJECTED',
      { rule: 'xmr_permanent' },
    ]);
  });

  test('need rates', async () => {
    const { call } = await openHarness({ ports: { rateBook: NO_RATES } });
    const refused = await call('POST', '/api/v2/invoices', { body: { amount: 1 } });
    expect([refused.status, refused.json.error.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'RATES_UNAVAILABLE',
      '30',
    ]);
  });

  test('queue their webhook again on request, when there is somewhere to send it', async () => {
    const { call } = await openHarness();
    const invoice = async (body: object) =>
      (await call('POST', '/api/v2/invoices', { body })).json.result.order_id;
    const withUrl = await invoice({ amount: 5, notify_url: 'https://shop.example/hook' });
    const without = await invoice({ amount: 5 });
    expect((await call('POST', `/api/v2/invoices/${withUrl}/notify`)).json).toEqual({
      ok: true,
      result: { message: 'The webhook is queued.' },
    });
    const refused = await call('POST', `/api/v2/invoices/${without}/notify`);
    expect([refused.status, refused.json.error.code]).toEqual([400, 'NO_DESTINATION']);
  });
});

describe('simulate', () => {
  test('answers the invoice and how the webhook fared', async () => {
    const { call, sandboxKey: key } = await openHarness();
    const created = await call('POST', '/api/v2/invoices', { key, body: { amount: 25, asset: 'usdt_tron' } });
    const path = `/api/v2/invoices/${created.json.result.order_id}/simulate`;
    const quiet = await call('POST', path, { key, body: { status: 'partially_paid', send_webhook: false } });
    expect(quiet.json.result).toMatchObject({ invoice: { status: 'partially_paid' }, webhook: null });
    const loud = await call('POST', path, {
      key,
      body: { status: 'success', notify_url: 'https://shop.example/hook' },
    });
    expect(loud.json.result.webhook).toEqual({
      url: 'https://shop.example/hook',
      delivered: true,
      status_code: 200,
      error: null,
    });
  });

  test('is for the sandbox, and keeps to the states', async () => {
    const { call, sandboxKey } = await openHarness();
    const make = async (key: string, billing_type: string) => {
      const created = await call('POST', '/api/v2/invoices', {
        key,
        body: { amount: 25, asset: 'usdt_tron', billing_type },
      });
      return `/api/v2/invoices/${created.json.result.order_id}/simulate`;
    };
    const { liveKey } = await openHarness();
    const live = await call('POST', await make(liveKey, 'STATIC'), {
      key: liveKey,
      body: { status: 'success' },
    });
    expect([live.status, live.json.error.code]).toEqual([400, 'SANDBOX_ONLY']);
    const vary = await call('POST', await make(sandboxKey, 'VARY'), {
      key: sandboxKey,
      body: { status: 'cancelled' },
    });
    expect([vary.status, vary.json.error.code]).toEqual([400, 'INVALID_TRANSITION']);
  });
});

describe('payouts', () => {
  test('are accepted, read and listed in the shape of the specification', async () => {
    const { call, earn } = await openHarness();
    await earn(100);
    const created = await call('POST', '/api/v2/payouts', {
      headers: UNIQ(),
      body: { address: EVM_ADDRESS, amount: 1.5, asset: 'usdt_erc20', ref: 'r-1' },
    });
    expect(created.status).toBe(201);
    const read = await call('GET', `/api/v2/payouts/${created.json.result.order_id}`);
    expect(read.json.result).toEqual({
      order_id: created.json.result.order_id,
      address: EVM_ADDRESS,
      amount: 1.5,
      currency: 'usdt_ethereum',
      fee: 0.143,
      fee_usd: 0.143,
      energy_fee_usd: null,
      fee_bearer: 'merchant',
      fiat_amount_usd: 1.5,
      ref: 'r-1',
      status: 'pending',
      created_at: NOW,
      updated_at: NOW,
      processed_at: null,
      txid: null,
      tx_hashes: null,
    });
    expect((await call('GET', '/api/v2/payouts')).json.result).toEqual([read.json.result]);
  });

  test('that the application refuses are 400 alone, and reported one by one in a batch', async () => {
    const { call, earn } = await openHarness();
    await earn(100);
    const item = (address: string) => ({ address, amount: 1, asset: 'usdt_tron' });
    const refused = await call('POST', '/api/v2/payouts', { headers: UNIQ(), body: item('bad') });
    expect([refused.status, refused.json.error.code]).toEqual([400, 'PAYOUT_REJECTED']);
    const batch = await call('POST', '/api/v2/payouts/batch', {
      headers: UNIQ(),
      body: { items: [item(TRON_ADDRESS), item('bad')] },
    });
    expect(batch.status).toBe(201);
    expect(batch.json.result.items).toEqual([
      { order_id: expect.stringMatching(/^[0-9a-f]{24}$/), status: 'pending' },
      { order_id: null, status: 'failed', error: 'The address is not a valid tron address.' },
    ]);
  });
});

describe('permanent addresses', () => {
  test('are got or created with 201, listed, read and deactivated', async () => {
    const { call } = await openHarness();
    const body = { user_id: 'user-1', asset: 'eth_base', metadata: { tier: 1 } };
    const first = await call('POST', '/api/v2/permanent', { body });
    const second = await call('POST', '/api/v2/permanent', { body: { user_id: 'user-1', family: 'evm' } });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json.result).toEqual(first.json.result);
    const { id } = first.json.result;
    expect(first.json.result).toMatchObject({
      family: 'evm',
      active: true,
      deactivated_at: null,
      metadata: { tier: 1 },
      notify_url: null,
    });
    expect((await call('GET', `/api/v2/permanent/${id}`)).json.result).toEqual(first.json.result);
    expect((await call('DELETE', `/api/v2/permanent/${id}`)).json.result).toEqual({ deactivated: true, id });
    expect((await call('GET', '/api/v2/permanent?active=true')).json.pagination.total).toBe(0);
    const [listed] = (await call('GET', '/api/v2/permanent')).json.result;
    expect(listed).toMatchObject({ id, active: false, deactivated_at: NOW });
  });
});
