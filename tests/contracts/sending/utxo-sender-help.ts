/**
 * The part of the suite for senders of UTXOs about payments that wait too long: replaced (BIP-125)
 * if the nodes allow that, else helped by a child.
 */
import { expect, test } from 'bun:test';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { ACCEPTED } from './any-sender.ts';
import { type CoinSteps, type Signed, UNITS } from './utxo-sender-steps.ts';

/** Registers the tests in the calling describe block. */
export function testHelpedPayments(on: CoinSteps): void {
  test('a replacement pays at least a tenth more, wins, and one payment arrives; where there are none, it is refused', async () => {
    const order = await on.orderOf();
    const transactions: Signed[] = [await on.sent(order)];
    if (!on.utxos.replaceable)
      return expect(on.sender.prepare(order, transactions[0]!)).rejects.toMatchObject({ because: 'money' });
    for (let replacements = 0; replacements < 2; replacements++) {
      const last = transactions.at(-1)!;
      const next = await on.sent(order, last);
      expect(next.feeUnits * 10n).toBeGreaterThanOrEqual(last.feeUnits * 11n);
      expect(next.txid).not.toBe(last.txid);
      expect(await on.chain.waiting()).not.toContain(last.txid);
      transactions.push(next);
    }
    const winner = transactions.at(-1)!;
    expect(await on.outcomeOf(order, ...transactions)).toEqual({ kind: 'waiting', txid: winner.txid });
    await on.chain.mine(1);
    const { feeUnits, txid, effects } = await on.minedOf(order, ...transactions);
    expect({ feeUnits, txid, effects }).toEqual({
      feeUnits: winner.feeUnits,
      txid: winner.txid,
      effects: [true],
    });
    expect(await on.arrived(order)).toBe(UNITS);
  });

  test('a miner may take what was replaced: it is mined then, and the replacement finds its coins spent', async () => {
    const order = await on.orderOf();
    const original = await on.sent(order);
    if (!on.utxos.replaceable) return;
    const replacement = await on.sent(order, original);
    await on.chain.mineOnly([original.raw]);
    expect(await on.minedOf(order, original, replacement)).toMatchObject({
      txid: original.txid,
      feeUnits: original.feeUnits,
    });
    expect(await on.sender.broadcast(replacement.raw)).toEqual({ kind: 'nonce_used' });
    await on.chain.mine(1);
    expect(await on.arrived(order)).toBe(UNITS);
  });

  test('no replacement is written when the change cannot pay for it', async () => {
    const payments = [{ to: on.chain.freshAddress(), units: UNITS }];
    const probe = await on.orderOf({ payments });
    const { feeUnits } = await on.signed(probe);
    const inputs = await on.chain.fund([UNITS + feeUnits + 20n]);
    const order = await on.orderOf({ payments, inputs });
    const original = await on.sent(order);
    await expect(on.sender.prepare(order, original)).rejects.toMatchObject({
      name: 'SendingRefused',
      because: 'money',
    });
  });

  test('a child that spends the change pays for both, is accepted, and both are mined', async () => {
    const order = await on.orderOf();
    const parent = await on.sent(order);
    const change: Utxo = {
      txid: parent.txid,
      ...on.utxos.changeOf({ raw: parent.raw, nonce: order.nonce })!,
    };
    const present = await on.utxos.feeRate();
    const waiting = { raw: parent.raw, paidFeeUnits: parent.feeUnits, change };
    const least = on.utxos.bump({ ...waiting, feeRate: present })!;
    const wealthy = { ...waiting, paidFeeUnits: 4n * parent.feeUnits };
    expect(on.utxos.bump({ ...wealthy, feeRate: present })).toBeNull();
    expect(change.units - least.units).toBeGreaterThan(parent.feeUnits / 4n);
    const feeRate = 5n * present;
    const { units } = on.utxos.bump({ ...waiting, feeRate })!;
    const childOrder = await on.orderOf({
      inputs: [change],
      payments: [{ to: on.chain.wallet, units }],
    });
    const child = await on.sent(childOrder);
    expect(child.feeUnits).toBe(change.units - units);
    const bytes = BigInt((parent.raw.length + child.raw.length) / 2);
    // Together they pay the rate per virtual byte, of which there are at most as many as bytes.
    const paid = parent.feeUnits + child.feeUnits;
    expect(paid * 1_000n).toBeGreaterThanOrEqual((feeRate * bytes * 6n) / 10n);
    expect(paid * 1_000n).toBeLessThanOrEqual(feeRate * (bytes + 8n));
    expect(await on.outcomeOf(childOrder, child)).toEqual({ kind: 'waiting', txid: child.txid });
    await on.chain.mine(1);
    expect(await on.minedOf(order, parent)).toMatchObject({ effects: [true] });
    expect(await on.minedOf(childOrder, child)).toMatchObject({ feeUnits: child.feeUnits });
    expect(await on.sender.broadcast(child.raw)).toEqual(ACCEPTED);
  });
}
