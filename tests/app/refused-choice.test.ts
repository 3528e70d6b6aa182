/** A choice that is refused must cost nothing: addresses are finite where a signer derives them ahead. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CheckoutStage, openCheckoutStage } from '../support/checkout-stage.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a refused choice', () => {
  let stage: CheckoutStage;
  beforeAll(async () => {
    stage = await openCheckoutStage();
  });
  afterAll(() => stage.it.stop());
  const indexOf = async (address: string): Promise<number> => {
    const [found] = await stage.deps.unitOfWork.run((r) => r.addresses.find('bitcoin', [address]));
    return found!.derivationIndex;
  };

  test('takes no address', async () => {
    const merchant = await stage.merchant();
    stage.setRates(100n);
    const open = await stage.choose(await merchant.create({ amount: 25 }), 'usdt_tron');
    const before = await indexOf((await stage.choose(await merchant.create(), 'btc_bitcoin')).addressTo!);
    // A price that cannot be made: below the asset's minimum now.
    const btc = stage.deps.catalog.require('btc_bitcoin');
    const least = btc.minAmountMicroUsd;
    Object.assign(btc, { minAmountMicroUsd: { live: 1_000_000_000n, sandbox: 1_000_000_000n } });
    expect(stage.application.choosableAssets(open).map(({ key }) => key)).not.toContain('btc_bitcoin');
    for (let turn = 0; turn < 20; turn += 1)
      expect(await stage.refusedChoice(open, 'btc_bitcoin')).toContain('below the minimum');
    Object.assign(btc, { minAmountMicroUsd: least });
    const after = await indexOf((await stage.choose(await merchant.create(), 'btc_bitcoin')).addressTo!);
    expect(after - before).toBe(1);
  });

  test('one of many made at once takes one address: the others are the next ones’', async () => {
    const merchant = await stage.merchant();
    const before = await indexOf((await stage.choose(await merchant.create(), 'btc_bitcoin')).addressTo!);
    const open = await merchant.create();
    const btc = stage.deps.catalog.require('btc_bitcoin');
    const at = await Promise.all(
      Array.from({ length: 20 }, () => stage.application.chooseCurrency(open.externalId, btc)),
    );
    const taken = at.map((one) => (one.ok ? one.value.addressTo : null));
    for (let turn = 0; turn < 19; turn += 1)
      taken.push((await stage.choose(await merchant.create(), 'btc_bitcoin')).addressTo);
    const indexes = await Promise.all([...new Set(taken)].map((address) => indexOf(address!)));
    expect(indexes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => before + 1 + n));
  });

  test('of a button of a test invoice that is over takes none either', async () => {
    const merchant = await stage.merchant();
    const first = async () => (await stage.choose(await merchant.create({}, true), 'btc_bitcoin')).addressTo!;
    const late = await merchant.create({ ttl: 300, accepted_coins: ['btc_bitcoin'] }, true);
    stage.clock.advance(300);
    const reserved = async () => {
      const address = await first();
      const [found] = await stage.deps.unitOfWork.run((r) => r.addresses.find('bitcoin', [address]));
      return found!.derivationIndex;
    };
    const before = await reserved();
    for (let turn = 0; turn < 20; turn += 1) {
      const pressed = await stage.application.simulateFromCheckout(late.externalId, 'paid');
      expect(pressed.ok).toBe(false);
    }
    expect((await reserved()) - before).toBe(1);
  });
});
