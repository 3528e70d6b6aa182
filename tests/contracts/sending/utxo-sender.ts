/** The contract of every sender of UTXOs: run against every real node. safety.md, "Paid once". */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { ACCEPTED, testOutcomes } from './any-sender.ts';
import { testHelpedPayments } from './utxo-sender-help.ts';
import { type CoinSenderCase, type CoinSteps, coinSteps, sumOf, UNITS } from './utxo-sender-steps.ts';
import { testCoinTroubles } from './utxo-sender-troubles.ts';

export function describeCoinSender(name: string, open: () => Promise<CoinSenderCase>): void {
  describe(`coin sender: ${name}`, () => {
    let chain: CoinSenderCase;
    beforeAll(async () => {
      chain = await open();
    });
    beforeEach(() => chain.mine(1));
    afterAll(() => chain.close());
    const steps = coinSteps(() => chain);
    testSendingCoins(steps);
    testOutcomes(steps, { UNITS });
    testHelpedPayments(steps);
    testCoinTroubles(steps);
  });
}

function testSendingCoins(on: CoinSteps): void {
  test('a payment arrives, the change comes back to the key of its sequence, and the fee is exact', async () => {
    const order = await on.orderOf();
    const transaction = await on.sent(order);
    await on.chain.mine(1);
    const { effects, feeUnits, txid } = await on.minedOf(order, transaction);
    expect({ effects, txid, feeUnits }).toEqual({
      effects: [true],
      txid: transaction.txid,
      feeUnits: transaction.feeUnits,
    });
    expect(await on.arrived(order)).toBe(UNITS);
    const change = on.utxos.changeOf({ raw: transaction.raw, nonce: order.nonce })!;
    expect(change).toMatchObject({ vout: 1, key: { role: 'change', index: Number(order.nonce) + 1 } });
    expect(change.units).toBe(sumOf(order.inputs) - UNITS - feeUnits);
    expect(await on.chain.received(change.address)).toBe(change.units);
    const next = await on.orderOf({ inputs: [{ txid, ...change }] });
    await on.sent(next);
    await on.chain.mine(1);
    expect(await on.arrived(next)).toBe(UNITS);
  });

  test('two hundred payments leave in one transaction, and all of them arrive', async () => {
    const payments = Array.from({ length: on.sender.capabilities.paymentsAtOnce }, (_, index) => ({
      to: on.chain.freshAddress(),
      units: UNITS + BigInt(index),
    }));
    expect(payments.length).toBe(200);
    const funded = await on.chain.fund([30_000_000n, 20_000_000n, 10_000_000n, 5_000_000n]);
    const inputs = on.utxos.choose({ utxos: funded, payments, feeRate: await on.utxos.feeRate() })!;
    const order = await on.orderOf({ payments, inputs });
    const transaction = await on.sent(order);
    await on.chain.mine(1);
    const { effects, feeUnits } = await on.minedOf(order, transaction);
    expect(effects).toEqual(payments.map(() => true));
    expect(feeUnits).toBe(transaction.feeUnits);
    for (const [index, { to }] of [...payments.entries()].filter(([place]) => place % 25 === 0))
      expect(await on.chain.received(to)).toBe(UNITS + BigInt(index));
  });

  test('coins that fit leave without change; what is left of them is fee', async () => {
    const feeRate = await on.utxos.feeRate();
    const payments = [{ to: on.chain.freshAddress(), units: UNITS }];
    const probe = await on.orderOf({ payments });
    const { feeUnits } = await on.signed(probe);
    const [fitting] = await on.chain.fund([UNITS + feeUnits]);
    const chosen = on.utxos.choose({ utxos: [...probe.inputs, fitting!], payments, feeRate });
    expect(chosen).toEqual([fitting!]);
    const order = await on.orderOf({ payments, inputs: chosen! });
    const transaction = await on.sent(order);
    expect(transaction.feeUnits).toBe(feeUnits);
    expect(on.utxos.changeOf({ raw: transaction.raw, nonce: order.nonce })).toBeNull();
    await on.chain.mine(1);
    expect(await on.minedOf(order, transaction)).toMatchObject({ feeUnits, effects: [true] });
  });

  test('many coins become one, for the fee that was planned', async () => {
    const inputs = await on.chain.fund(Array.from({ length: 30 }, (_, index) => 400_000n + BigInt(index)));
    const feeRate = await on.utxos.feeRate();
    const { units } = on.utxos.consolidate({ utxos: inputs, feeRate })!;
    const before = await on.chain.received(on.chain.wallet);
    const order = await on.orderOf({ inputs, payments: [{ to: on.chain.wallet, units }] });
    const transaction = await on.sent(order);
    expect(transaction.feeUnits).toBe(sumOf(inputs) - units);
    expect(on.utxos.changeOf({ raw: transaction.raw, nonce: order.nonce })).toBeNull();
    await on.chain.mine(1);
    expect(await on.minedOf(order, transaction)).toMatchObject({ feeUnits: transaction.feeUnits });
    expect((await on.chain.received(on.chain.wallet)) - before).toBe(units);
    // A fee of more than a twentieth is not worth it.
    expect(on.utxos.consolidate({ utxos: inputs, feeRate: 10_000_000n })).toBeNull();
    expect(on.utxos.consolidate({ utxos: inputs.slice(0, 1), feeRate })).toBeNull();
  });

  test('the price expected is what a payment takes by itself, and at most it is more', async () => {
    const order = await on.orderOf();
    const { feeUnits } = await on.signed(order);
    for (const to of [order.payments[0]!.to, null]) {
      const { expectedUnits, maxUnits } = await on.sender.price({ asset: on.sender.nativeAsset, to });
      expect(expectedUnits).toBeLessThanOrEqual(feeUnits);
      expect(10n * expectedUnits).toBeGreaterThanOrEqual(9n * feeUnits);
      expect(maxUnits).toBeGreaterThan(feeUnits);
    }
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
  });

  test('coins count as unspent until a block spends them, and only with the value they have', async () => {
    const order = await on.orderOf();
    const [coin] = order.inputs as [Utxo];
    const wrong: readonly Utxo[] = [
      { ...coin, units: coin.units + 1n },
      { ...coin, vout: coin.vout + 50 },
      { ...coin, txid: '5e'.repeat(32) },
    ];
    const known = async () => (await on.utxos.unspent([coin, ...wrong])).map(Boolean);
    expect(await known()).toEqual([true, false, false, false]);
    const { txid, raw } = await on.sent(order);
    expect(await known()).toEqual([true, false, false, false]);
    const change = { txid, ...on.utxos.changeOf({ raw, nonce: order.nonce })! };
    expect(await on.utxos.unspent([change])).toEqual([false]);
    await on.chain.mine(1);
    expect(await known()).toEqual([false, false, false, false]);
    expect(await on.utxos.unspent([change, coin])).toEqual([true, false]);
    // Nodes that have not reached a block prove nothing about its UTXOs.
    expect(await on.utxos.unspent([change, coin], 1)).toEqual([true, false]);
    await expect(on.utxos.unspent([change], 50_000_000)).rejects.toBeInstanceOf(ChainUnavailable);
  });
}
