/** What every PayoutRepository must do. */
import { describe, expect, test } from 'bun:test';
import type { Payout } from '../../src/domain/payout-record.ts';
import { aHash, anId, aPayout, NOW, secondsAfter } from '../support/builders.ts';
import { type Opened, openedFor } from './opened.ts';

export function describePayoutRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: payouts`, () => {
    const storage = openedFor(open);
    const insert = (payout: Payout) => storage.run((r) => r.payouts.insert(payout));
    const lock = (id: string) => storage.run((r) => r.payouts.lock(id));

    test('a payout is found as it was inserted', async () => {
      const { id: merchantId } = await storage.merchant();
      const plain = aPayout({ merchantId });
      const full = aPayout({
        merchantId,
        batchId: anId(),
        energyFeeMicroUsd: 5n,
        feeBearer: 'client',
        amountUnits: 2n ** 256n - 1n,
        sentUnits: 1n,
        ref: 'invoice "7" \\ {x}',
      });
      await insert(plain);
      await insert(full);
      expect(await lock(plain.id)).toEqual(plain);
      expect(await lock(full.id)).toEqual(full);
      expect(await lock(anId())).toBeNull();
    });

    test('save writes all that may change', async () => {
      const { id: merchantId } = await storage.merchant();
      const payout = aPayout({ merchantId });
      await insert(payout);
      const hashes = [aHash(), aHash()];
      const sent: Payout = { ...payout, status: 'processing', txid: hashes[1] ?? '', txHashes: hashes };
      await storage.run((r) => r.payouts.save(sent));
      expect(await lock(payout.id)).toEqual(sent);
      const failed: Payout = { ...sent, status: 'failed', failure: 'reverted', processedAt: secondsAfter(9) };
      await storage.run((r) => r.payouts.save(failed));
      expect(await lock(payout.id)).toEqual(failed);
      await expect(storage.run((r) => r.payouts.save(aPayout()))).rejects.toThrow();
    });

    test('open sandbox payouts are shared out between transactions that ask at once', async () => {
      const { id: merchantId } = await storage.merchant();
      const txid = aHash();
      const pending = aPayout({ merchantId, sandbox: true });
      const processing = aPayout({ merchantId, sandbox: true, status: 'processing', txid, txHashes: [txid] });
      const live = aPayout({ merchantId });
      const over = aPayout({ merchantId, sandbox: true, status: 'cancelled', processedAt: NOW });
      for (const payout of [pending, processing, live, over]) await insert(payout);
      const take = () =>
        storage.run(async (r) => {
          const found = await r.payouts.lockOpenSandbox(1);
          for (const payout of found)
            await r.payouts.save({ ...payout, status: 'cancelled', processedAt: NOW });
          return found.map((payout) => payout.id);
        });
      const taken = (await Promise.all([take(), take(), take()])).flat();
      const left = await storage.run((r) => r.payouts.lockOpenSandbox(9));
      expect([...taken, ...left.map((payout) => payout.id)].sort()).toEqual([pending.id, processing.id]);
    });

    test('of 30 concurrent claims of one X-Uniq-Id one is free and the others learn its result', async () => {
      const { id: merchantId } = await storage.merchant();
      const uniqId = '4f3a0e4e-5f0b-4d53-9f57-6f2f4c3f6a11';
      const orders = Array.from({ length: 30 }, () => anId());
      const claims = await Promise.all(
        orders.map((order_id) =>
          storage.run((r) =>
            r.payouts.claimUniqId({
              merchantId,
              sandbox: false,
              uniqId,
              now: NOW,
              expiresAt: secondsAfter(7_200),
              result: { order_id },
            }),
          ),
        ),
      );
      const winner = orders[claims.findIndex((claim) => claim.kind === 'free')] ?? '';
      expect(claims.filter((claim) => claim.kind === 'free')).toHaveLength(1);
      expect(claims.filter((claim) => claim.kind === 'taken')).toEqual(
        Array.from({ length: 29 }, () => ({ kind: 'taken', result: { order_id: winner } })),
      );
    });

    test('an X-Uniq-Id is free again after two hours, in the other environment, and after a rollback', async () => {
      const { id: merchantId } = await storage.merchant();
      const batch_id = anId();
      const claim = (
        at: Date,
        sandbox = false,
        result: { order_id: string } | { batch_id: string } = { batch_id },
      ) => ({
        merchantId,
        sandbox,
        uniqId: '4f3a0e4e-5f0b-4d53-9f57-6f2f4c3f6a12',
        now: at,
        expiresAt: secondsAfter(7_200, at),
        result,
      });
      const failing = storage.run(async (r) => {
        await r.payouts.claimUniqId(claim(NOW));
        throw new Error('insufficient balance');
      });
      await expect(failing).rejects.toThrow('insufficient balance');
      const tried = (given: ReturnType<typeof claim>) => storage.run((r) => r.payouts.claimUniqId(given));
      expect(await tried(claim(NOW))).toEqual({ kind: 'free' });
      expect(await tried(claim(secondsAfter(7_199)))).toEqual({ kind: 'taken', result: { batch_id } });
      expect(await tried(claim(NOW, true))).toEqual({ kind: 'free' });
      const order_id = anId();
      expect(await tried(claim(secondsAfter(7_200), false, { order_id }))).toEqual({ kind: 'free' });
      expect(await tried(claim(secondsAfter(7_201)))).toEqual({ kind: 'taken', result: { order_id } });
    });
  });
}
