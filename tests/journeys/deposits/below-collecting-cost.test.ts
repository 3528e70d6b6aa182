/**
 * Invoices and deposits that would cost more to collect than they bring: the least of each
 * environment, and what operators see.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { belowCost } from '../../../src/app/sweeps/below-cost.ts';
import {
  lastReconciliation,
  reconcileJob,
  reconciliationFigures,
} from '../../../src/app/treasury/reconcile.ts';
import { treasuryStatus } from '../../../src/app/treasury/treasury.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

const USDT = 'usdt_ethereum';
const BTC = 'btc_bitcoin';
const RATES = { source: 'static', usd: { [USDT]: '1', eth_ethereum: '4000', [BTC]: '100000' } };

describe.skipIf(!needs('postgres', postgresAvailable()))('what collecting costs', () => {
  let it: TestService;
  let merchant: { live: string; sandbox: string };
  beforeAll(async () => {
    it = await startTestService({
      env: { CHAINS: 'fake' },
      file: { rates: RATES },
      chains: ['ethereum', 'bitcoin'],
    });
    merchant = await it.merchant();
    await it.settle();
  });
  afterAll(() => it.stop());

  const create = (key: string, body: Json) =>
    it.call(key, 'POST', '/api/v2/invoices', { fiat_currency: 'USD', asset: USDT, ...body });
  const chain = (name: string) => it.service.chains.fakes!.get(name)!.control;
  const on = (name: string) => treasuryChains(it.service.chains, it.service.dependencies).get(name)!;
  async function settled(): Promise<void> {
    for (const name of ['ethereum', 'bitcoin']) chain(name).mine(40);
    await it.settle();
  }
  /** Paid in parts, in the asset, and credited. */
  async function paid(asset: string, amount: string, ...parts: readonly string[]): Promise<void> {
    const body = { asset, amount: Number(amount), fiat_currency: undefined, fee_bearer: 'merchant' };
    const { body: made } = await create(merchant.live, body);
    for (const part of parts) {
      const units = unitsOf(part, asset === BTC ? 8 : 6);
      chain(asset === BTC ? 'bitcoin' : 'ethereum').pay({ to: made.result.address_to, asset, units });
    }
    await settled();
  }

  test('G10: an invoice that collecting would cost more is refused with a live key, and taken in the sandbox', async () => {
    const refused = await create(merchant.live, { amount: 3 });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: 'INVOICE_REJECTED',
      details: { rule: 'below_minimum', min_amount: 5 },
    });
    expect((await create(merchant.live, { amount: 5 })).status).toBe(201);
    expect((await create(merchant.sandbox, { amount: 3 })).status).toBe(201);
    expect((await create(merchant.sandbox, { amount: 1.5 })).body.error).toMatchObject({
      details: { min_amount: 2 },
    });
  });

  test('G10: the catalog tells the least invoice of the environment that asks', async () => {
    const least = async (key: string, asset: string): Promise<number> => {
      const { body } = await it.call(key, 'GET', '/api/v2/assets');
      return body.result.find((row: Json) => row.asset === asset).min_amount;
    };
    expect([await least(merchant.live, USDT), await least(merchant.sandbox, USDT)]).toEqual([5, 2]);
    expect([await least(merchant.live, BTC), await least(merchant.sandbox, BTC)]).toEqual([0.00002, 0.00002]);
  });

  test('G10: a customer who chooses is offered what the amount may be paid in, by environment', async () => {
    const accepted = { asset: undefined, amount: 3, accepted_coins: [USDT, BTC] };
    for (const [key, offered] of [
      [merchant.live, [BTC]],
      [merchant.sandbox, [BTC, USDT]],
    ] as const) {
      const { body } = await create(key, accepted);
      const { pathname } = new URL(body.result.payment_url);
      const page = await (await fetch(it.url + pathname)).text();
      expect([BTC, USDT].filter((asset) => page.includes(asset))).toEqual([...offered]);
    }
  });

  test('G10: deposits of two dollars and more count as before, and operators see what is not worth collecting', async () => {
    // A part of 3 USD, and one of 2.5 at another address: 3.44 USD are what it costs.
    await paid(USDT, '10', '3');
    await paid(USDT, '20', '2.5');
    await paid(USDT, '30', '30');
    // Two coins at one address: each is an input of its own.
    await paid(BTC, '0.0001', '0.00001', '0.00009');
    const deps = it.service.dependencies;
    const status = await treasuryStatus(deps, on('ethereum'));
    expect(status.assets.find(({ asset }) => asset === USDT)).toMatchObject({
      atDepositAddresses: { sweepableUnits: usdt('35.5') },
      belowCost: { count: 2, units: usdt('5.5') },
    });
    expect(await belowCost(deps, on('bitcoin'))).toEqual([
      { asset: BTC, count: 1, units: 1_000n, microUsd: 1_000_000n },
    ]);
    const last = lastReconciliation();
    await reconcileJob(deps, [on('ethereum'), on('bitcoin')], last).run();
    expect(reconciliationFigures(last)?.belowCost).toMatchObject([
      { asset: USDT, microUsd: 5_500_000n },
      { asset: BTC, microUsd: 1_000_000n },
    ]);
  });
});
