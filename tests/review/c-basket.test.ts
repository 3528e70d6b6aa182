/** "So nobody shops for rates" (app/choose-currency.ts): choosing everything at the start must not buy the cheapest of all at the end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CheckoutStage, openCheckoutStage } from '../support/checkout-stage.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('over a day', () => {
  let stage: CheckoutStage;
  beforeAll(async () => {
    stage = await openCheckoutStage();
  });
  afterAll(() => stage.it.stop());

  test('a customer who chose the other coins first pays the merchant no less than one who did not', async () => {
    const merchant = await stage.merchant();
    stage.setRates(100n);
    const [shopper, plain] = [await merchant.create({ ttl: 86_400 }), await merchant.create({ ttl: 86_400 })];
    for (const asset of ['eth_ethereum', 'btc_bitcoin', 'usdt_tron']) await stage.choose(shopper, asset);
    await stage.choose(plain, 'usdt_tron');
    stage.clock.advance(86_000);
    stage.setRates(80n);
    const [cheap, fair] = [
      await stage.choose(shopper, 'eth_ethereum'),
      await stage.choose(plain, 'eth_ethereum'),
    ];
    // The same coin, at the same moment, by two customers whose choice was usdt_tron.
    expect(cheap.price!.dueUnits).toBeGreaterThanOrEqual(fair.price!.dueUnits);
  });
});
