/**
 * The contract of every ChainSender: run by the fake and against every real node. safety.md, "Paid
 * once".
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { priced } from '../../support/utxo/lone-orders.ts';
import { ACCEPTED, testOutcomes } from './any-sender.ts';
import { type SenderCase, type SenderSteps, senderSteps, UNITS } from './chain-sender-steps.ts';
import { testSendingTroubles } from './chain-sender-troubles.ts';

export function describeChainSender(name: string, open: () => Promise<SenderCase>): void {
  describe(`chain sender: ${name}`, () => {
    let chain: SenderCase;
    beforeAll(async () => {
      chain = await open();
    });
    beforeEach(() => chain.mine(1));
    afterAll(() => chain.close());
    const steps = senderSteps(() => chain);
    testSending(steps);
    testOutcomes(steps, { UNITS });
    testSendingTroubles(steps);
  });
}

function testSending(on: SenderSteps): void {
  test('a payment of each asset arrives, and its fee is exact against the balance', async () => {
    for (const asset of on.assets()) {
      const balances = async () => ({
        native: await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset),
        token: await on.chain.balanceOf(on.chain.wallet, on.chain.token),
      });
      const order = await on.orderOf({ asset });
      const before = await balances();
      const transaction = await on.sent(order);
      await on.chain.mine(1);
      const after = await balances();
      const { effects, feeUnits, txid } = await on.minedOf(order, transaction);
      expect({ effects, txid }).toEqual({ effects: [true], txid: transaction.txid });
      expect(await on.arrived(order)).toBe(UNITS);
      expect(feeUnits).toBeGreaterThan(0n);
      expect(transaction.maxFeeUnits).toBeGreaterThanOrEqual(feeUnits);
      const native = asset === on.sender.nativeAsset;
      expect(before.native - after.native).toBe(feeUnits + (native ? UNITS : 0n));
      expect(before.token - after.token).toBe(native ? 0n : UNITS);
    }
  });

  test('the price is in native units, at most its maximum, and the maximum covers what the network takes', async () => {
    for (const asset of on.assets()) {
      const order = await on.orderOf({ asset });
      const price = await on.sender.price(priced(order));
      const anywhere = await on.sender.price({ asset, to: null });
      const transaction = await on.sent(order);
      await on.chain.mine(1);
      const { feeUnits } = await on.minedOf(order, transaction);
      for (const { expectedUnits, maxUnits } of [price, anywhere]) {
        expect(expectedUnits).toBeGreaterThan(0n);
        expect(maxUnits).toBeGreaterThanOrEqual(expectedUnits);
        expect(maxUnits).toBeGreaterThanOrEqual(feeUnits);
      }
    }
  });

  test('a contract that runs code for the native coin is paid', async () => {
    const order = await on.orderOf({ to: on.chain.payableContract });
    const before = await on.arrived(order);
    const transaction = await on.sent(order);
    await on.chain.mine(1);
    expect(await on.minedOf(order, transaction)).toMatchObject({ effects: [true] });
    expect((await on.arrived(order)) - before).toBe(UNITS);
  });

  test('G1: what a recipient costs beyond others is told, and all that may be signed for it', async () => {
    const { sender } = on;
    const { wallet, payableContract } = on.chain;
    const payments = [on.chain.freshAddress(), payableContract].map((to) => {
      return { to, units: UNITS, asset: sender.nativeAsset };
    });
    const [plain, dear] = (await sender.recipients?.price(wallet, payments)) ?? [];
    expect(plain).toMatchObject({ extraGas: 0n, extraUnits: 0n });
    const { extraGas, extraUnits, ordinaryUnits } = dear!;
    expect(ordinaryUnits).toBeGreaterThan(0n);
    expect(extraGas).toBeGreaterThan(0n);
    const order = await on.orderOf({ to: payableContract, extraGas });
    const transaction = await on.sent(order);
    await on.chain.mine(1);
    const { effects, feeUnits } = await on.minedOf(order, transaction);
    expect(effects).toEqual([true]);
    const { expectedUnits } = await sender.price({ asset: sender.nativeAsset, to: null });
    expect(feeUnits).toBeLessThanOrEqual(expectedUnits + extraUnits);
    expect(feeUnits).toBeGreaterThan(expectedUnits);
  });

  test('G2: a payment that takes more than was quoted for its recipient is refused, and lifted by an operator', async () => {
    const order = await on.orderOf({ to: on.chain.payableContract, extraGas: 0n });
    await expect(on.sender.prepare(order, null)).rejects.toMatchObject({ because: 'cost' });
    await on.sender.prepare(await on.orderOf({ to: on.chain.payableContract, extraGas: null }), null);
    await on.sender.prepare(await on.orderOf({ extraGas: 0n }), null);
  });

  test('the same bytes broadcast twice, and again once they are mined, are accepted and pay once', async () => {
    const order = await on.orderOf();
    const { raw } = await on.sent(order);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.mine(1);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.mine(on.chain.confirmations);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.mine(1);
    expect(await on.arrived(order)).toBe(UNITS);
    expect(await on.sender.nextNonce(on.chain.wallet)).toBe(order.nonce + 1n);
  });

  test('the nonces and the balance of a block are told together, whatever was mined since', async () => {
    const look = () => on.sender.balances(on.chain.wallet, [on.chain.token]);
    const before = await look();
    const order = await on.orderOf({ asset: on.chain.token });
    await on.sent(order);
    await on.chain.mine(1);
    const after = await look();
    expect(await on.sender.nextNonce(on.chain.wallet, before.block)).toBe(order.nonce);
    expect(await on.sender.nextNonce(on.chain.wallet, after.block)).toBe(order.nonce + 1n);
    expect(after.units).not.toEqual(before.units);
  });

  test('the next nonce is the one after the last that a block used, whatever waits', async () => {
    const order = await on.orderOf();
    await on.sent(order);
    expect(await on.sender.nextNonce(on.chain.wallet)).toBe(order.nonce);
    await on.chain.mine(1);
    expect(await on.sender.nextNonce(on.chain.wallet)).toBe(order.nonce + 1n);
  });

  test('a replacement pays at least a tenth more in every fee field, wins, and one payment arrives', async () => {
    for (const asset of on.assets()) {
      const order = await on.orderOf({ asset });
      const transactions = [await on.sent(order)];
      for (let replacements = 0; replacements < 2; replacements++) {
        const last = transactions.at(-1)!;
        const next = await on.sent(order, last);
        const before = on.chain.feesOf(last.raw);
        for (const [field, fee] of on.chain.feesOf(next.raw).entries())
          expect(fee * 10n).toBeGreaterThanOrEqual(before[field]! * 11n);
        expect(next.txid).not.toBe(last.txid);
        transactions.push(next);
      }
      await on.chain.mine(2);
      const winner = transactions.at(-1)!;
      expect(await on.minedOf(order, ...transactions)).toMatchObject({ txid: winner.txid, effects: [true] });
      expect(await on.arrived(order)).toBe(UNITS);
      expect(await on.sender.nextNonce(on.chain.wallet)).toBe(order.nonce + 1n);
    }
  });

  test('a replacement that comes after its original was mined finds the nonce used, and one payment arrives', async () => {
    const order = await on.orderOf();
    const original = await on.sent(order);
    const replacement = await on.signed(order, original);
    await on.chain.mine(1);
    expect(await on.sender.broadcast(replacement.raw)).toEqual({ kind: 'nonce_used' });
    await on.chain.mine(1);
    expect(await on.minedOf(order, original, replacement)).toMatchObject({ txid: original.txid });
    expect(await on.arrived(order)).toBe(UNITS);
  });

  test('a waiting payment is undone by a replacement that voids: mined without effect, nothing arrives', async () => {
    for (const asset of on.assets()) {
      const order = await on.orderOf({ asset });
      const payment = await on.sent(order);
      const before = await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset);
      const voiding = await on.sent({ ...order, voids: true }, payment);
      await on.chain.mine(1);
      const { feeUnits, ...mined } = await on.minedOf(order, payment, voiding);
      expect(mined).toMatchObject({ txid: voiding.txid, effects: [false] });
      expect(await on.arrived(order)).toBe(0n);
      expect(before - (await on.chain.balanceOf(on.chain.wallet, on.sender.nativeAsset))).toBe(feeUnits);
    }
  });

  test('behind a gap in the nonces a transaction waits, and goes on when one that voids fills it', async () => {
    const gap = await on.orderOf({ voids: true });
    const order = await on.orderOf({ nonce: gap.nonce + 1n });
    const payment = await on.sent(order);
    await on.chain.mine(2);
    expect(await on.outcomeOf(order, payment)).toEqual({ kind: 'waiting', txid: payment.txid });
    expect(await on.arrived(order)).toBe(0n);
    const filling = await on.sent(gap);
    await on.chain.mine(2);
    expect(await on.minedOf(gap, filling)).toMatchObject({ txid: filling.txid, effects: [false] });
    expect(await on.minedOf(order, payment)).toMatchObject({ txid: payment.txid, effects: [true] });
    expect(await on.arrived(order)).toBe(UNITS);
  });
}
