/**
 * What a TON wallet's request really moved, and what it cost: many payments, silent omissions,
 * returns, sweeps; exact to the nanoton.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import type { WalletKey } from '../../../../../src/ports/sending/signer.ts';
import { MOVES_NOTHING, RECEIVES_NOTHING } from '../../../../support/ton/jetton.ts';
import { payableContract, unpayableContract } from '../../../../support/ton/small-contracts.ts';
import { NATIVE, TON, type TonLab, USDT } from '../../../../support/ton/ton-lab.ts';
import { fundHotWallet, openSendingLab, type SendingLab } from '../../../../support/ton/ton-sending.ts';
import { type Change, changed, paymentOf, sendingOrder } from '../../../../support/utxo/lone-orders.ts';

let on: SendingLab;
let lab: TonLab;
let sender: ChainSender;
beforeAll(async () => {
  on = await openSendingLab();
  lab = on.lab;
  await fundHotWallet(on);
  sender = on.sender();
});
afterAll(async () => {
  await sender.close();
  await lab.close();
});

const HOT: WalletKey = { role: 'hot' };
let strangers = 0;
const stranger = (): string => lab.strangersAddress(strangers++);

async function orderOf(changes: Change<SendingOrder> = {}): Promise<SendingOrder> {
  const wallet = changes.wallet ?? lab.hotWallet;
  const nonce = await sender.nextNonce(wallet);
  const order = sendingOrder({
    wallet,
    nonce,
    asset: NATIVE,
    to: stranger(),
    units: 10_000n,
    voids: false,
  });
  return changed(order, changes);
}

async function signed(order: SendingOrder, key = HOT) {
  const unsigned = await sender.prepare(order, null);
  return { ...(await on.sign(order, unsigned, key)), ...unsigned, voids: false };
}

async function sent(order: SendingOrder, key = HOT) {
  const transaction = await signed(order, key);
  expect(await sender.broadcast(transaction.raw)).toEqual({ kind: 'accepted' });
  return transaction;
}

async function minedOf(order: SendingOrder, transaction: Awaited<ReturnType<typeof signed>>, toOurs = false) {
  const { wallet, nonce } = order;
  const asked = { wallet, nonce, transactions: [transaction], order, inputs: [], toOurs };
  const outcome = await sender.outcome(asked);
  if (outcome.kind !== 'mined') throw new Error(`the request is ${outcome.kind}, not mined`);
  return outcome;
}

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ to: stranger(), units: 1_000n + BigInt(index) }));

describe('many payments', () => {
  for (const { asset, count } of [
    { asset: NATIVE, count: 200 },
    { asset: USDT, count: 100 },
  ])
    test(`${count} in ${asset} leave in one request, arrive, and cost what the wallet has less`, async () => {
      const order = await orderOf({ asset, payments: many(count) });
      const before = lab.balanceOf(lab.hotWallet);
      const transaction = await sent(order);
      await lab.mine(1);
      await lab.chain.settle();
      lab.server.behave({});
      const { effects, feeUnits, final } = await minedOf(order, transaction);
      const asked = lab.server.asked.filter((method) => method === 'tryLocateResultTx').length;
      expect({ effects: effects.filter(Boolean).length, final }).toEqual({ effects: count, final: true });
      for (const { to, units } of order.payments)
        expect(asset === NATIVE ? lab.balanceOf(to) : lab.jettonsOf(to)).toBe(units);
      const gone = before - lab.balanceOf(lab.hotWallet);
      const coins = order.payments.reduce((sum, { units }) => sum + units, 0n);
      expect(feeUnits).toBe(asset === NATIVE ? gone - coins : gone);
      expect(transaction.maxFeeUnits).toBeGreaterThanOrEqual(feeUnits);
      // Only where jettons arrived has to be asked one by one: what comes back to us is read as a
      // whole.
      expect(asked).toBe(asset === NATIVE ? 0 : count);
      lab.server.behave({});
      expect((await minedOf(order, transaction)).effects).toEqual(effects);
      expect(lab.server.asked).not.toContain('tryLocateResultTx');
    });

  test('equal payments are told apart, and the same recipient twice is paid twice', async () => {
    const to = stranger();
    const payments = [1, 2, 3].map(() => ({ to, units: 7_000n }));
    for (const asset of [NATIVE, USDT]) {
      const order = await orderOf({ asset, payments });
      const transaction = await sent(order);
      await lab.mine(1);
      await lab.chain.settle();
      expect((await minedOf(order, transaction)).effects).toEqual([true, true, true]);
    }
    expect(lab.jettonsOf(to)).toBe(21_000n);
  });

  test('G6: what a wallet can not pay any more it leaves out without a word: those payments were not made', async () => {
    const order = await orderOf({ payments: [1, 2, 3].map(() => ({ to: stranger(), units: 2n * TON })) });
    const transaction = await sent(order);
    const money = lab.balanceOf(lab.hotWallet);
    lab.setBalance(lab.hotWallet, 5n * TON);
    await lab.mine(1);
    const { transaction: taken } = lab.last(lab.hotWallet);
    if (taken.description.type !== 'generic') throw new Error('another kind of transaction');
    expect(taken.description.actionPhase).toMatchObject({ success: true, skippedActions: 1 });
    await lab.chain.settle();
    const { effects, unfunded, feeUnits, final } = await minedOf(order, transaction);
    expect({ effects, final }).toEqual({ effects: [true, true, false], final: true });
    expect(unfunded).toEqual([false, false, true]);
    expect(5n * TON - lab.balanceOf(lab.hotWallet)).toBe(feeUnits + 4n * TON);
    expect(await sender.nextNonce(lab.hotWallet)).toBe(order.nonce + 1n);
    lab.setBalance(lab.hotWallet, money);
    await lab.mine(1);
  });

  test('G6: a jetton wallet does not send what it has not any more: no recipient has a part in that', async () => {
    const hot = lab.addressOf(lab.hotWallet);
    const units = lab.jettonsOf(lab.hotWallet);
    const order = await orderOf({ asset: USDT, payments: many(2) });
    const transaction = await sent(order);
    lab.place(lab.jetton.walletOf(hot), lab.jetton.walletState(hot, { units: 1_500n }));
    await lab.mine(1);
    await lab.chain.settle();
    const { effects, unfunded, final } = await minedOf(order, transaction);
    expect({ effects, final }).toEqual({ effects: [true, false], final: true });
    expect(unfunded).toEqual([false, true]);
    lab.place(lab.jetton.walletOf(hot), lab.jetton.walletState(hot, { units }));
    await lab.mine(1);
  });
});

describe('what comes back', () => {
  test('coins that ask to be sent back come back from a contract that fails, less what that cost', async () => {
    const [fails, works, nothing] = [stranger(), stranger(), stranger()].map((raw) => lab.addressOf(raw));
    lab.place(fails!, unpayableContract());
    lab.place(works!, payableContract());
    const friendly = (bounceable: boolean) => (address: typeof fails) => address!.toString({ bounceable });
    const to = [fails, works, nothing].map(friendly(true)).concat(friendly(false)(fails));
    const order = await orderOf({ payments: to.map((each) => ({ to: each, units: TON })) });
    const before = lab.balanceOf(lab.hotWallet);
    const transaction = await sent(order);
    await lab.mine(1);
    expect(await minedOf(order, transaction)).toMatchObject({ final: false });
    await lab.chain.settle();
    const { effects, unfunded, feeUnits, final } = await minedOf(order, transaction);
    expect(unfunded).toEqual([false, false, false, false]);
    // An address without a contract keeps them, and so does one that was given in the form that
    // does not ask.
    expect({ effects, final }).toEqual({ effects: [false, true, true, true], final: true });
    expect(before - lab.balanceOf(lab.hotWallet)).toBe(feeUnits + 3n * TON);
    expect(lab.balanceOf(nothing!.toRawString())).toBe(TON);
  });

  test.each([{ place: 'last' }, { place: 'first' }])(
    'jettons are final when they are at their wallets, or back: the $place one comes back',
    async ({ place }) => {
      const [fine, locked] = [stranger(), stranger()];
      const inTurn = <T>(both: readonly T[]) => (place === 'first' ? both.toReversed() : both);
      const owner = lab.addressOf(locked);
      lab.place(lab.jetton.walletOf(owner), lab.jetton.walletState(owner, { status: RECEIVES_NOTHING }));
      const order = await orderOf({
        asset: USDT,
        payments: inTurn([fine, locked]).map((to) => ({ to, units: 5_000n })),
      });
      const [coins, jettons] = [lab.balanceOf(lab.hotWallet), lab.jettonsOf(lab.hotWallet)];
      const transaction = await sent(order);
      const finals: boolean[] = [];
      for (let blocks = 0; blocks < 5; blocks += 1) {
        await lab.mine(1);
        finals.push((await minedOf(order, transaction)).final);
      }
      expect(finals).toEqual([false, false, false, true, true]);
      const { effects, unfunded, feeUnits } = await minedOf(order, transaction);
      expect({ effects, unfunded }).toEqual({ effects: inTurn([true, false]), unfunded: [false, false] });
      expect(jettons - lab.jettonsOf(lab.hotWallet)).toBe(5_000n);
      expect(coins - lab.balanceOf(lab.hotWallet)).toBe(feeUnits);
    },
  );

  test('T6: a jetton wallet that says yes and moves nothing has paid nothing', async () => {
    const hot = lab.addressOf(lab.hotWallet);
    const units = lab.jettonsOf(lab.hotWallet);
    lab.place(lab.jetton.walletOf(hot), lab.jetton.walletState(hot, { status: MOVES_NOTHING, units }));
    const order = await orderOf({ asset: USDT });
    const before = lab.balanceOf(lab.hotWallet);
    const transaction = await sent(order);
    await lab.mine(1);
    await lab.chain.settle();
    const { effects, unfunded, feeUnits, final } = await minedOf(order, transaction);
    expect({ effects, unfunded, final }).toEqual({ effects: [false], unfunded: [true], final: true });
    expect(before - lab.balanceOf(lab.hotWallet)).toBe(feeUnits);
    lab.place(lab.jetton.walletOf(hot), lab.jetton.walletState(hot, { units }));
    await lab.mine(1);
  });

  test('nothing is signed for a recipient in the masterchain, whose fees are not bounded: the signer names that payment of several', async () => {
    const to = `-1:${'ab'.repeat(32)}`;
    for (const asset of [NATIVE, USDT]) {
      const payments = [stranger(), to].map((each) => ({ to: each, units: 5n }));
      const order = await orderOf({ asset, payments });
      const unsigned = await sender.prepare(order, null);
      await expect(on.sign(order, unsigned)).rejects.toMatchObject({
        ...{ lasting: true, transferId: 'transfer 1' },
        message: 'the recipient is not in the basechain',
      });
    }
  });

  test('where the API does not find where a message arrived, the history of its recipient tells', async () => {
    const [fails] = [stranger()].map((raw) => lab.addressOf(raw));
    lab.place(fails!, unpayableContract());
    const bounceable = fails!.toString({ bounceable: true });
    const orders = [
      { asset: USDT, to: stranger() },
      { asset: NATIVE, to: bounceable, units: TON },
    ];
    for (const change of orders) {
      const order = await orderOf(change);
      const transaction = await sent(order);
      await lab.mine(1);
      await lab.chain.settle();
      lab.server.behave({ refuse: (method) => method === 'tryLocateResultTx' });
      expect(await minedOf(order, transaction)).toMatchObject({ final: false });
      lab.chain.wait(60);
      await lab.mine(1);
      expect(await minedOf(order, transaction)).toMatchObject({
        effects: [change.asset === USDT],
        final: true,
      });
      lab.server.behave({});
    }
  });
});

describe('sweeps', () => {
  const depositKey = (): WalletKey => ({ role: 'deposit', index: lab.indexesUsed - 1 });

  test('coins leave with the wallet deployed as it goes: exact units, and nothing else, to the hot wallet', async () => {
    const wallet = lab.freshAddress();
    const key = depositKey();
    for (const units of [3n * TON, TON / 2n, 3n * TON]) {
      lab.pay({ to: wallet, units });
      await lab.mine(1);
      const order = await orderOf({ wallet, to: lab.hotWallet, units: units - TON / 50n });
      const [own, hot] = [lab.balanceOf(wallet), lab.balanceOf(lab.hotWallet)];
      const transaction = await sent(order, key);
      await lab.mine(1);
      await lab.chain.settle();
      const { effects, feeUnits, hotFeeUnits = 0n, final } = await minedOf(order, transaction);
      expect({ effects, final }).toEqual({ effects: [true], final: true });
      const [{ units: moved }] = [paymentOf(order)];
      expect(own - lab.balanceOf(wallet)).toBe(moved + feeUnits - hotFeeUnits);
      expect(lab.balanceOf(lab.hotWallet) - hot).toBe(moved - hotFeeUnits);
    }
    expect(lab.balanceOf(wallet)).toBeGreaterThan(0n);
  });

  test('gas for an address of ours is final when it has arrived, and not when it has only left', async () => {
    const order = await orderOf({ to: lab.freshAddress(), units: TON / 10n });
    const transaction = await sent(order);
    await lab.mine(1);
    expect(await minedOf(order, transaction, true)).toMatchObject({ effects: [true], final: false });
    await lab.mine(1);
    expect(await minedOf(order, transaction, true)).toMatchObject({ effects: [true], final: true });
  });

  test('jettons leave on coins that were sent before, and what is left of those goes to the hot wallet', async () => {
    const wallet = lab.freshAddress();
    const key = depositKey();
    lab.payJetton({ to: wallet, units: 9_000_000n });
    await lab.chain.settle();
    const { maxUnits } = await sender.price({ asset: USDT, to: null });
    expect((maxUnits * 5n) / 4n).toBeLessThan(65_000_000n);
    lab.pay({ to: wallet, units: (maxUnits * 5n) / 4n });
    await lab.mine(1);
    const order = await orderOf({ wallet, asset: USDT, to: lab.hotWallet, units: 9_000_000n });
    const [own, hot, jettons] = [
      lab.balanceOf(wallet),
      lab.balanceOf(lab.hotWallet),
      lab.jettonsOf(lab.hotWallet),
    ];
    const transaction = await sent(order, key);
    await lab.mine(1);
    expect(await minedOf(order, transaction)).toMatchObject({ final: false });
    await lab.chain.settle();
    const { effects, feeUnits, hotFeeUnits = 0n, final } = await minedOf(order, transaction);
    expect({ effects, final }).toEqual({ effects: [true], final: true });
    expect(hotFeeUnits).toBeLessThan(0n);
    expect(lab.jettonsOf(lab.hotWallet) - jettons).toBe(9_000_000n);
    expect(lab.balanceOf(lab.hotWallet) - hot).toBe(-hotFeeUnits);
    expect(own - lab.balanceOf(wallet)).toBe(feeUnits - hotFeeUnits);
  });
});
