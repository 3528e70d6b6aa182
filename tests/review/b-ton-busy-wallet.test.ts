/** Anybody can send to the hot wallet: thousands of cheap messages, or its own change from jettons, must not keep a payout from its end. */
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

/** A little more than one reading of the wallet's history takes. */
const MESSAGES = 6_050;
const IN_A_BLOCK = 550;

describe('a payout of a hot wallet that six thousand messages came to meanwhile', () => {
  test('is found, and comes to its end', async () => {
    const { lab } = on;
    const sender = on.sender();
    const sequence = await sender.nextSequence(lab.hotWallet);
    const order = sendingOrder({
      ...{ wallet: lab.hotWallet, sequence, asset: NATIVE, voids: false },
      ...{ to: lab.strangersAddress(1), units: 10_000n },
    });
    const unsigned = await sender.prepare(order, null);
    const transaction = { ...(await on.sign(order, unsigned)), ...unsigned, voids: false };
    await sender.broadcast(transaction.raw);
    await lab.mine(1);
    const asked = { wallet: order.wallet, sequence, order, inputs: [], transactions: [transaction] };
    const before = await sender.outcome(asked);
    expect(before).toMatchObject({ kind: 'mined', final: true, effects: [true] });

    for (let sent = 0; sent < MESSAGES; sent += IN_A_BLOCK) {
      for (let each = 0; each < IN_A_BLOCK; each++) lab.pay({ to: lab.hotWallet, units: 1n });
      await lab.mine(1);
    }
    expect(await sender.outcome(asked)).toMatchObject({ kind: 'mined', final: true, effects: [true] });
    await sender.close();
  });

  test('comes to its end, too, when they came in the minutes before it was signed', async () => {
    const { lab } = on;
    const sender = on.sender();
    for (let sent = 0; sent < MESSAGES; sent += IN_A_BLOCK) {
      for (let each = 0; each < IN_A_BLOCK; each++) lab.pay({ to: lab.hotWallet, units: 1n });
      await lab.mine(1);
    }
    const sequence = await sender.nextSequence(lab.hotWallet);
    const order = sendingOrder({
      ...{ wallet: lab.hotWallet, sequence, asset: NATIVE, voids: false },
      ...{ to: lab.strangersAddress(2), units: 10_000n },
    });
    const unsigned = await sender.prepare(order, null);
    const transaction = { ...(await on.sign(order, unsigned)), ...unsigned, voids: false };
    await sender.broadcast(transaction.raw);
    await lab.mine(1);
    // Waiting does not help: what is read begins at a fixed time before the signature.
    lab.chain.wait(86_400);
    await lab.mine(1);
    const asked = { wallet: order.wallet, sequence, order, inputs: [], transactions: [transaction] };
    expect(await sender.outcome(asked)).toMatchObject({ kind: 'mined', effects: [true] });
    await sender.close();
  });
});
