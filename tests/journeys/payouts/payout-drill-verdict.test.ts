/**
 * The payout drill itself: its node loses bytes as a real one does, and a drill that was not the
 * one ordered does not pass.
 */
import { describe, expect, test } from 'bun:test';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { openSendingStage } from '../../support/evm/evm-sending.ts';
import { anvilNode } from '../../support/payout-drill/anvil-drill.ts';
import { startLyingNode } from '../../support/payout-drill/lying-node.ts';
import { faultsOf } from '../../support/payout-drill/verdict.ts';
import { needs } from '../../support/runtime/needs.ts';
import { seeded } from '../../support/runtime/seeded.ts';

const fateOf = (seed: number): number => seeded(seed).int(1_000);

describe.skipIf(!needs('anvil', anvilAvailable()))('the node of the payout drill', () => {
  test('answers as one that accepted a transaction when it loses it', async () => {
    const stage = await openSendingStage();
    const seed = Array.from({ length: 1_000 }, (_, at) => at).find(
      (at) => fateOf(at) >= 100 && fateOf(at) < 150,
    );
    const node = startLyingNode(anvilNode(stage.lab.anvil), seed ?? 0);
    try {
      const sender = stage.open({ rpc: [node.url] });
      const bytes = await stage.signed(sender, await stage.orderOf());
      expect(await sender.broadcast(bytes.raw)).toEqual({ kind: 'accepted' });
      expect(node.told).toEqual({ dropped: 0, lied: 1, silent: 0, passed: 0 });
      expect(await stage.lab.anvil.rpc('eth_getTransactionByHash', [bytes.txid])).toBeNull();
    } finally {
      await node.stop();
      await stage.stop();
    }
  });
});

describe('the verdict of the payout drill', () => {
  const order = { kills: 4, moments: [null, 'signed', 'stored'] as const };
  const right = {
    payments: [],
    books: [],
    kills: 4,
    killsByStep: { 'at random': 2, signed: 1, stored: 1 },
  };

  test('is good when all was paid and booked, and the drill was the one that was ordered', () => {
    expect(faultsOf(order, right)).toEqual([]);
  });

  test('is bad when a payment or the books are wrong', () => {
    expect(faultsOf(order, { ...right, payments: ['1 paid 2 times'], books: ['off'] })).toEqual([
      '1 paid 2 times',
      'off',
    ]);
  });

  test('is bad when fewer kills were made than ordered, or a step was never hit', () => {
    expect(faultsOf(order, { ...right, kills: 3, killsByStep: { 'at random': 2, signed: 1 } })).toEqual([
      '3 kills were made of 4',
      'no kill fell on the step "stored"',
    ]);
  });
});
