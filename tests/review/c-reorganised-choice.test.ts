/** A payment that a reorganisation took back after its block was final, before it was credited: nothing is paid then. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { lockWithInvoice, markFinal } from '../../src/app/deposit-lifecycle.ts';
import type { Deposit } from '../../src/domain/deposit.ts';
import { type CheckoutStage, openCheckoutStage, type StagedMerchant } from '../support/checkout-stage.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('after a reorganisation', () => {
  let stage: CheckoutStage;
  let merchant: StagedMerchant;
  beforeAll(async () => {
    stage = await openCheckoutStage();
  });
  beforeEach(async () => {
    merchant = await stage.merchant();
    stage.setRates(100n);
  });
  afterAll(() => stage.it.stop());
  /** Final, and not screened yet. */
  const arrive = (deposit: Deposit) =>
    stage.deps.unitOfWork.run(async (repositories) => {
      const locked = await lockWithInvoice(repositories, deposit);
      if (locked) await markFinal(stage.deps, repositories, locked.deposit, locked.invoice);
    });
  async function takenBack() {
    const eth = await stage.choose(await merchant.create(), 'eth_ethereum');
    const btc = await stage.choose(eth, 'btc_bitcoin');
    const gone = await stage.sight(btc);
    await arrive(gone);
    await stage.lose(gone);
    const now = await stage.read(eth.id);
    expect([now.status, now.funds.pendingUnits, now.price?.asset]).toEqual(['created', 0n, 'btc_bitcoin']);
    return { eth, now };
  }

  test('a payment for an earlier choice is the invoice’s: nothing else was paid', async () => {
    const { eth } = await takenBack();
    expect(await stage.sight(eth)).toMatchObject({ invoiceId: eth.id, note: null });
  });

  test('the list of currencies is offered only if a choice from it is taken', async () => {
    const { now } = await takenBack();
    const offered = stage.application.choosableAssets(now).map(({ key }) => key);
    const chosen = await stage.application.chooseCurrency(
      now.externalId,
      stage.deps.catalog.require('usdt_tron'),
    );
    expect(chosen.ok).toBe(offered.includes('usdt_tron'));
  });
});

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
  const BOUND = { billing_type: 'VARY', permanent_address: true, user_id: 'customer-1' };

  test('pays the invoice that waits on it, although a younger one whose time is over was not swept yet', async () => {
    const waiting = await stage.choose(await merchant.create({ ...BOUND, ttl: 3600 }), 'eth_ethereum');
    await stage.choose(await merchant.create({ ...BOUND, ttl: 300 }), 'eth_ethereum');
    stage.clock.advance(301);
    expect((await stage.sight(waiting)).invoiceId).toBe(waiting.id);
  });

  test('pays the earlier choice of an invoice that is unpaid, although a younger one was changed as well and has dust', async () => {
    const first = await stage.choose(await merchant.create(BOUND), 'eth_ethereum');
    await stage.choose(first, 'usdt_tron');
    const second = await stage.choose(await merchant.create(BOUND), 'eth_ethereum');
    const tron = await stage.choose(second, 'usdt_tron');
    await stage.sight(tron, { units: 10n });
    expect((await stage.sight(first)).invoiceId).toBe(first.id);
  });

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
