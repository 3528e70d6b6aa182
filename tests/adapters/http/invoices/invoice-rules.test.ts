/**
 * What POST /invoices makes of a body that is well formed: defaults, minimum, and the assets that
 * may pay.
 */
import { describe, expect, test } from 'bun:test';
import type { RateBook } from '../../../../src/ports/rates/rate-book.ts';
import { openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const refusal = (answer: {
  status: number;
  json: { error?: { code: string; details?: { rule?: string } } };
}) => [answer.status, answer.json.error?.code, answer.json.error?.details?.rule];

describe('an invoice', () => {
  test('has the defaults of the specification and of its merchant', async () => {
    const { call } = await openHarness({ merchant: { defaultFeeBearer: 'merchant' } });
    const body = { amount: 10, asset: 'usdt_tron', fiat_currency: 'USD', user_id: 'ignored' };
    const { result } = (await call('POST', '/api/v2/invoices', { body })).json;
    expect(result).toMatchObject({
      ...{ billing_type: 'STATIC', fee_bearer: 'merchant', amount: 10, user_id: null, status: 'created' },
      ...{ underpay_tolerance: null, permanent_address_id: null, expires_at: result.created_at + 3_600 },
    });
    const client = await call('POST', '/api/v2/invoices', { body: { ...body, fee_bearer: 'client' } });
    expect(client.json.result).toMatchObject({ fee_bearer: 'client', amount: 10.1 });
  });

  test('has its amount in the asset when no currency is named, and in the currency when one is', async () => {
    const { call } = await openHarness({ merchant: { defaultFeeBearer: 'merchant' } });
    const made = async (body: object) => (await call('POST', '/api/v2/invoices', { body })).json.result;
    expect(await made({ amount: 0.5, asset: 'eth_base' })).toMatchObject({
      ...{ amount: 0.5, fiat_currency: 'USD', initial_fiat_amount: 1_000 },
    });
    expect(await made({ amount: 500, asset: 'eth_base', fiat_currency: 'USD' })).toMatchObject({
      ...{ amount: 0.25, initial_fiat_amount: 500 },
    });
    expect(await made({ amount: 500 })).toMatchObject({
      amount: null,
      asset: null,
      initial_fiat_amount: 500,
    });
  });

  test('may be exactly its asset’s minimum, and no less', async () => {
    const { call } = await openHarness({ merchant: { defaultFeeBearer: 'merchant' } });
    const made = (amount: number, asset?: string) =>
      call('POST', '/api/v2/invoices', {
        body: { amount, fiat_currency: 'USD', ...(asset === undefined ? {} : { asset }) },
      });
    const catalog = (await call('GET', '/api/v2/assets')).json.result;
    const { min_amount: least } = catalog.find(({ asset }: { asset: string }) => asset === 'usdt_tron');
    expect((await made(least, 'usdt_tron')).status).toBe(201);
    const refused = await made(least - 0.01, 'usdt_tron');
    expect(refusal(refused)).toEqual([400, 'INVOICE_REJECTED', 'below_minimum']);
    expect(refused.json.error.details).toMatchObject({ asset: 'usdt_tron', min_amount: least });
    expect(refusal(await made(0.5))).toEqual([400, 'INVOICE_REJECTED', 'below_minimum']);
  });

  test('is refused in an asset that is ruled out, and when none is left', async () => {
    const { call } = await openHarness();
    const made = (body: object) =>
      call('POST', '/api/v2/invoices', { body: { amount: 50, fiat_currency: 'USD', ...body } });
    expect(refusal(await made({ asset: 'usdt_tron', excluded_coins: ['usdt_tron'] }))).toEqual([
      ...[400, 'INVOICE_REJECTED', 'asset_excluded'],
    ]);
    expect(refusal(await made({ asset: 'usdt_tron', accepted_coins: ['btc'] }))).toEqual([
      ...[400, 'INVOICE_REJECTED', 'asset_excluded'],
    ]);
    expect(refusal(await made({ accepted_coins: ['btc'], excluded_coins: ['btc'] }))).toEqual([
      ...[400, 'INVOICE_REJECTED', 'no_asset_left'],
    ]);
  });

  test('is refused in an asset whose chain is not watched, on live alone', async () => {
    const { call, sandboxKey } = await openHarness({
      ports: { watchedChains: new Set(['ethereum']), chainHealth: new Map() },
    });
    const body = { amount: 50, fiat_currency: 'USD', asset: 'usdt_tron' };
    expect(refusal(await call('POST', '/api/v2/invoices', { body }))).toEqual([
      ...[400, 'INVOICE_REJECTED', 'asset_disabled'],
    ]);
    expect((await call('POST', '/api/v2/invoices', { key: sandboxKey, body })).status).toBe(201);
  });

  test('in its asset is made at old prices, and one in a currency waits for fresh ones', async () => {
    const { dependencies } = await openHarness();
    const old: RateBook = { ...dependencies.rateBook, usable: () => null };
    const { call } = await openHarness({ ports: { rateBook: old } });
    const made = (body: object) => call('POST', '/api/v2/invoices', { body });
    expect((await made({ amount: 50, asset: 'usdt_tron' })).status).toBe(201);
    const refused = await made({ amount: 50, asset: 'usdt_tron', fiat_currency: 'USD' });
    expect(refusal(refused).slice(0, 2)).toEqual([503, 'RATES_UNAVAILABLE']);
  });

  test('lets the customer change its asset only where the merchant named several', async () => {
    const { call, dependencies } = await openHarness();
    const changeable = async (body: object) => {
      const answer = await call('POST', '/api/v2/invoices', { body: { amount: 50, ...body } });
      const { order_id: id } = answer.json.result;
      return dependencies.unitOfWork.run(async ({ invoices }) => (await invoices.find(id))?.customerChooses);
    };
    expect(await changeable({})).toBe(true);
    expect(await changeable({ asset: 'usdt_tron' })).toBe(false);
    expect(await changeable({ asset: 'usdt_tron', accepted_coins: [] })).toBe(false);
    expect(await changeable({ asset: 'usdt_tron', accepted_coins: ['btc', 'usdt_tron'] })).toBe(true);
  });

  test('keeps the tolerance that it was given', async () => {
    const { call, dependencies } = await openHarness();
    const body = { amount: 50, asset: 'usdt_tron', underpay_tolerance: 2.5 };
    const { order_id: id } = (await call('POST', '/api/v2/invoices', { body })).json.result;
    const stored = await dependencies.unitOfWork.run(({ invoices }) => invoices.find(id));
    expect(stored?.tolerancePpm).toBe(25_000n);
  });
});
