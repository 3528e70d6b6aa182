/**
 * The part of the suite of expiring transactions about nonces: those that the chain counts, and
 * those that only name a batch.
 */
import { expect, test } from 'bun:test';
import { changed } from '../../support/utxo/lone-orders.ts';
import type { ExpiringSteps } from './expiring-sender-steps.ts';

/** Registers the tests in the calling describe block. */
export function testSequences(on: ExpiringSteps, { counted }: { counted: boolean }): void {
  test('the capabilities say whether the chain counts, and that transactions expire', () => {
    expect(on.sender.capabilities).toMatchObject({
      nonces: counted ? 'counted' : 'independent',
      expires: true,
    });
  });
  if (counted) testCounted(on);
  else testFree(on);
}

function testCounted(on: ExpiringSteps): void {
  test('the next nonce is the one after the last that a block used', async () => {
    const order = await on.orderOf();
    await on.sent(order);
    await on.chain.mine(1);
    await on.chain.settle();
    const { block } = await on.sender.balances(order.wallet, on.chain.assets);
    expect(await on.sender.nextNonce(on.chain.wallet)).toBe(order.nonce + 1n);
    expect(await on.sender.nextNonce(on.chain.wallet, block)).toBe(order.nonce + 1n);
  });

  test('another transaction of the same nonce supersedes, finally, also when nothing of ours was signed', async () => {
    const order = await on.orderOf();
    const ours = await on.signed(order);
    await on.sent(changed(order, { to: on.chain.freshAddress() }));
    await on.chain.mine(1);
    await on.chain.settle();
    expect(await on.outcomeOf(order, ours)).toEqual({ kind: 'superseded' });
    expect(await on.outcomeOf(order)).toEqual({ kind: 'superseded' });
    expect((await on.sender.broadcast(ours.raw)).kind).not.toBe('accepted');
    expect(await on.arrived(order)).toBe(0n);
  });

  test('a payment that expired is voided by a transaction that moves nothing and uses its nonce up', async () => {
    const order = await on.orderOf();
    const dead = await on.signed(order);
    await on.chain.pass(dead.validUntil!);
    await on.chain.settle();
    const before = await on.chain.balanceOf(on.chain.wallet, order.asset);
    const voiding = await on.sent({ ...order, voids: true }, dead);
    await on.chain.mine(1);
    await on.chain.settle();
    const { effects, feeUnits, txid } = await on.minedOf(order, dead, voiding);
    expect({ effects, txid }).toEqual({ effects: [false], txid: voiding.txid });
    expect(before - (await on.chain.balanceOf(on.chain.wallet, order.asset))).toBe(feeUnits);
    expect(await on.arrived(order)).toBe(0n);
    expect(await on.sender.nextNonce(on.chain.wallet)).toBe(order.nonce + 1n);
  });
}

function testFree(on: ExpiringSteps): void {
  test('every wallet begins with nonce zero, whatever it sent', async () => {
    await on.sent(await on.orderOf());
    await on.chain.mine(1);
    expect(await on.sender.nextNonce(on.chain.wallet)).toBe(0n);
  });

  test('orders of different nonces are different transactions, in any order, and both are paid', async () => {
    const first = await on.orderOf({ nonce: 7n });
    const second = { ...first, nonce: 3n };
    const transactions = [await on.signed(first), await on.signed(second)] as const;
    expect(transactions[0].txid).not.toBe(transactions[1].txid);
    for (const { raw } of transactions.toReversed())
      expect(await on.sender.broadcast(raw)).toEqual({ kind: 'accepted' });
    await on.chain.mine(1);
    await on.chain.settle();
    for (const [index, order] of [first, second].entries())
      expect(await on.minedOf(order, transactions[index]!)).toMatchObject({ effects: [true] });
    expect(await on.arrived(first)).toBe(2n * on.chain.units);
  });
}
