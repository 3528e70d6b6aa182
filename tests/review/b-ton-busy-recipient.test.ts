/** The recipient of a payout may be an exchange with thousands of transactions an hour, and an API may not find one message. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sendingOrder } from '../support/lone-orders.ts';
import { payableContract } from '../support/ton/small-contracts.ts';
import { NATIVE } from '../support/ton/ton-lab.ts';
import { fundHotWallet, openSendingLab, type SendingLab } from '../support/ton/ton-sending.ts';

let on: SendingLab;
beforeAll(async () => {
  on = await openSendingLab();
  await fundHotWallet(on);
});
afterAll(() => on.lab.close());

const MESSAGES = 6_050;
const IN_A_BLOCK = 550;

describe('a payout to the bounceable address of a contract that is paid thousands of times after it', () => {
  test('is at least told as mined where the API cannot locate its message, and does not look like nodes that are away', async () => {
    const { lab } = on;
    const sender = on.sender();
    const to = lab.strangersAddress(1);
    lab.place(lab.addressOf(to), payableContract());
    await lab.mine(1);
    const sequence = await sender.nextSequence(lab.hotWallet);
    const order = sendingOrder({
      ...{ wallet: lab.hotWallet, sequence, asset: NATIVE, voids: false },
      ...{ to: lab.addressOf(to).toString({ bounceable: true }), units: 10_000_000n },
    });
    const unsigned = await sender.prepare(order, null);
    const transaction = { ...(await on.sign(order, unsigned)), ...unsigned, voids: false };
    await sender.broadcast(transaction.raw);
    await lab.chain.settle();
    for (let sent = 0; sent < MESSAGES; sent += IN_A_BLOCK) {
      for (let each = 0; each < IN_A_BLOCK; each++) lab.pay({ to, units: 10_000_000n });
      await lab.mine(1);
    }
    lab.chain.wait(120);
    await lab.mine(1);
    lab.server.behave({ refuse: (method) => method === 'tryLocateResultTx' });
    const asked = { wallet: order.wallet, sequence, order, inputs: [], transactions: [transaction] };
    expect(await sender.outcome(asked)).toMatchObject({ kind: 'mined', effects: [true] });
    await sender.close();
  });
});
