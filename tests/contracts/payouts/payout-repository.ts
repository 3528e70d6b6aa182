/** The contract of PayoutRepository. */
import { describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import {
  aHash,
  anId,
  anInvoice,
  aPayout,
  aWaiting,
  inStatus,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

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
      const rest: Partial<Payout> = {
        ...{ extraGas: 5n, wastedFeeUnits: 6n, wastedFeeMicroUsd: 7n, held: heldFor('operator') },
        ...{
          released: true,
          merchantWaived: true,
          waiting: aWaiting(),
          tries: 8,
          dispatchedAt: secondsAfter(9),
        },
      };
      await storage.run((r) => r.payouts.save({ ...payout, ...rest }));
      expect(await lock(payout.id)).toEqual({ ...payout, ...rest });
      await expect(storage.run((r) => r.payouts.save(aPayout()))).rejects.toThrow();
    });

    test('open sandbox payouts are shared out between transactions that ask at once', async () => {
      const { id: merchantId } = await storage.merchant();
      const txid = aHash();
      const pending = aPayout({ merchantId, sandbox: true });
      const processing = aPayout({ merchantId, sandbox: true, status: 'processing', txid, txHashes: [txid] });
      const live = aPayout({ merchantId });
      const over = aPayout({ merchantId, sandbox: true, status: 'cancelled', processedAt: NOW });
      const held = aPayout({ merchantId, sandbox: true, held: heldFor('operator') });
      for (const payout of [pending, processing, live, over, held]) await insert(payout);
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

    test('an invoice has one refund on its way, and those that stand are found', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId, ...inStatus('refunded') });
      await storage.run((r) => r.invoices.insert(invoice));
      const standing = () => storage.run((r) => r.payouts.standingRefunds(invoice.id));
      const aRefund = () => aPayout({ merchantId, kind: 'refund', invoiceId: invoice.id });
      expect(await standing()).toEqual([]);
      const first = aRefund();
      await insert(first);
      expect(await standing()).toEqual([first]);
      await expect(insert(aRefund())).rejects.toThrow('payouts_one_refund');
      await storage.run((r) => r.payouts.save({ ...first, status: 'cancelled', processedAt: NOW }));
      expect(await standing()).toEqual([]);
      const second = aRefund();
      await insert(second);
      const hash = aHash();
      const paid: Payout = { ...second, status: 'success', txid: hash, txHashes: [hash], processedAt: NOW };
      await storage.run((r) => r.payouts.save(paid));
      expect(await standing()).toEqual([paid]);
      // The chain paid the first one after all: it was paid twice, and that must be reported.
      await storage.run((r) => r.payouts.save({ ...paid, id: first.id }));
      // Nor is one refused that goes back to pending beside a new one (K4).
      const third = aRefund();
      await insert(third);
      const back: Payout = { ...paid, status: 'pending', txid: null, processedAt: null };
      for (const { id } of [first, second]) await storage.run((r) => r.payouts.save({ ...back, id }));
      expect((await standing()).map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
    });
  });
}
