/** What the page promises about a top-up is what happens. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type CheckoutStage, openCheckoutStage, type StagedMerchant } from '../support/checkout-stage.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a permanent address', () => {
  let stage: CheckoutStage;
  let merchant: StagedMerchant;
  beforeAll(async () => {
    stage = await openCheckoutStage();
  });
  beforeEach(async () => {
    merchant = await stage.merchant();
  });
  afterAll(() => stage.it.stop());
  test('the page of a top-up keeps its word that what arrives is credited', async () => {
    const open = await stage.choose(await merchant.create({ billing_type: 'VARY' }), 'usdt_ethereum');
    const page = await (await fetch(`${stage.it.url}/checkout/${open.externalId}`)).text();
    const promised = page.includes('You may send any amount. What arrives is credited.');
    await stage.finish(await stage.sight(open, { units: 1_900_000n }));
    stage.clock.advance(3_700);
    for (const _ of [1, 2]) {
      stage.it.service.chains.fakes?.get('ethereum')?.control.mine();
      await stage.it.service.jobs.find((job) => job.name === 'chain:ethereum')?.run();
      await stage.it.service.jobs.find((job) => job.name === 'expire-invoices')?.run();
    }
    const after = await stage.read(open.id);
    expect({ promised, status: after.status, credited: after.funds.creditedUnits }).toEqual({
      promised: true,
      status: 'partially_paid',
      credited: 1_900_000n,
    });
  });
});
