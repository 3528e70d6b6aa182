/** The part of the suite for transactions that expire where something is in the way: money, failures, reorganisations, outages. */
import { expect, test } from 'bun:test';
import { ChainUnavailable } from '../../src/ports/chain-scanner.ts';
import type { SendingOrder } from '../../src/ports/chain-sender.ts';
import { type Change, changed, priced } from '../support/lone-orders.ts';
import { ACCEPTED } from './any-sender.ts';
import { type ExpiringSteps, UNITS } from './expiring-sender-steps.ts';

/** Registers the tests in the describe block it is called in. */
export function testExpiringTroubles(on: ExpiringSteps): void {
  test('a wallet without the money, or without the fee, is refused for money', async () => {
    const refused = async (changes: Change<SendingOrder>): Promise<void> =>
      expect(on.sender.prepare(await on.orderOf(changes), null)).rejects.toMatchObject({
        name: 'SendingRefused',
        because: 'money',
      });
    await on.chain.fund(on.chain.poorWallet, on.chain.token, UNITS);
    for (const asset of on.assets()) {
      await refused({ wallet: on.chain.poorWallet, asset });
      const { units } = await on.sender.balances(on.chain.wallet, [asset]);
      await refused({ asset, units: units.get(asset)! + 1n });
    }
    // All of the coin leaves nothing for the fee.
    await refused({ units: await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset) });
  });

  test('what the wallet must keep is not sent', async () => {
    const reserve = await on.sender.reserveUnits(on.chain.wallet);
    const held = await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset);
    const order = await on.orderOf({ units: held - reserve + 1n });
    await expect(on.sender.prepare(order, null)).rejects.toMatchObject({ because: 'money' });
  });

  test('bytes refused because the money is gone stay valid, and are accepted when it is there', async () => {
    const units = ((await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset)) * 6n) / 10n;
    const first = await on.orderOf({ units });
    const second = changed(first, { sequence: first.sequence + 1n, to: on.chain.freshAddress() });
    const before = await on.arrived(second);
    const transactions = { first: await on.signed(first), second: await on.signed(second) };
    await on.sender.broadcast(transactions.first.raw);
    await on.chain.mine(1);
    expect(await on.sender.broadcast(transactions.second.raw)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/./),
    });
    expect(await on.outcomeOf(second, transactions.second)).toEqual({ kind: 'unseen' });
    await on.chain.fund(on.chain.wallet, on.sender.nativeAsset, 2n * units);
    expect(await on.sender.broadcast(transactions.second.raw)).toEqual(ACCEPTED);
    await on.chain.mine(1);
    expect(await on.minedOf(second, transactions.second)).toMatchObject({ effects: [true] });
    expect((await on.arrived(second)) - before).toBe(units);
  });

  test('what the chain would undo, or where money would be lost, is refused as undone', async () => {
    for (const asset of on.assets()) {
      const order = await on.orderOf({ asset, to: on.chain.unpayable });
      await expect(on.sender.prepare(order, null)).rejects.toMatchObject({
        name: 'SendingRefused',
        because: 'undone',
      });
    }
  });

  test('a transfer that fails on the chain all the same is mined without effect, for its fee', async () => {
    for (const asset of on.assets()) {
      const held = await on.chain.balanceOf(on.chain.wallet, asset);
      const most = (held * 6n) / 10n;
      const [order, rival] = [
        await on.orderOf({ asset, units: most }),
        await on.orderOf({ asset, units: most }),
      ];
      const [transaction, other] = [await on.signed(order), await on.signed(rival)];
      await on.sender.broadcast(other.raw);
      await on.chain.mine(1);
      const before = await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset);
      const had = await on.arrived(order);
      await on.chain.force(transaction.raw);
      await on.chain.mine(1);
      const { effects, feeUnits } = await on.minedOf(order, transaction);
      expect({ effects, arrived: await on.arrived(order) }).toEqual({ effects: [false], arrived: had });
      expect(feeUnits).toBeGreaterThan(0n);
      expect(before - (await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset))).toBe(feeUnits);
      await on.chain.fund(on.chain.wallet, asset, most);
    }
  });

  test('balances of several assets are read at one block, the best or an earlier one', async () => {
    const address = on.chain.freshAddress();
    const none = await on.sender.balances(address, on.assets());
    const had = none.units.get(on.sender.nativeAsset)!;
    for (const [offset, asset] of on.assets().entries())
      await on.sent(await on.orderOf({ to: address, asset, units: UNITS + BigInt(offset) }));
    await on.chain.mine(3);
    const now = await on.sender.balances(address, on.assets());
    expect([...now.units]).toEqual([
      [on.sender.nativeAsset, had + UNITS],
      [on.chain.token, UNITS + 1n],
    ]);
    expect(now.block.height).toBe(none.block.height + 3);
    expect(await on.sender.onChain(now.block)).toBe(true);
    for (const height of [none.block.height, none.block.height - 1]) {
      const { units } = await on.sender.balances(address, on.assets(), { height });
      expect([...units]).toEqual([...none.units]);
    }
    const past = await on.sender.balances(address, [on.chain.token], { height: now.block.height - 1 });
    expect([...past.units]).toEqual([[on.chain.token, UNITS + 1n]]);
    await on.chain.mine(on.chain.confirmations);
    for (const { block, units } of [none, now])
      expect([...(await on.sender.balances(address, on.assets(), block)).units]).toEqual([...units]);
    const { tip } = { tip: now.block.height + on.chain.confirmations };
    await expect(on.sender.balances(address, on.assets(), { height: tip + 1 })).rejects.toThrow(
      ChainUnavailable,
    );
  });

  test('while no node answers every question is ChainUnavailable, and afterwards all is as before', async () => {
    const order = await on.orderOf();
    const transaction = await on.signed(order);
    const { block } = await on.sender.balances(order.wallet, on.assets());
    await on.chain.outage(true);
    for (const question of [
      () => on.sender.price(priced(order)),
      () => on.sender.reserveUnits(order.wallet),
      () => on.sender.prepare(order, null),
      () => on.sender.broadcast(transaction.raw),
      () => on.outcomeOf(order, transaction),
      () => on.sender.balances(order.wallet, on.assets()),
    ])
      await expect(question()).rejects.toThrow(ChainUnavailable);
    expect(await on.sender.onChain(block)).toBeNull();
    await on.chain.outage(false);
    expect(await on.sender.onChain(block)).toBe(true);
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
  });
}
