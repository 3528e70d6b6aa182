/**
 * The hourly run finds a wrong network fee of a batch, whichever of its transfers is settled after
 * the others were verified.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BATCH_FEE_CHECK } from '../../../contracts/treasury/batch-fees.ts';
import { type BookedBatch, bookedBatch, settleShare } from '../../../support/ledger/booked-batch.ts';
import { booksOn } from '../../../support/ledger/empty-books.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the network fee of a batch, by the hour', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await testDatabase();
  }, 120_000);
  afterAll(() => held.drop());

  const { checks, work, emptyBooks, post } = booksOn(() => held);
  const newFaults = () => checks().newFaults(null);
  const settle = (batch: BookedBatch, place: number, feeUnits: bigint) =>
    work().run((repositories) => settleShare(repositories, batch, { place, feeUnits }));

  /** Signed, and verified as such. */
  async function verifiedBatch(): Promise<BookedBatch> {
    const { merchantId } = await post(await emptyBooks());
    const batch = await work().run((repositories) => bookedBatch(repositories, merchantId));
    expect(await checks().reconciliationFaults()).toEqual([]);
    return batch;
  }
  const faultOf = ({ latest }: BookedBatch, found: bigint) => ({
    check: BATCH_FEE_CHECK,
    reference: `${latest.transferBatchId} ${latest.txid}`,
    expected: String(latest.maxFeeUnits),
    found: String(found),
  });

  test('shows as borne again when the second transfer is settled after the first was verified', async () => {
    const batch = await verifiedBatch();
    const fee = batch.latest.maxFeeUnits;
    await settle(batch, 0, fee);
    expect(await newFaults()).toEqual([]);
    await settle(batch, 2, fee);
    expect(await newFaults()).toEqual([faultOf(batch, 2n * fee)]);
    // And again, although nothing is new.
    expect(await newFaults()).toEqual([faultOf(batch, 2n * fee)]);
  });

  test('shows as lost when the last transfer is settled, which has no entry of its own', async () => {
    const batch = await verifiedBatch();
    for (const place of [1, 0]) {
      await settle(batch, place, 0n);
      expect(await newFaults()).toEqual([]);
    }
    await settle(batch, 2, 0n);
    expect(await newFaults()).toEqual([faultOf(batch, 0n)]);
  });
});
