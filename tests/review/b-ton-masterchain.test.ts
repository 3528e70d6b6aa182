/** A recipient in the masterchain costs more than one in the basechain: what is said to be the most a payout costs must hold for it, too. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sendingOrder } from '../support/lone-orders.ts';
import { NATIVE } from '../support/ton/ton-lab.ts';
import { fundHotWallet, openSendingLab, type SendingLab } from '../support/ton/ton-sending.ts';

let on: SendingLab;
beforeAll(async () => {
  on = await openSendingLab();
  await fundHotWallet(on);
});
afterAll(() => on.lab.close());

describe('a payout of coins to an address of the masterchain', () => {
  test('costs no more than what was set aside, signed and told to be the most', async () => {
    const { lab } = on;
    const sender = on.sender();
    for (let round = 0; round < 2; round++) {
      const sequence = await sender.nextSequence(lab.hotWallet);
      const order = sendingOrder({
        ...{ wallet: lab.hotWallet, sequence, asset: NATIVE, voids: false },
        ...{ to: lab.strangersAddress(1).replace('0:', '-1:'), units: 10_000n },
      });
      const unsigned = await sender.prepare(order, null);
      const transaction = { ...(await on.sign(order, unsigned)), ...unsigned, voids: false };
      await sender.broadcast(transaction.raw);
      await lab.chain.settle();
      const asked = { wallet: order.wallet, sequence, order, inputs: [], transactions: [transaction] };
      const outcome = await sender.outcome(asked);
      expect(outcome.kind).toBe('mined');
      if (outcome.kind !== 'mined') return;
      expect(outcome.feeUnits).toBeLessThanOrEqual(unsigned.maxFeeUnits);
    }
    await sender.close();
  });

  test('that the wallet has the amount and the highest fee for is sent, and not skipped', async () => {
    const { lab } = on;
    const sender = on.sender();
    const units = 1_000_000_000n;
    const sequence = await sender.nextSequence(lab.hotWallet);
    const order = sendingOrder({
      ...{ wallet: lab.hotWallet, sequence, asset: NATIVE, voids: false },
      ...{ to: lab.strangersAddress(2).replace('0:', '-1:'), units },
    });
    const { maxFeeUnits } = await sender.prepare(order, null);
    lab.setBalance(lab.hotWallet, units + maxFeeUnits);
    // Accepted: it has all that it needs, by what is reckoned with.
    const unsigned = await sender.prepare(order, null);
    const transaction = { ...(await on.sign(order, unsigned)), ...unsigned, voids: false };
    await sender.broadcast(transaction.raw);
    await lab.chain.settle();
    const asked = { wallet: order.wallet, sequence, order, inputs: [], transactions: [transaction] };
    expect(await sender.outcome(asked)).toMatchObject({ kind: 'mined', effects: [true] });
    await sender.close();
  });
});
