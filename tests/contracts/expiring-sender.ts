/**
 * What every ChainSender must do whose transactions expire and whose sequences are free: its bytes are never replaced, and signed
 * again only when they are provably dead. safety.md, 2.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { priced } from '../support/lone-orders.ts';
import { ACCEPTED, testOutcomes } from './any-sender.ts';
import {
  type ExpiringSenderCase,
  type ExpiringSteps,
  expiringSteps,
  UNITS,
} from './expiring-sender-steps.ts';
import { testExpiringTroubles } from './expiring-sender-troubles.ts';

export function describeExpiringSender(name: string, open: () => Promise<ExpiringSenderCase>): void {
  describe(`sender of transactions that expire: ${name}`, () => {
    let chain: ExpiringSenderCase;
    beforeAll(async () => {
      chain = await open();
    });
    beforeEach(() => chain.mine(1));
    afterAll(() => chain.close());
    const steps = expiringSteps(() => chain);
    testPayments(steps);
    testOutcomes(steps, { UNITS });
    testExpiry(steps);
    testExpiringTroubles(steps);
  });
}

function testPayments(on: ExpiringSteps): void {
  test('its ways are those of transactions that expire under free sequences', async () => {
    const { ways } = on.sender;
    expect(ways).toMatchObject({ sequences: 'free', expires: true, paymentsAtOnce: 1 });
    expect(await on.sender.nextSequence(on.chain.wallet)).toBe(0n);
  });

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

  test('the same bytes broadcast twice, and again once they are mined and final, are accepted and pay once', async () => {
    const order = await on.orderOf();
    const { raw } = await on.sent(order);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.mine(1);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.mine(on.chain.confirmations);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.mine(1);
    expect(await on.arrived(order)).toBe(UNITS);
  });

  test('two orders that say the same are two transactions, and both arrive', async () => {
    for (const asset of on.assets()) {
      const first = await on.orderOf({ asset });
      const second = { ...first, sequence: first.sequence + 1n };
      const transactions = [await on.signed(first), await on.signed(second)];
      expect(transactions[0]!.txid).not.toBe(transactions[1]!.txid);
      for (const { raw } of transactions) expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
      await on.chain.mine(1);
      expect(await on.minedOf(first, transactions[0]!)).toMatchObject({ effects: [true] });
      expect(await on.minedOf(second, transactions[1]!)).toMatchObject({ effects: [true] });
      expect(await on.arrived(first)).toBe(2n * UNITS);
    }
  });
}

function testExpiry(on: ExpiringSteps): void {
  test('what the network lost is unseen while it can still be mined, and expired only when it finally cannot', async () => {
    for (const asset of on.assets()) {
      const order = await on.orderOf({ asset });
      const lost = await on.signed(order);
      expect(await on.outcomeOf(order, lost)).toEqual({ kind: 'unseen' });
      await on.chain.lapse('unusable');
      expect(await on.sender.broadcast(lost.raw)).toMatchObject({ kind: 'refused' });
      expect(await on.outcomeOf(order, lost)).toEqual({ kind: 'unseen' });
      await on.chain.lapse('final');
      expect(await on.outcomeOf(order, lost)).toEqual({ kind: 'expired' });

      const again = await on.sent(order, lost);
      expect(again.txid).not.toBe(lost.txid);
      expect(again.validUntil!).toBeGreaterThan(lost.validUntil!);
      await on.chain.mine(1);
      expect(await on.minedOf(order, lost, again)).toMatchObject({ txid: again.txid, effects: [true] });
      expect(await on.sender.broadcast(lost.raw)).toMatchObject({ kind: 'refused' });
      await on.chain.mine(1);
      expect(await on.arrived(order)).toBe(UNITS);
    }
  });

  test('one of several signed transactions that can still be mined keeps all of them from being expired', async () => {
    const order = await on.orderOf();
    const first = await on.signed(order);
    await on.chain.lapse('unusable');
    await on.chain.lapse('final');
    const second = await on.signed(order, first);
    expect(await on.outcomeOf(order, first)).toEqual({ kind: 'expired' });
    expect(await on.outcomeOf(order, first, second)).toEqual({ kind: 'unseen' });
    expect(await on.outcomeOf(order, second, first)).toEqual({ kind: 'unseen' });
  });

  test('what was mined and is taken back by a reorganisation is not expired before the final chain is past its end', async () => {
    const order = await on.orderOf();
    const transaction = await on.sent(order);
    await on.chain.mine(1);
    await on.minedOf(order, transaction);
    await on.chain.reorg(1);
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    await on.chain.lapse('unusable');
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    await on.chain.lapse('final');
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'expired' });
  });
}
