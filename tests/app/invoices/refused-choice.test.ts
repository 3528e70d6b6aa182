/**
 * A choice that is refused must cost nothing: addresses are finite where a signer derives them
 * ahead.
 */
import { describe, expect, test } from 'bun:test';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a refused choice', () => {
  const { stage, merchant } = stageCheckout();
  const indexOf = async (address: string): Promise<number> => {
    const [found] = await stage.deps.unitOfWork.run((r) => r.addresses.find('bitcoin', [address]));
    return found!.derivationIndex;
  };
  /** Of the address that the next choice takes. */
  const nextIndex = async (sandbox = false) =>
    indexOf((await stage.choose(await merchant.create({}, sandbox), 'btc_bitcoin')).addressTo!);

  test('takes no address', async () => {
    const open = await stage.choose(await merchant.create({ amount: 25 }), 'usdt_tron');
    const before = await nextIndex();
    // A price that cannot be made: below the asset's minimum now.
    const btc = stage.deps.catalog.require('btc_bitcoin');
    const least = btc.minAmountMicroUsd;
    Object.assign(btc, { minAmountMicroUsd: { live: 1_000_000_000n, sandbox: 1_000_000_000n } });
    expect(stage.application.choosableAssets(open).map(({ key }) => key)).not.toContain('btc_bitcoin');
    for (let turn = 0; turn < 20; turn += 1)
      expect(await stage.refusedChoice(open, 'btc_bitcoin')).toContain('below the minimum');
    Object.assign(btc, { minAmountMicroUsd: least });
    const after = await nextIndex();
    expect(after - before).toBe(1);
  });

  test('one of many made at once takes one address: the others are the next ones’', async () => {
    const before = await nextIndex();
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
    const late = await merchant.create({ ttl: 300, accepted_coins: ['btc_bitcoin'] }, true);
    stage.clock.advance(300);
    const before = await nextIndex(true);
    for (let turn = 0; turn < 20; turn += 1) {
      const pressed = await stage.application.simulateFromCheckout(late.externalId, 'paid');
      expect(pressed.ok).toBe(false);
    }
    expect((await nextIndex(true)) - before).toBe(1);
  });
});
