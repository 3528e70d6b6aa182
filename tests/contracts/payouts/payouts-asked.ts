/** What checks, restores and batches ask a PayoutRepository about many payouts. */
import { describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { aDeposit, aHash, anId, aPayout, aWaiting, NOW, secondsAfter } from '../../support/builders.ts';
import { aBatch, anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';
import { aClaim, anInvoiceOf } from './refund-claims.ts';

export function describePayoutsAsked(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: payouts asked about`, () => {
    const storage = openedFor(open);
    async function inserted(...given: Partial<Payout>[]): Promise<Payout[]> {
      const payouts = given.map((each) => aPayout(each));
      for (const payout of payouts) await storage.run((r) => r.payouts.insert(payout));
      return payouts;
    }
    const ids = (payouts: readonly (Payout | undefined)[]) => payouts.map((payout) => payout?.id ?? '');
    const lock = (id: string) => storage.run((r) => r.payouts.lock(id));

    test('several are saved together, or none of them is', async () => {
      const { id: merchantId } = await storage.merchant();
      const [one, two] = await inserted({ merchantId }, { merchantId });
      const changed = [one!, two!].map((payout, tries) => ({ ...payout, tries: tries + 1 }));
      await storage.run((r) => r.payouts.saveAll(changed));
      expect([await lock(one!.id), await lock(two!.id)]).toEqual(changed);
      const bad = storage.run((r) => r.payouts.saveAll([{ ...one!, tries: 7 }, aPayout({ merchantId })]));
      await expect(bad).rejects.toThrow('saved 1 payouts of 2');
      expect(await lock(one!.id)).toEqual(changed[0]!);
      await storage.run((r) => r.payouts.saveAll([]));
    });

    test('K4: of a time are those that were made before it, or whose claim was, or that a wrong clock made later than now', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoiceId = await anInvoiceOf(storage, merchantId);
      const asset = `asset-${anId()}`;
      const claim = aClaim({ merchantId, invoiceId, asset, createdAt: secondsAfter(-9) });
      const later = aClaim({ merchantId, invoiceId, asset, createdAt: secondsAfter(-3) });
      for (const each of [claim, later]) await storage.run((r) => r.refundClaims.insert(each));
      const of = { merchantId, asset, createdAt: secondsAfter(-2) };
      const refund = { ...of, kind: 'refund' } as const;
      const [claimed, claimedLater, , before, , wrong] = await inserted(
        { ...refund, refundClaimId: claim.id },
        { ...refund, refundClaimId: later.id },
        { ...refund, refundClaimId: claim.id, status: 'cancelled', processedAt: NOW },
        { ...refund, invoiceId, createdAt: secondsAfter(-5) },
        of,
        { ...of, createdAt: secondsAfter(1) },
      );
      const found = await storage.run((r) =>
        r.payouts.pendingOf({ assets: [asset], madeBefore: secondsAfter(-5), now: NOW }),
      );
      expect(found).toEqual(ids([claimed, before, wrong]));
      const everywhere = await storage.run((r) =>
        r.payouts.pendingOf({ assets: null, madeBefore: secondsAfter(-5), now: NOW }),
      );
      expect(everywhere).toEqual(expect.arrayContaining([...found]));
      const ofClaims = (seconds: number, assets = [asset]) =>
        storage.run((r) => r.payouts.pendingOfClaims(assets, secondsAfter(seconds)));
      expect(await ofClaims(-9)).toEqual(ids([claimed]));
      expect(await ofClaims(-3)).toEqual(ids([claimed, claimedLater]));
      expect(await ofClaims(-10)).toEqual([]);
      expect(await ofClaims(0, [])).toEqual([]);
    });

    test('what is owed, and what of it has no transfer, is told by asset', async () => {
      const { id: merchantId } = await storage.merchant();
      const [one, two] = [`a-${anId()}`, `b-${anId()}`];
      const [held, lacking, sent, other] = await inserted(
        { merchantId, asset: one, held: heldFor('operator') },
        { merchantId, asset: one, waiting: aWaiting(), sentUnits: 2n },
        { merchantId, asset: one },
        { merchantId, asset: two, waiting: aWaiting({ code: 'merchant' }) },
        { merchantId, asset: two, sandbox: true },
        { merchantId, asset: two, status: 'cancelled', processedAt: NOW },
      );
      await storage.run((r) => r.outgoing.insert(anOutgoing({ referenceId: sent?.id ?? '' })));
      const owed = [held, lacking, sent, other].map((payout) => {
        const { id, asset, address, sentUnits } = payout!;
        return { id, asset, address, sentUnits };
      });
      expect(await storage.run((r) => r.payouts.owed([two, one]))).toEqual(owed);
      expect(await storage.run((r) => r.payouts.owed([]))).toEqual([]);
      expect(await storage.run((r) => r.payouts.unallocated([two, one, `c-${anId()}`]))).toEqual([
        { asset: one, count: 2, units: 5_000_002n, lacking: 1 },
        { asset: two, count: 1, units: 5_000_000n, lacking: 0 },
      ]);
    });

    test('K4: a restore holds what is pending, once, and what it was held for before stays readable', async () => {
      const { id: merchantId } = await storage.merchant();
      const [plain, held, twice, over] = await inserted(
        { merchantId, waiting: aWaiting(), tries: 3, dispatchedAt: NOW },
        { merchantId, held: heldFor('limit', 'too much') },
        { merchantId, held: heldFor('restored', 'long ago') },
        { merchantId, status: 'cancelled', processedAt: NOW },
      );
      const all = ids([over, twice, held, plain]);
      const hold = (given: readonly string[]) => storage.run((r) => r.payouts.holdRestored(given, 'look'));
      expect(await hold(all)).toEqual(ids([plain, held]));
      expect(await lock(plain!.id)).toEqual({
        ...{ ...plain!, held: { code: 'restored', text: 'look' } },
        ...{ waiting: null, tries: 0, dispatchedAt: null },
      });
      expect((await lock(held!.id))?.held).toEqual({
        ...{ code: 'restored_held', text: 'look; before that: too much' },
      });
      expect((await lock(twice!.id))?.held).toEqual({ code: 'restored', text: 'long ago' });
      expect(await hold(all)).toEqual([]);
      expect(await hold([])).toEqual([]);
      const restored = await storage.run((r) => r.payouts.heldFor('restored'));
      expect(restored.filter((id) => all.some((one) => one === id))).toEqual(ids([plain, twice]));
    });

    test('many are locked in the order of their ids, and those that are missing left out', async () => {
      const { id: merchantId } = await storage.merchant();
      const payouts = await inserted({ merchantId }, { merchantId }, { merchantId });
      const order = payouts.map((payout) => payout!).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const wanted = [order[2]!.id, anId(), order[0]!.id, order[2]!.id];
      const locked = await storage.run((r) => r.payouts.lockAll(wanted));
      expect(locked).toEqual([order[0]!, order[2]!]);
      expect(await storage.run((r) => r.payouts.lockAll([]))).toEqual([]);
    });

    test('a batch tells the quoted gas of its payouts, and whose merchants are barred', async () => {
      const { id: merchantId } = await storage.merchant({ status: 'paused' });
      const invoiceId = await anInvoiceOf(storage, merchantId);
      const claim = aClaim({ merchantId, invoiceId });
      await storage.run((r) => r.refundClaims.insert(claim));
      const refund = { merchantId, kind: 'refund' } as const;
      const payouts = await inserted(
        { merchantId, extraGas: 7n },
        { ...refund, refundClaimId: claim.id, extraGas: null },
        { ...refund, refundClaimId: claim.id, orderedBy: 'ann' },
        { ...refund, invoiceId },
      );
      const batch = aBatch(4).map((transfer, place) => ({ ...transfer, referenceId: payouts[place]!.id }));
      for (const transfer of batch) await storage.run((r) => r.outgoing.insert(transfer));
      const { transferBatchId } = batch[0]!;
      const barred = await storage.run((r) => r.payouts.barredIn([transferBatchId]));
      expect(Object.fromEntries(barred)).toEqual({
        [payouts[0]!.id]: 'the merchant is paused',
        [payouts[1]!.id]: 'the merchant is paused',
      });
      const gas = await storage.run((r) => r.payouts.extraGasIn([transferBatchId]));
      expect(Object.fromEntries(gas)).toEqual({
        ...{ [payouts[0]!.id]: 7n, [payouts[1]!.id]: null, [payouts[2]!.id]: 0n, [payouts[3]!.id]: 0n },
      });
      expect(await storage.run((r) => r.payouts.extraGasIn([anId()]))).toEqual(new Map());
    });

    test('refunds of an unmatched deposit stand like those of an invoice', async () => {
      const { id: merchantId } = await storage.merchant();
      const deposit = aDeposit({ merchantId, status: 'stray' });
      const claims = [1, 2].map(() => aClaim({ merchantId, depositId: deposit.id }));
      await storage.run(async (r) => {
        await r.deposits.insertAll([deposit]);
        for (const claim of claims) await r.refundClaims.insert(claim);
      });
      const txid = aHash();
      const refund = { merchantId, kind: 'refund' } as const;
      const [, paid, second] = await inserted(
        { ...refund, refundClaimId: claims[0]!.id, status: 'failed', failure: 'no', processedAt: NOW },
        {
          ...{ ...refund, refundClaimId: claims[1]!.id, status: 'success', processedAt: NOW },
          ...{ txid, txHashes: [txid] },
        },
        { ...refund, refundClaimId: claims[0]!.id },
      );
      const standing = (id: string) => storage.run((r) => r.payouts.standingRefundsOfDeposit(id));
      expect(await standing(deposit.id)).toEqual([paid!, second!]);
      expect(await standing(anId())).toEqual([]);
    });

    test('of those that wait the longest untried comes first, and once, whatever became of earlier transfers', async () => {
      const { id: merchantId } = await storage.merchant();
      const asset = `asset-${anId()}`;
      const [late, early] = await inserted(
        { merchantId, asset, waiting: aWaiting({ at: secondsAfter(2) }) },
        { merchantId, asset, waiting: aWaiting({ at: secondsAfter(1) }) },
      );
      await storage.run((r) =>
        r.outgoing.insert(
          anOutgoing({ referenceId: late?.id ?? '', status: 'failed', failure: failureOf('operator') }),
        ),
      );
      const sendable = await storage.run((r) => r.payouts.sendable([asset, asset], 8, secondsAfter(2)));
      expect(ids(sendable)).toEqual(ids([early, late]));
    });
  });
}
