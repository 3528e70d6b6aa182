/**
 * What programs mean that cannot say it better, on the real application, and read exactly all the
 * same.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatUnits } from '../../../../../src/domain/money/decimal.ts';
import { openHarness, stageHarness } from '../../../../support/http/http-harness.ts';

stageHarness();

describe('an invoice is made of', () => {
  async function made(body: unknown): Promise<Record<string, unknown>> {
    const { call, sandboxKey: key } = await openHarness();
    const { status, text, json } = await call('POST', '/api/v2/invoices', { key, body });
    expect(status, text).toBe(201);
    return json.result;
  }

  test('amounts, percentages and seconds that are written as text', async () => {
    const asked = {
      asset: 'usdt_tron',
      amount: '12.50',
      fee_bearer: 'merchant',
      underpay_tolerance: '1.5',
      price_modifier: '-10',
      ttl: '600',
    };
    expect(await made(asked)).toMatchObject({
      ...{ amount: 11.25, original_amount: 12.5, underpay_tolerance: 1.5, price_modifier: -10 },
    });
  });

  test("PHP's empty array for an empty object, and 1 for true", async () => {
    const asked = { asset: 'usdt_tron', amount: 5, metadata: [], payer_info: [], billing_type: 'VARY' };
    const bound = { permanent_address: 1, user_id: 'u' };
    expect(await made({ ...asked, ...bound })).toMatchObject({ metadata: {}, payer_info: {} });
  });

  test('empty texts for what is left out', async () => {
    const texts = [
      'asset',
      'chain',
      'fiat_currency',
      'extra',
      'notify_url',
      'on_paid_url',
      'on_cancel_url',
      'user_id',
    ];
    const empty = Object.fromEntries(texts.map((name) => [name, '']));
    expect(await made({ amount: 5, ...empty, title: '' })).toMatchObject({
      ...{ asset: null, fiat_currency: 'USD', extra: null, notify_url: null, on_paid_url: null },
      title: '',
    });
  });

  test('the amount that a float meant, in the decimals of its currency', async () => {
    for (const [amount, meant] of [
      ['30.000000000000004', 30],
      ['19.989999999999998', 19.99],
      ['"8.200000000000001"', 8.2],
    ] as const)
      expect(await made(`{"amount":${amount}}`)).toMatchObject({ initial_fiat_amount: meant });
    expect(
      await made('{"amount":434.99999999999994,"asset":"usdt_tron","fee_bearer":"merchant"}'),
    ).toMatchObject({
      original_amount: null,
      initial_amount: 435,
    });
  });

  test('any exact amount, as a number and as text, with all its digits', async () => {
    const { call, sandboxKey: key } = await openHarness();
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 10n ** 17n, max: 10n ** 24n }), fc.boolean(), async (wei, asText) => {
        const amount = formatUnits(wei, 18);
        const body = `{"asset":"eth_base","fee_bearer":"merchant","amount":${asText ? `"${amount}"` : amount}}`;
        const { text } = await call('POST', '/api/v2/invoices', { key, body });
        expect(text).toContain(`"amount":${amount},`);
      }),
      { numRuns: 30 },
    );
  });
});

test('a payout takes an amount as text, and no empty currency: it would be paid in another one', async () => {
  const harness = await openHarness();
  const { sandboxKey: key } = harness;
  await harness.earn(100, key);
  const send = (body: object) => {
    const asked = {
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      asset: 'usdt',
      chain: 'ethereum',
      ...body,
    };
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    return harness.call('POST', '/api/v2/payouts', { key, headers, body: asked });
  };
  const { order_id: id } = (await send({ amount: '1.500000' })).json.result;
  expect((await harness.call('GET', `/api/v2/payouts/${id}`, { key })).json.result.amount).toBe(1.5);
  expect((await send({ amount: 1, fiat_currency: '' })).json.error.details[0].field).toBe('fiat_currency');
  for (const amount of ['', 'one', '1,5', '0x10', ' 1', '1.5.0', '-1'])
    expect((await send({ amount })).json.error?.details[0].field).toBe('amount');
});

test('a test webhook takes an empty list for an empty body, and an empty URL for none', async () => {
  const { call } = await openHarness({ merchant: { callbackUrl: 'https://shop.example/hook' } });
  for (const body of ['[]', '{"url":""}'])
    expect((await call('POST', '/api/v2/notifications/test', { body })).json.result.url).toBe(
      'https://shop.example/hook',
    );
});

test('a flag of a query is read however a language writes it', async () => {
  const { call } = await openHarness();
  for (const active of ['true', 'True', 'TRUE', '1', 'false', 'False', '0'])
    expect((await call('GET', `/api/v2/permanent?active=${active}`)).status).toBe(200);
  expect((await call('GET', '/api/v2/permanent?active=yes')).status).toBe(422);
});
