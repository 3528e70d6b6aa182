/**
 * A fake UTXO chain keeps the contract of a sender of UTXOs, and does with UTXOs what its
 * controller is told.
 */
import { describe, expect, test } from 'bun:test';
import { UTXO_FAMILIES } from '../../../../src/domain/catalog/family.ts';
import { outpointText } from '../../../../src/domain/chains/outpoint.ts';
import type { Utxo } from '../../../../src/ports/sending/utxo-spending.ts';
import { describeCoinSender } from '../../../contracts/sending/utxo-sender.ts';
import { spendingFrom, watching } from '../../../support/chains/watch-list.ts';
import { fakeCoinCase, PAID_UNITS, stageFakeCoins } from '../../../support/fake/fake-utxo-stage.ts';

for (const family of UTXO_FAMILIES)
  describeCoinSender(`fake ${family}`, async () => fakeCoinCase(stageFakeCoins(family)));

describe('fake UTXO chain', () => {
  test('its scanner shows what leaves and what comes back, waiting and mined, by its outputs', async () => {
    const stage = stageFakeCoins('bitcoin');
    const { scanner, control, hot, asset } = stage;
    const order = stage.orderOf({
      payments: [
        { to: stage.freshAddress(), units: PAID_UNITS },
        { to: stage.freshAddress(), units: PAID_UNITS },
      ],
    });
    const transaction = await stage.sent(order);
    const change = stage.changeOf(transaction);
    const { txid: topUp } = control.pay({ to: hot, asset, units: 7_000n });
    const watched = watching([hot, change.address, ...order.payments.map(({ to }) => to)]);
    const common = { asset, from: null, kind: 'payment' } as const;
    const shown = [
      ...order.payments.map(({ to, units }, vout) => ({
        ...common,
        txid: transaction.txid,
        output: `vout:${vout}`,
        to,
        units,
      })),
      { ...common, txid: transaction.txid, output: 'vout:2', to: change.address, units: change.units },
      { ...common, txid: topUp, output: 'vout:0', to: hot, units: 7_000n },
    ];
    expect(await scanner.pending(watched)).toEqual(shown);
    control.mine();
    const { height } = (await scanner.head()).tip;
    const [block] = await scanner.blocks({ from: height, to: height }, watched);
    expect(block!.transfers).toEqual(shown);
    expect(await scanner.pending(watched)).toEqual([]);
    expect(control.balanceOf(change.address, asset)).toBe(change.units);
    expect(control.balanceOf(order.inputs[0]!.address, asset)).toBe(0n);
  });

  test('K4: its scanner knows what spends the change of a transaction that it read in the same blocks', async () => {
    const stage = stageFakeCoins('bitcoin');
    const { scanner, control, hot } = stage;
    const order = stage.orderOf();
    const parent = await stage.sent(order);
    control.mine();
    const change = stage.changeOf(parent);
    const child = await stage.sent(stage.orderOf({ inputs: [change] }));
    control.mine();
    const { height } = (await scanner.head()).tip;
    const stored = new Set(order.inputs.map(outpointText));
    const spending = spendingFrom(hot, {
      ours: async (outpoints) => new Set(outpoints.filter((outpoint) => stored.has(outpoint))),
      change: async (addresses) =>
        new Map(addresses.flatMap((to) => (to === change.address ? [[to, 4] as const] : []))),
    });
    const blocks = await scanner.blocks({ from: height - 1, to: height }, { ...watching([]), spending });
    const unknown = blocks.flatMap((block) => block.unknown ?? []);
    expect(unknown.map(({ txid, onlyPays = false }) => ({ txid, onlyPays }))).toEqual(
      [parent, child].map(({ txid }) => ({ txid, onlyPays: false })),
    );
  });

  test('fees can rise above what a transaction offers: it waits, and its replacement does not', async () => {
    const stage = stageFakeCoins('bitcoin');
    const { control, sender } = stage;
    const order = stage.orderOf();
    const cheap = await stage.sent(order);
    control.setFeeLevel(400);
    control.mine(3);
    expect(control.waiting()).toEqual([cheap.txid]);
    const dear = await stage.signed(order, cheap);
    expect(await sender.broadcast(dear.raw)).toEqual({ kind: 'accepted' });
    control.mine();
    expect(control.received(order.payments[0]!.to)).toMatchObject([{ txid: dear.txid }]);
    expect(() => control.setFeeLevel(0)).toThrow(RangeError);
  });

  test('a child that pays for both takes its parent along, and one that does not waits with it', async () => {
    const stage = stageFakeCoins('litecoin');
    const { control, sender, hot } = stage;
    const parent = await stage.sent(stage.orderOf());
    const change = stage.changeOf(parent);
    control.setFeeLevel(400);
    const child = async (units: bigint) =>
      stage.signed(stage.orderOf({ inputs: [change], payments: [{ to: hot, units }], nonce: 5n }));
    const poor = await child(change.units - 1_000n);
    expect(await sender.broadcast(poor.raw)).toEqual({ kind: 'accepted' });
    control.mine();
    expect(control.waiting()).toEqual([parent.txid, poor.txid]);
    control.drop(poor.txid);
    const { units } = sender.utxos!.bump({
      raw: parent.raw,
      paidFeeUnits: 1_000_000n - PAID_UNITS - change.units,
      feeRate: await sender.utxos!.feeRate(),
      change,
    })!;
    await sender.broadcast((await child(units)).raw);
    control.mine();
    expect(control.waiting()).toEqual([]);
    expect(stage.received(hot)).toBe(units);
  });

  test('a double spend of a waiting payment takes its child along; of a mined one it supersedes at finality', async () => {
    const stage = stageFakeCoins('litecoin');
    const { control, sender, hot } = stage;
    const order = stage.orderOf();
    const parent = await stage.sent(order);
    const change = stage.changeOf(parent);
    const payments = [{ to: hot, units: change.units - 5_000n }];
    await stage.sent(stage.orderOf({ inputs: [change], payments, nonce: 5n }));
    const thief = stage.freshAddress();
    const { txid } = control.doubleSpend(parent.txid, { to: thief });
    expect(control.waiting()).toEqual([txid]);
    control.mine();
    expect(await sender.broadcast(parent.raw)).toEqual({ kind: 'nonce_used' });
    const outcome = (): Promise<unknown> => sender.outcome({ ...order, order, transactions: [parent] });
    expect(await outcome()).not.toEqual({ kind: 'superseded' });
    control.mine(2);
    expect(await outcome()).toEqual({ kind: 'superseded' });
    expect(stage.received(thief)).toBe(PAID_UNITS + change.units);

    const next = stage.orderOf();
    const mined = await stage.sent(next);
    control.mine(3);
    control.doubleSpend(mined.txid, { to: thief });
    expect(await sender.outcome({ ...next, order: next, transactions: [mined] })).toEqual({
      kind: 'superseded',
    });
  });

  test('a reorganisation gives coins back: what is kept is spent again, and a child goes with its parent', async () => {
    const stage = stageFakeCoins('bitcoincash');
    const { control, sender, hot } = stage;
    const order = stage.orderOf();
    const parent = await stage.sent(order);
    const change = stage.changeOf(parent);
    const payments = [{ to: hot, units: change.units - 5_000n }];
    const child = await stage.sent(stage.orderOf({ inputs: [change], payments, nonce: 5n }));
    control.mine(2);
    expect(await sender.utxos!.unspent([...order.inputs, change])).toEqual([false, false]);
    control.reorg(2, { keep: [parent.txid, child.txid] });
    expect(await sender.utxos!.unspent([...order.inputs, change])).toEqual([false, false]);
    control.reorg(2, { keep: [parent.txid], requeue: [child.txid] });
    expect(await sender.utxos!.unspent([...order.inputs, change])).toEqual([false, true]);
    expect(control.waiting()).toEqual([child.txid]);
    control.reorg(2, { keep: [child.txid] });
    expect(await sender.utxos!.unspent([...order.inputs, change])).toEqual([true, false]);
    expect(control.waiting()).toEqual([]);
    expect(await sender.broadcast(child.raw)).toEqual({ kind: 'nonce_used' });
    for (const { raw } of [parent, child]) expect(await sender.broadcast(raw)).toEqual({ kind: 'accepted' });
    control.mine();
    expect(stage.received(hot)).toBe(change.units - 5_000n);
  });

  test('a node that lags sees our payment wait, and its coin unspent', async () => {
    const stage = stageFakeCoins('bitcoin');
    const { control, sender } = stage;
    const order = stage.orderOf();
    const transaction = await stage.sent(order);
    control.mine();
    control.lag(1);
    const outcome = () => sender.outcome({ ...order, order, transactions: [transaction] });
    expect(await outcome()).toEqual({ kind: 'waiting', txid: transaction.txid });
    expect(await sender.utxos!.unspent(order.inputs)).toEqual([true]);
    control.lag(0);
    expect(await outcome()).toMatchObject({ kind: 'mined' });
  });

  test('U4: a coin that is locked is in no block before its time', async () => {
    const stage = stageFakeCoins('bitcoin');
    const { control, sender, asset, deriver } = stage;
    const [address = ''] = deriver.derive({ from: 900, count: 1 });
    const { txid } = control.pay({ to: address, asset, units: 1_000_000n, matureAfter: 5 });
    control.mine();
    const utxo: Utxo = { txid, vout: 0, address, key: { role: 'deposit', index: 900 }, units: 1_000_000n };
    const order = stage.orderOf({ inputs: [utxo] });
    const { raw } = await stage.signed(order);
    control.mine(3);
    expect(await sender.broadcast(raw)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/premature/),
    });
    control.mine();
    expect(await sender.broadcast(raw)).toEqual({ kind: 'accepted' });
    control.mine();
    expect(stage.received(order.payments[0]!.to)).toBe(PAID_UNITS);
  });

  test('money for a wallet comes in a block of its own, and leaves what waits waiting', () => {
    const { control, scanner, hot, asset, freshAddress } = stageFakeCoins('bitcoin');
    const { txid } = control.pay({ to: freshAddress(), asset, units: 1_000n });
    control.fund(hot, asset, 5_000n);
    expect(control.balanceOf(hot, asset)).toBe(5_000n);
    expect(control.received(hot)).toMatchObject([{ output: 'vout:0', height: 11 }]);
    expect(control.waiting()).toEqual([txid]);
    expect(scanner.chain).toBe('bitcoin');
  });

  test('orders that make no sense are mistakes of the test', async () => {
    const { control, hot, asset } = stageFakeCoins('bitcoin');
    expect(() => control.fund(hot, 'eth_ethereum', 1n)).toThrow('eth_ethereum');
    expect(() => control.fund(hot, asset, 0n)).toThrow(RangeError);
    expect(() => control.balanceOf(hot, 'eth_ethereum')).toThrow('eth_ethereum');
    for (const order of [
      () => control.refuse(hot, true),
      () => control.demand(hot, 1n),
      () => control.revertNext(hot),
      () => control.failSilently(asset, true),
      () => control.reorg(1, { revert: ['f'.repeat(64)] }),
    ])
      expect(order).toThrow('nothing reverts');
    const elsewhere = stageFakeCoins('bitcoin');
    elsewhere.control.mine();
    const { raw } = await elsewhere.signed(elsewhere.orderOf());
    await expect(control.mineOnly([raw])).rejects.toThrow('no block takes');
    await elsewhere.control.mineOnly([raw]);
    await expect(elsewhere.control.mineOnly([raw])).rejects.toThrow('no block takes');
  });
});
