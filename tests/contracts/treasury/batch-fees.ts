/**
 * The transfers of a batch on a UTXO chain bear together what the network took for its transaction,
 * once. Reconciliation finds a fee that was lost or borne twice, and takes nothing else for it.
 */
import { describe, expect, test } from 'bun:test';
import { signedTransactions } from '../../../src/adapters/postgres/schema/outgoing.ts';
import {
  type BookedBatch,
  bookedBatch,
  reopenShare,
  settleShare,
} from '../../support/ledger/booked-batch.ts';
import { openedFor } from '../opened.ts';
import { freshBooks, type OpenedBooks } from './reconciliation.ts';

export const BATCH_FEE_CHECK = 'network fee of a batch is borne once';

/** What its latest transaction cost, by who bears it. */
const FEE = 2_500n;

export function describeBatchFees(name: string, open: () => Promise<OpenedBooks>): void {
  describe(`${name}: reconciliation of the network fee of a batch`, () => {
    const storage = openedFor(open);

    /** In books that have no fault. */
    async function signedBatch(): Promise<BookedBatch> {
      const { merchantId } = await freshBooks(storage.ports());
      return run((repositories) => bookedBatch(repositories, merchantId));
    }
    const { run } = storage;
    /** Settles its transfers from `from` on, one after the other. */
    async function settle(batch: BookedBatch, fees: readonly bigint[], from = 0): Promise<void> {
      for (const [nth, feeUnits] of fees.entries())
        await run((repositories) => settleShare(repositories, batch, { place: from + nth, feeUnits }));
    }
    const faults = () => storage.ports().faults();
    const faultOf = ({ latest }: BookedBatch, found: string) => ({
      check: BATCH_FEE_CHECK,
      reference: `${latest.transferBatchId} ${latest.txid}`,
      ...{ expected: '2500', found },
    });

    test('no fault while nothing of it is settled', async () => {
      await signedBatch();
      expect(await faults()).toEqual([]);
    });

    for (const bearer of [0, 1, 2])
      test(`no fault where number ${bearer + 1} of three bears all of it`, async () => {
        const batch = await signedBatch();
        await settle(
          batch,
          [0, 1, 2].map((place) => (place === bearer ? FEE : 0n)),
        );
        expect(await faults()).toEqual([]);
      });

    test('no fault where one bears all of it and the others are not settled yet', async () => {
      const batch = await signedBatch();
      await settle(batch, [FEE]);
      expect(await faults()).toEqual([]);
    });

    test('a fault where all are settled and nobody bears it', async () => {
      const batch = await signedBatch();
      await settle(batch, [0n, 0n, 0n]);
      expect(await faults()).toEqual([faultOf(batch, '0')]);
    });

    test('a fault where two bear all of it', async () => {
      const batch = await signedBatch();
      await settle(batch, [FEE, 0n, FEE]);
      expect(await faults()).toEqual([faultOf(batch, '5000')]);
    });

    test('a fault where two bear all of it and one is not settled yet', async () => {
      const batch = await signedBatch();
      await settle(batch, [FEE, FEE]);
      expect(await faults()).toEqual([faultOf(batch, '5000')]);
    });

    test('a fault where it is the fee of the transaction that was replaced', async () => {
      const batch = await signedBatch();
      await settle(batch, [batch.replaced.maxFeeUnits, 0n, 0n]);
      expect(await faults()).toEqual([faultOf(batch, '1000')]);
    });

    test('no fault where its block left the chain, and another transaction of it was mined instead', async () => {
      const batch = await signedBatch();
      const { replaced } = batch;
      const first = { place: 0, feeUnits: replaced.maxFeeUnits };
      const second = { place: 1, feeUnits: 0n };
      for (const share of [first, second])
        await run((repositories) => settleShare(repositories, batch, share, replaced));
      expect(await faults()).toEqual([]);
      await run((repositories) => reopenShare(repositories, batch, second));
      await settle(batch, [FEE, 0n], 1);
      // One of them still is in the block that is gone.
      expect(await faults()).toEqual([]);
      await run((repositories) => reopenShare(repositories, batch, first));
      await settle(batch, [0n]);
      expect(await faults()).toEqual([]);
    });

    test('no fault while the one that bore it is open again, since its block left the chain', async () => {
      const batch = await signedBatch();
      await settle(batch, [FEE, 0n, 0n]);
      await run((repositories) => reopenShare(repositories, batch, { place: 0, feeUnits: FEE }));
      expect(await faults()).toEqual([]);
      await settle(batch, [0n]);
      expect(await faults()).toEqual([faultOf(batch, '0')]);
    });

    test('no fault where the signed bytes were removed', async () => {
      const batch = await signedBatch();
      await settle(batch, [FEE, 0n, 0n]);
      await storage.ports().raw.change(signedTransactions, () => true, { raw: '' });
      expect(await faults()).toEqual([]);
    });

    test('a fault where the signed bytes were removed and nobody bears it', async () => {
      const batch = await signedBatch();
      await settle(batch, [0n, 0n, 0n]);
      await storage.ports().raw.change(signedTransactions, () => true, { raw: '' });
      expect(await faults()).toEqual([faultOf(batch, '0')]);
    });

    test('no fault where 0.1.0 signed, which may have booked the fee never or twice', async () => {
      const batch = await signedBatch();
      await settle(batch, [FEE, FEE, 0n]);
      await storage.ports().raw.change(signedTransactions, () => true, { feeCompared: false });
      expect(await faults()).toEqual([]);
    });

    test('no fault on another chain, where a transaction may cost less than it offered', async () => {
      const { transfer } = await freshBooks(storage.ports());
      const isIts = ({ transferBatchId }: { readonly transferBatchId: string }) =>
        transferBatchId === transfer.id;
      await storage.ports().raw.change(signedTransactions, isIts, { maxFeeUnits: 99_000n });
      expect(await faults()).toEqual([]);
    });

    test('nothing to compare where nothing is known of the transaction that settled it', async () => {
      const batch = await signedBatch();
      await settle(batch, [0n, 0n, 0n]);
      await storage.ports().raw.remove(signedTransactions, ({ txid }) => txid === batch.latest.txid);
      const found = (await faults()).map(({ check }) => check);
      expect([...new Set(found)]).toEqual(['transfer status follows what was signed']);
    });
  });
}
