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
    expect(await stage.sight(eth)).toMatchObject({ invoiceId: eth.id, strayReason: null });
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
