/**
 * The part of the suite for senders of UTXOs about failures: missing money, dust, rivals,
 * reorganisations, outages.
 */
import { expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { type CoinSteps, sumOf, UNITS } from './utxo-sender-steps.ts';

/** Registers the tests in the calling describe block. */
export function testCoinTroubles(on: CoinSteps): void {
  test('coins that do not pay for payment and fee are not chosen, and refused for money', async () => {
    const order = await on.orderOf();
    const units = sumOf(order.inputs);
    const payments = [{ to: order.payments[0]!.to, units }];
    const feeRate = await on.utxos.feeRate();
    expect(on.utxos.choose({ utxos: order.inputs, payments, feeRate })).toBeNull();
    await expect(on.sender.prepare({ ...order, payments }, null)).rejects.toMatchObject({
      name: 'SendingRefused',
      because: 'money',
    });
  });

  test('dust is known before a node refuses it, and a unit more is relayed', async () => {
    const to = on.chain.freshAddress();
    let limit = 1n;
    while (on.utxos.isDust({ to, units: limit })) limit *= 2n;
    for (let step = limit / 2n; step > 0n; step /= 2n)
      if (!on.utxos.isDust({ to, units: limit - step })) limit -= step;
    const dust = await on.signed(await on.orderOf({ payments: [{ to, units: limit - 1n }] }));
    if (!on.chain.relaysDust)
      expect(await on.sender.broadcast(dust.raw)).toMatchObject({
        kind: 'refused',
        reason: expect.stringMatching(/dust/),
      });
    const order = await on.orderOf({ payments: [{ to, units: limit }] });
    await on.sent(order);
    await on.chain.mine(1);
    expect(await on.arrived(order)).toBe(limit);
  });

  test('a foreign transaction that spends a coin supersedes, but only when it is final', async () => {
    const order = await on.orderOf({ inputs: await on.chain.fund([400_000n, 500_000n]) });
    const ours = await on.signed(order);
    const foreign = await on.orderOf({ inputs: order.inputs.slice(1) });
    const theirs = await on.sent(foreign);
    expect(await on.outcomeOf(order, ours)).toEqual({ kind: 'unseen' });
    await on.chain.mine(1);
    expect(await on.sender.broadcast(ours.raw)).toEqual({ kind: 'nonce_used' });
    for (let confirmations = 1; confirmations < on.chain.confirmations; confirmations++) {
      expect(['unseen', 'waiting']).toContain((await on.outcomeOf(order, ours)).kind);
      await on.chain.mine(1);
    }
    expect(await on.outcomeOf(order, ours)).toEqual({ kind: 'superseded' });
    expect(await on.minedOf(foreign, theirs)).toMatchObject({ txid: theirs.txid, final: true });
    expect([await on.arrived(order), await on.arrived(foreign)]).toEqual([0n, UNITS]);
  });

  test('what is given up is never paid once the coins that are left of it came back to us; it can be hurried as anything', async () => {
    const inputs = await on.chain.fund([400_000n, 500_000n]);
    const order = await on.orderOf({ inputs });
    const paying = await on.signed(order);
    const left = { ...order, voids: true, inputs: inputs.slice(1) };
    const voiding = [await on.sent(left, paying)];
    if (on.utxos.replaceable) voiding.push(await on.sent(left, voiding[0]));
    const { raw, txid, feeUnits } = voiding.at(-1)!;
    expect(await on.outcomeOf(order, paying, ...voiding)).toEqual({ kind: 'waiting', txid });
    await on.chain.mine(on.chain.confirmations);
    expect(await on.minedOf(order, paying, ...voiding)).toMatchObject({
      ...{ txid, feeUnits, final: true },
      effects: [false],
    });
    expect(await on.sender.broadcast(paying.raw)).toEqual({ kind: 'nonce_used' });
    expect(await on.arrived(order)).toBe(0n);
    const back = on.utxos.changeOf({ raw, nonce: order.nonce })!;
    expect(back).toMatchObject({ vout: 0, units: 500_000n - feeUnits });
    expect(await on.utxos.unspent([{ txid, ...back }, inputs[0]!])).toEqual([true, true]);
  });

  test('a foreign transaction that only waits is no end: ours is refused, and may still be mined', async () => {
    const order = await on.orderOf();
    const ours = await on.signed(order);
    const foreign = await on.orderOf({ inputs: order.inputs });
    await on.sent(foreign);
    expect((await on.sender.broadcast(ours.raw)).kind).toBe('refused');
    expect(await on.outcomeOf(order, ours)).toEqual({ kind: 'unseen' });
    await on.chain.mineOnly([ours.raw]);
    expect(await on.minedOf(order, ours)).toMatchObject({ txid: ours.txid });
    expect(await on.arrived(order)).toBe(UNITS);
  });

  test('stored bytes that spend other UTXOs than the order are a fault, and not an outcome', async () => {
    const order = await on.orderOf();
    const transaction = await on.signed(order);
    const other = await on.orderOf();
    await expect(on.outcomeOf({ ...order, inputs: other.inputs }, transaction)).rejects.toThrow(
      /other UTXOs/,
    );
    await expect(on.sender.prepare(other, transaction)).rejects.toThrow(/other UTXOs|not replaced/);
  });

  test('while no node answers every question is ChainUnavailable, and afterwards all is as before', async () => {
    const order = await on.orderOf();
    const transaction = await on.signed(order);
    const sent = await on.orderOf();
    const { block } = await on.sent(sent).then(async (known) => {
      await on.chain.mine(1);
      return on.minedOf(sent, known);
    });
    await on.chain.outage(true);
    for (const question of [
      () => on.sender.price({ asset: order.asset, to: null }),
      () => on.utxos.feeRate(),
      () => on.utxos.unspent(order.inputs),
      () => on.sender.prepare(order, null),
      () => on.sender.broadcast(transaction.raw),
      () => on.outcomeOf(order, transaction),
    ])
      await expect(question()).rejects.toThrow(ChainUnavailable);
    expect(await on.sender.onChain(block)).toBeNull();
    await on.chain.outage(false);
    expect(await on.sender.onChain(block)).toBe(true);
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    expect(await on.sender.nextNonce(order.wallet)).toBe(0n);
  });
}
