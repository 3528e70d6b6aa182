/** A payout that the chain paid after its balance was given back, and spent. */
import { afterEach, describe, expect, test } from 'bun:test';
import { holdPayout } from '../../../src/app/sending/operate-payouts.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a payout that is paid after all', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());

  test('is taken from the merchant again, also when the balance was spent meanwhile', async () => {
    stage = await openPayoutStage({ credit: '20' });
    const to = '0x52908400098527886E0F7030069857D2E4169EE7';
    const id = await stage.order({ address: to, amount: 10 });
    await stage.step();
    const [signed] = await stage.signedOf(id);
    stage.journey.chain().revertNext(to);
    stage.journey.chain().mine(13);
    await stage.step();
    expect((await stage.stored(id)).status).toBe('failed');
    // The balance came back, and is spent.
    const { available } = await stage.journey.balance();
    const second = await stage.order({ amount: Math.floor(available) - 1 });
    await holdPayout(stage.deps)(second, 'stays here');
    // On the other branch the same bytes go through.
    stage.journey.chain().reorg(13, { keep: [signed?.txid ?? ''] });
    stage.journey.chain().mine(13);
    await stage.step();
    const received = stage.journey
      .chain()
      .received(to)
      .reduce((sum, { units }) => sum + units, 0n);
    expect(received).toBe(usdt('10'));
    expect((await stage.stored(id)).status).toBe('success');
    expect(await stage.open()).toEqual([]);
    expect((await stage.journey.balance()).available).toBeLessThan(0);
    await stage.journey.booksAreRight();
    // That block is gone, too, and in the next one it fails again: the balance comes back a second
    // time.
    stage.journey.chain().reorg(26, { revert: [signed?.txid ?? ''] });
    await stage.step();
    expect((await stage.stored(id)).status).toBe('failed');
    expect((await stage.journey.balance()).available).toBeGreaterThan(0);
    await stage.journey.booksAreRight();
  });
});
