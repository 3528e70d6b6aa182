/**
 * The fake chain keeps the contract of a sender, its signer is suspicious, and its controller can
 * make sending fail.
 */
import { describe, expect, test } from 'bun:test';
import { readSigned } from '../../../../src/adapters/chains/fake/fake-sending.ts';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import { type SigningOrder, SigningRefused } from '../../../../src/ports/sending/signer.ts';
import { describeChainSender } from '../../../contracts/sending/chain-sender.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { DEPOSIT_KEY, ETH, stageFakeSending, USDT } from '../../../support/fake/fake-sending-stage.ts';
import { type Change, changed, paymentOf } from '../../../support/utxo/lone-orders.ts';

describeChainSender('fake', async () => {
  const { sender, control, signer, hot, deposit, freshAddress, signingOrder } = stageFakeSending();
  const unpayableContract = freshAddress();
  control.refuse(unpayableContract, true);
  const payableContract = freshAddress();
  control.demand(payableContract, 10n);
  return {
    sender,
    confirmations: 3,
    token: USDT,
    silentToken: { asset: 'dai_ethereum', fail: async (on) => control.failSilently('dai_ethereum', on) },
    wallet: hot,
    poorWallet: deposit,
    payableContract,
    unpayableContract,
    freshAddress,
    sign: (order, { payload }) => signer.sign(signingOrder(order, payload)),
    feesOf: (raw) => {
      const { feeCap, tip } = readSigned(raw)!.sending;
      return [feeCap, tip];
    },
    fund: async (address, asset, units) => control.fund(address, asset, units),
    balanceOf: async (address, asset) => control.balanceOf(address, asset),
    refuseTokensTo: async (address, on) => control.refuse(address, on),
    mine: async (count) => control.mine(count),
    reorg: async (depth) => control.reorg(depth),
    outage: async (on) => control.fail(on),
    close: () => sender.close(),
  };
});

describe('fake signer', () => {
  test('an order that differs from its payload, or from its key, is refused', async () => {
    const { sender, signer, signingOrder, orderOf, deposit, freshAddress } = stageFakeSending();
    const order = await orderOf({ asset: USDT });
    const { payload } = await sender.prepare(order, null);
    const right = signingOrder(order, payload);
    expect(await signer.sign(right)).toEqual(await signer.sign(right));
    const wrong: readonly Change<SigningOrder>[] = [
      { nonce: order.nonce + 1n },
      { asset: ETH },
      { to: freshAddress() },
      { units: paymentOf(order).units + 1n },
      { voids: true },
      { wallet: deposit },
      { key: DEPOSIT_KEY },
      { wallet: deposit, key: DEPOSIT_KEY },
      { chain: 'bsc' },
      { payload: '' },
      { payload: '{}' },
      { payload: payload.replace('{', '{ ') },
    ];
    for (const change of wrong)
      await expect(signer.sign(changed(right, change))).rejects.toThrow(SigningRefused);
  });

  test('a transaction that voids is signed for an order that voids, and for no payment', async () => {
    const { sender, signer, signingOrder, orderOf } = stageFakeSending();
    const order = await orderOf({ asset: USDT });
    const { payload } = await sender.prepare({ ...order, voids: true }, null);
    await expect(signer.sign(signingOrder(order, payload))).rejects.toThrow(SigningRefused);
    const { raw } = await signer.sign(signingOrder({ ...order, voids: true }, payload));
    expect(readSigned(raw)!.sending).toMatchObject({ to: order.wallet, units: 0n, asset: ETH });
  });
});

describe('fake chain as one that money leaves', () => {
  test('a payment from outside can be swept from its deposit address, and a top-up before pays the fee', async () => {
    const { scanner, sender, control, hot, deposit, orderOf, sent } = stageFakeSending();
    control.pay({ to: deposit, asset: USDT, units: 90_000n });
    control.mine();
    await expect(
      orderOf({ wallet: deposit, asset: USDT, to: hot, units: 90_000n }).then((order) =>
        sender.prepare(order, null),
      ),
    ).rejects.toMatchObject({ because: 'money' });
    const { maxUnits } = await sender.price({ asset: USDT, to: hot });
    const topUp = await sent(await orderOf({ to: deposit, units: maxUnits }));
    control.mine();
    const { height } = (await scanner.head()).tip;
    const blocks = await scanner.blocks({ from: height, to: height }, watching([deposit]));
    expect(blocks[0]!.transfers).toMatchObject([
      { txid: topUp, asset: ETH, to: deposit, from: hot, units: maxUnits, kind: 'payment' },
    ]);
    const before = control.balanceOf(hot, USDT);
    await sent(await orderOf({ wallet: deposit, asset: USDT, to: hot, units: 90_000n }));
    control.mine();
    expect(control.balanceOf(hot, USDT) - before).toBe(90_000n);
    expect(control.balanceOf(deposit, USDT)).toBe(0n);
  });

  test('money that appears without a transaction is in the balance too', () => {
    const { control, deposit } = stageFakeSending();
    control.appear({ to: deposit, asset: USDT, units: 33n });
    control.mine();
    expect(control.balanceOf(deposit, USDT)).toBe(33n);
  });

  test('a scanner sees a waiting payment of ours to a watched address, and its place', async () => {
    const { scanner, control, orderOf, sent, deposit } = stageFakeSending();
    const txid = await sent(await orderOf({ to: deposit }));
    expect(await scanner.pending(watching([deposit]))).toMatchObject([{ txid, to: deposit }]);
    expect(await scanner.lookup(txid)).toEqual({ state: 'pending' });
    control.mine();
    expect(await scanner.lookup(txid)).toMatchObject({ state: 'mined' });
  });

  test('what an address got is listed with its blocks', async () => {
    const { control, orderOf, sent } = stageFakeSending();
    const order = await orderOf();
    const txid = await sent(order);
    expect(control.received(paymentOf(order).to)).toEqual([]);
    control.mine();
    control.pay({ to: paymentOf(order).to, asset: USDT, units: 8n });
    control.mine();
    expect(control.received(paymentOf(order).to)).toMatchObject([
      { txid, asset: ETH, units: 5_000n, height: 11 },
      { asset: USDT, units: 8n, height: 12 },
    ]);
  });

  test('the next payment to an address can be made to revert where nobody could tell', async () => {
    const { sender, control, hot, orderOf, signed } = stageFakeSending();
    const order = await orderOf({ asset: USDT });
    control.revertNext(paymentOf(order).to);
    const transaction = { ...(await signed(order)), voids: false };
    await sender.broadcast(transaction.raw);
    control.mine();
    expect(
      await sender.outcome({
        wallet: hot,
        nonce: order.nonce,
        transactions: [transaction],
        order,
        inputs: [],
      }),
    ).toMatchObject({ kind: 'mined', effects: [false] });
    const again = await signed({ ...order, nonce: order.nonce + 1n });
    await sender.broadcast(again.raw);
    control.mine();
    expect(control.received(paymentOf(order).to)).toMatchObject([{ txid: again.txid }]);
  });

  test('fees can rise above what a transaction offers: it waits, and its replacement does not', async () => {
    const { sender, signer, control, orderOf, signed, signingOrder } = stageFakeSending();
    const order = await orderOf();
    const cheap = await signed(order);
    await sender.broadcast(cheap.raw);
    control.setFeeLevel(1_000);
    control.mine(3);
    expect(control.received(paymentOf(order).to)).toEqual([]);
    const { payload } = await sender.prepare(order, cheap);
    const dear = await signer.sign(signingOrder(order, payload));
    expect(await sender.broadcast(dear.raw)).toEqual({ kind: 'accepted' });
    control.mine();
    expect(control.received(paymentOf(order).to)).toMatchObject([{ txid: dear.txid }]);
  });

  test('a rival that offers less than a tenth more is refused, and so are bytes that nobody signed', async () => {
    const { sender, orderOf, signed, freshAddress } = stageFakeSending();
    const order = await orderOf();
    const { raw } = await signed(order);
    await sender.broadcast(raw);
    const rival = await signed(changed(order, { to: freshAddress() }));
    for (const bytes of [rival.raw, '', 'nonsense', `${raw}0`, raw.slice(0, -1)])
      expect(await sender.broadcast(bytes)).toMatchObject({ kind: 'refused' });
  });

  test('broadcasts can be refused, lost and left without an answer', async () => {
    const { sender, control, orderOf, signed } = stageFakeSending();
    const order = await orderOf();
    const { raw, txid } = await signed(order);
    const outcome = () => sender.outcome({ ...order, transactions: [{ raw, txid, voids: false }], order });
    control.spoilBroadcasts('refuse');
    expect(await sender.broadcast(raw)).toMatchObject({ kind: 'refused' });
    control.spoilBroadcasts('lose');
    expect(await sender.broadcast(raw)).toEqual({ kind: 'accepted' });
    expect(await outcome()).toEqual({ kind: 'unseen' });
    control.spoilBroadcasts('time_out');
    await expect(sender.broadcast(raw)).rejects.toThrow(ChainUnavailable);
    expect(await outcome()).toEqual({ kind: 'waiting', txid });
    control.spoilBroadcasts(null);
    expect(await sender.broadcast(raw)).toEqual({ kind: 'accepted' });
  });

  test('a reorganisation undoes money and nonces: what is kept runs again, its successors wait, the rest is gone', async () => {
    const { sender, control, hot, orderOf, sent } = stageFakeSending();
    const before = control.balanceOf(hot, ETH);
    const first = await orderOf();
    const orders = [0n, 1n, 2n].map((offset) => ({ ...first, nonce: first.nonce + offset }));
    const txids = [];
    for (const order of orders) txids.push(await sent(order));
    control.mine(2);
    const after = control.balanceOf(hot, ETH);
    control.reorg(2, { keep: [txids[0]!, txids[2]!] });
    expect(await sender.nextNonce(hot)).toBe(first.nonce + 1n);
    expect(control.received(paymentOf(first).to).map(({ txid }) => txid)).toEqual([txids[0]!]);
    await sent(orders[1]!);
    control.mine();
    expect(control.received(paymentOf(first).to).map(({ txid }) => txid)).toEqual(txids);
    expect(control.balanceOf(hot, ETH)).toBe(after);
    control.reorg(3);
    expect(control.balanceOf(hot, ETH)).toBe(before);
    expect(await sender.nextNonce(hot)).toBe(first.nonce);
  });

  test('a double spend of our payment is a foreign transaction with its nonce', async () => {
    const { sender, control, orderOf, signed, freshAddress } = stageFakeSending();
    const order = await orderOf();
    const { raw, txid } = await signed(order);
    await sender.broadcast(raw);
    control.mine();
    const thief = freshAddress();
    control.doubleSpend(txid, { to: thief });
    control.mine(3);
    expect(control.received(paymentOf(order).to)).toEqual([]);
    expect(control.received(thief)).toMatchObject([{ units: paymentOf(order).units }]);
    expect(await sender.outcome({ ...order, transactions: [{ raw, txid, voids: false }], order })).toEqual({
      kind: 'superseded',
    });
  });

  test('a payment told to revert by a reorganisation takes its fee and pays nobody', async () => {
    const { control, hot, orderOf, sent } = stageFakeSending();
    const order = await orderOf();
    const txid = await sent(order);
    control.mine();
    const paid = control.balanceOf(hot, ETH);
    control.reorg(1, { revert: [txid] });
    expect(control.balanceOf(hot, ETH) - paid).toBe(paymentOf(order).units);
    expect(control.received(paymentOf(order).to)).toEqual([]);
  });

  test('a node that lags sees our payment wait, and the balances of its own last block', async () => {
    const { sender, control, hot, orderOf, signed } = stageFakeSending();
    const order = await orderOf();
    const before = await sender.balances(hot, [ETH]);
    const { raw, txid } = await signed(order);
    await sender.broadcast(raw);
    control.mine();
    control.lag(1);
    expect(await sender.outcome({ ...order, transactions: [{ raw, txid, voids: false }], order })).toEqual({
      kind: 'waiting',
      txid,
    });
    expect(await sender.balances(hot, [ETH])).toEqual(before);
    await expect(sender.balances(hot, [ETH], { height: before.block.height + 1 })).rejects.toThrow(
      ChainUnavailable,
    );
  });

  test('orders that make no sense are mistakes of the test', async () => {
    const { sender, control, hot, orderOf } = stageFakeSending();
    expect(() => control.fund(hot, 'btc_bitcoin', 1n)).toThrow('btc_bitcoin');
    expect(() => control.fund(hot, ETH, 0n)).toThrow(RangeError);
    expect(() => control.fund('nowhere', ETH, 1n)).toThrow('nowhere');
    expect(() => control.setFeeLevel(0)).toThrow(RangeError);
    expect(() => control.failSilently('btc_bitcoin', true)).toThrow('btc_bitcoin');
    await expect(control.mineOnly([])).rejects.toThrow('no coins');
    await expect(orderOf({ to: 'nowhere' }).then((order) => sender.prepare(order, null))).rejects.toThrow(
      'nowhere',
    );
  });
});
