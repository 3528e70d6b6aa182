/**
 * The part of the ChainSender suite about failures: missing money, reverts, rivals,
 * reorganisations, outages.
 */
import { expect, test } from 'bun:test';
import type { OwnMoney } from '../../../src/domain/sending/own-money.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { SendingOrder } from '../../../src/ports/sending/chain-sender.ts';
import { type Change, changed, paymentOf, priced } from '../../support/utxo/lone-orders.ts';
import { ACCEPTED } from './any-sender.ts';
import { type SenderSteps, UNITS } from './chain-sender-steps.ts';

/** Registers the tests in the calling describe block. */
export function testSendingTroubles(on: SenderSteps): void {
  test('a wallet without the money, or without the fee, is refused for money', async () => {
    const refused = async (changes: Change<SendingOrder>): Promise<void> =>
      expect(on.sender.prepare(await on.orderOf(changes), null)).rejects.toMatchObject({
        name: 'SendingRefused',
        because: 'money',
      });
    await on.chain.fund(on.chain.poorWallet, on.chain.token, UNITS);
    for (const asset of on.assets()) {
      await refused({ wallet: on.chain.poorWallet, asset });
      await refused({ wallet: on.chain.poorWallet, asset, voids: true });
      const { units } = await on.sender.balances(on.chain.wallet, [asset]);
      await refused({ asset, units: units.get(asset)! + 1n });
    }
    // Sending the whole coin leaves nothing for the fee.
    await refused({ units: await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset) });
  });

  test('G9: what a wallet has and must keep pays neither an amount nor a fee', async () => {
    const refused = async (changes: Change<SendingOrder>, own: OwnMoney): Promise<void> =>
      expect(on.sender.prepare({ ...(await on.orderOf(changes)), own }, null)).rejects.toMatchObject({
        name: 'SendingRefused',
        because: 'money',
      });
    const held = await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset);
    for (const asset of on.assets()) await refused({ asset }, { keptUnits: held + 1n, mostUnits: null });
    await refused({}, { keptUnits: held - UNITS + 1n, mostUnits: null });
    await refused({}, { keptUnits: 0n, mostUnits: UNITS - 1n });
    const order = await on.orderOf();
    const needed = UNITS + (await on.sender.prepare(order, null)).maxFeeUnits;
    for (const own of [
      { keptUnits: held - needed, mostUnits: null },
      { keptUnits: 0n, mostUnits: needed },
    ])
      expect((await on.sender.prepare({ ...order, own }, null)).maxFeeUnits).toBeLessThanOrEqual(
        needed - UNITS,
      );
  });

  test('bytes refused because the money is gone stay valid, and are accepted when it is there', async () => {
    const units = ((await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset)) * 6n) / 10n;
    const first = await on.orderOf({ units });
    const second = changed(first, { nonce: first.nonce + 1n, to: on.chain.freshAddress() });
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
    expect(await on.arrived(second)).toBe(units);
  });

  test('what the chain would revert is refused as undone, and can still be voided', async () => {
    const undone = { name: 'SendingRefused', because: 'undone' };
    const order = await on.orderOf({ asset: on.chain.token });
    await on.chain.refuseTokensTo(paymentOf(order).to, true);
    await expect(on.sender.prepare(order, null)).rejects.toMatchObject(undone);
    const native = await on.orderOf({ to: on.chain.unpayableContract });
    await expect(on.sender.prepare(native, null)).rejects.toMatchObject(undone);
    const voiding = await on.sent({ ...order, voids: true });
    await on.chain.mine(1);
    expect(await on.minedOf(order, voiding)).toMatchObject({ effects: [false] });
    await on.chain.refuseTokensTo(paymentOf(order).to, false);
  });

  test('a transfer that reverts on the chain all the same is mined without effect, for its fee', async () => {
    const order = await on.orderOf({ asset: on.chain.token });
    const transaction = await on.signed(order);
    await on.chain.refuseTokensTo(paymentOf(order).to, true);
    const before = await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset);
    await on.sender.broadcast(transaction.raw);
    await on.chain.mine(1);
    const { effects, feeUnits } = await on.minedOf(order, transaction);
    expect({ effects, arrived: await on.arrived(order) }).toEqual({ effects: [false], arrived: 0n });
    expect(feeUnits).toBeGreaterThan(0n);
    expect(before - (await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset))).toBe(feeUnits);
    await on.chain.refuseTokensTo(paymentOf(order).to, false);
  });

  test('E4: a token transfer that fails without a revert and without a log is without effect', async () => {
    const { asset, fail } = on.chain.silentToken;
    const order = await on.orderOf({ asset });
    const transaction = await on.signed(order);
    await fail(true);
    await on.sender.broadcast(transaction.raw);
    await on.chain.mine(1);
    expect(await on.minedOf(order, transaction)).toMatchObject({ effects: [false] });
    expect(await on.arrived(order)).toBe(0n);
    await fail(false);
  });

  test('a foreign transaction with the same nonce supersedes, but only when it is final', async () => {
    const order = await on.orderOf();
    const ours = await on.signed(order);
    const foreign = changed(order, { to: on.chain.freshAddress() });
    const theirs = await on.sent(foreign);
    await on.chain.mine(1);
    expect(await on.sender.broadcast(ours.raw)).toEqual({ kind: 'nonce_used' });
    for (let confirmations = 1; confirmations < on.chain.confirmations; confirmations++) {
      expect(['unseen', 'waiting']).toContain((await on.outcomeOf(order, ours)).kind);
      await on.chain.mine(1);
    }
    expect(await on.outcomeOf(order, ours)).toEqual({ kind: 'superseded' });
    expect(await on.outcomeOf(order)).toEqual({ kind: 'superseded' });
    expect(await on.minedOf(foreign, ours, theirs)).toMatchObject({ txid: theirs.txid, final: true });
    expect([await on.arrived(order), await on.arrived(foreign)]).toEqual([0n, UNITS]);
  });

  test('balances of several assets are read at one block, the best or an earlier one', async () => {
    const address = on.chain.freshAddress();
    const order = await on.orderOf({ to: address });
    const none = await on.sender.balances(address, on.assets());
    for (const [offset, asset] of on.assets().entries())
      await on.sent(
        changed(order, {
          asset,
          nonce: order.nonce + BigInt(offset),
          units: UNITS + BigInt(offset),
        }),
      );
    await on.chain.mine(3);
    const now = await on.sender.balances(address, on.assets());
    expect([...now.units]).toEqual([
      [on.sender.nativeAsset, UNITS],
      [on.chain.token, UNITS + 1n],
    ]);
    expect(now.block.height).toBe(none.block.height + 3);
    expect(await on.sender.onChain(now.block)).toBe(true);
    expect([...none.units]).toEqual(on.assets().map((asset) => [asset, 0n]));
    expect(await on.sender.balances(address, on.assets(), { height: none.block.height })).toEqual(none);
    const past = await on.sender.balances(address, [on.chain.token], { height: now.block.height - 1 });
    expect([...past.units]).toEqual([[on.chain.token, UNITS + 1n]]);
    const together = await on.sender.balancesOf?.([on.chain.wallet, address], on.assets(), now.block);
    expect(together?.block ?? now.block).toEqual(now.block);
    expect(together?.units.get(address) ?? now.units).toEqual(now.units);
    await expect(on.sender.balances(address, on.assets(), { height: now.block.height + 1 })).rejects.toThrow(
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
      () => on.sender.nextNonce(order.wallet),
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
