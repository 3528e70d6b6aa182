/**
 * The buttons of a sandbox invoice's checkout, and the hint of what a transfer costs: through the
 * composed service.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { FiatCurrency } from '../../../src/domain/catalog/fiat.ts';
import type { CheckoutOutcome } from '../../../src/domain/invoices/invoice-simulation.ts';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the checkout of a sandbox invoice', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney();
  });
  afterAll(() => journey.close());

  async function create(body: Json = {}): Promise<Json> {
    const answer = await journey.it.call(journey.merchant.sandbox, 'POST', '/api/v2/invoices', {
      ...{ amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' },
      ...body,
    });
    return answer.body.result;
  }
  async function press(invoice: Json, outcome: CheckoutOutcome): Promise<string> {
    const done = await journey.it.service.application.simulateFromCheckout(invoice.external_id, outcome);
    return done.ok ? done.value.status : `${done.error.code}: ${done.error.message}`;
  }
  const read = async (invoice: Json): Promise<Json> =>
    (await journey.it.call(journey.merchant.sandbox, 'GET', `/api/v2/invoices/${invoice.order_id}`)).body
      .result;
  const OVER = 'INVALID_TRANSITION: This invoice does not take payments any more.';

  test('is paid in part, then in full, each with its webhook, and credited once', async () => {
    const invoice = await create();
    expect(await press(invoice, 'partial')).toBe('partially_paid');
    expect(await read(invoice)).toMatchObject({ fiat_amount: 12.5 });
    expect(await press(invoice, 'partial')).toBe('INVALID_TRANSITION: A part is paid already: pay the rest.');
    expect(await press(invoice, 'paid')).toBe('success');
    expect(await read(invoice)).toMatchObject({ status: 'success', received_amount: invoice.amount });
    expect(journey.statusesSent(invoice.order_id)).toEqual(['partially_paid', 'success']);
    const balance = await journey.it.call(journey.merchant.sandbox, 'GET', '/api/v2/balance');
    expect(balance.body.result.available).toBe(25);
    await journey.booksAreRight();
  });

  test('is paid over, at once or after a part', async () => {
    const [atOnce, afterPart] = [await create(), await create()];
    expect(await press(atOnce, 'over')).toBe('paid_over');
    await press(afterPart, 'partial');
    expect(await press(afterPart, 'over')).toBe('paid_over');
    expect(await read(afterPart)).toMatchObject({ fiat_amount: 31.25 });
    await journey.booksAreRight();
  });

  test('takes nothing back once it is finished, so that nobody floods the merchant', async () => {
    const invoice = await create();
    await press(invoice, 'paid');
    for (const outcome of ['paid', 'partial', 'over'] as const)
      expect(await press(invoice, outcome)).toBe(OVER);
    expect(journey.statusesSent(invoice.order_id)).toEqual(['success']);
    const many = await create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => press(many, 'paid')));
    expect(answers.filter((answer) => answer === 'success')).toHaveLength(1);
    expect(journey.statusesSent(many.order_id)).toEqual(['success']);
  });

  test('is VARY: any payment is its last, and none is too much', async () => {
    const [part, over] = [await create({ billing_type: 'VARY' }), await create({ billing_type: 'VARY' })];
    expect(await press(part, 'partial')).toBe('partially_paid');
    expect(await press(part, 'paid')).toBe(OVER);
    expect(await press(over, 'over')).toBe('INVALID_TRANSITION: A VARY invoice is never paid over.');
  });

  test('is over when its time is, and one without an asset is paid in the first that is offered', async () => {
    const open = await create({ asset: undefined, accepted_coins: ['usdc_base', 'xrp'] });
    expect(await press(open, 'paid')).toBe('success');
    expect((await read(open)).asset).toBe('usdc_base');
    const late = await create({ ttl: 300 });
    journey.clock.advance(300);
    expect(await press(late, 'paid')).toBe(OVER);
  });

  test('of a live invoice or of none there are no buttons', async () => {
    expect(await press(await journey.create(), 'paid')).toStartWith('SANDBOX_ONLY');
    expect(await press({ external_id: crypto.randomUUID() }, 'paid')).toStartWith('NOT_FOUND');
  });

  test('hints at what a transfer costs where a node told lately, and never at a guess', async () => {
    const { application, dependencies } = journey.it.service;
    const hint = (key: string, currency: FiatCurrency = 'USD') =>
      application.customerFeeHint(dependencies.catalog.require(key), currency);
    await journey.it.service.refreshRates();
    for (const key of ['usdt_ethereum', 'btc_bitcoin', 'usdt_tron']) {
      const asset = dependencies.catalog.require(key);
      const { rates } = dependencies.rateBook.latest();
      const quote = dependencies.feeQuoter.quote(asset, rates, { sandbox: false });
      expect(hint(key)).toBe(quote!.feeMicroUsd);
    }
    journey.clock.advance(601);
    expect(hint('usdt_ethereum')).toBeNull();
    const { rates } = dependencies.rateBook.latest();
    expect(
      dependencies.feeQuoter.quote(dependencies.catalog.require('usdt_ethereum'), rates, { sandbox: false }),
    ).not.toBeNull();
  });
});
