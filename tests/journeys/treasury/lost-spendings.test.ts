/**
 * An older backup is put back on a UTXO chain, and a transaction of after it spent UTXOs that the
 * books have as unspent: the operator books them out, and a reorganisation brings them back.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { bookDifference, differencesOf } from '../../../src/app/treasury/book-differences.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { type FakeCoinJourney, openFakeCoinJourney } from '../../support/fake/fake-utxo-journey.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const CHAIN = 'bitcoin';
const AGAIN_SECONDS = 601;

describe.skipIf(!needs('postgres', postgresAvailable()))('UTXOs that a lost transaction spent', () => {
  let at: FakeCoinJourney;
  let backup: DatabaseBackup;
  beforeEach(async () => {
    at = await openFakeCoinJourney(CHAIN);
    backup = databaseBackup(at.journey.it.databaseUrl);
  });
  afterEach(async () => {
    await backup.close();
    await at.journey.close();
  });
  const deps = () => at.journey.it.service.dependencies;

  async function differing() {
    const { differences, unavailable } = await reconcileChain(deps(), at.sending(), { height: null });
    expect(unavailable).toBeNull();
    return differences.map(({ kind, expectedUnits, foundUnits }) => ({
      kind,
      units: foundUnits - expectedUnits,
    }));
  }
  async function book(dryRun = false) {
    const found = [];
    for (const difference of await differencesOf(deps(), at.sending())) {
      const done = await bookDifference(deps(), at.sending())(difference, { note: '', dryRun });
      found.push(done.ok ? { units: done.value.units, booked: done.value.booked } : done.error.message);
    }
    return found;
  }
  /** Answers the units of a UTXO that was spent after the backup, which is there again. */
  async function lost(blocks?: number): Promise<bigint> {
    await at.earn(1_000);
    const [utxo] = await at.free();
    await backup.take();
    await at.order(at.someone(150_000n));
    await at.settle();
    await at.mine();
    await backup.putBack();
    await at.mine(blocks);
    return utxo?.units ?? 0n;
  }

  test('K4: are booked out once, and what the transaction gave back is spent as usual', async () => {
    const units = await lost();
    expect(await differing()).toEqual([{ kind: 'unrecorded_outgoing', units: -units }]);
    expect(await book(true)).toEqual([{ units: -units, booked: false }]);
    expect(await book()).toEqual([{ units: -units, booked: true }]);
    expect(await book()).toEqual([]);
    await at.chainIsRight();
    const change = await at.free();
    expect(change).toMatchObject([{ key: { role: 'change' } }]);
    const paid = at.someone(150_000n);
    const [id = ''] = await at.order(paid);
    await at.settle();
    await at.mine();
    expect(await at.payout(id)).toMatchObject({ status: 'success' });
    expect(at.received(paid.address)).toBe(150_000n);
    await at.chainIsRight();
  });

  test('are shown when a reorganisation undoes that, taken back by the same order, and free again', async () => {
    const units = await lost(1);
    await book();
    await at.chainIsRight();
    at.control().reorg(at.confirmations + 1);
    await at.mine();
    expect(await differing()).toEqual([{ kind: 'unrecorded_incoming', units }]);
    expect(await at.free()).toEqual([]);
    expect(await book()).toEqual([{ units, booked: true }]);
    await at.chainIsRight();
    at.journey.clock.advance(AGAIN_SECONDS);
    await at.settle();
    expect(await at.free()).toMatchObject([{ units, key: { role: 'deposit' } }]);
  });

  test('are taken back on their own when their own block is gone: what never came was not spent', async () => {
    await lost(1);
    await book();
    at.control().reorg(2 * at.confirmations + 1);
    await at.mine();
    await at.settle();
    expect(await differing()).toEqual([]);
    const [spent, capital] = await deps().unitOfWork.run(async (r) => [
      await r.utxos.spentOutside(CHAIN, { inBlock: false, after: null, limit: 9 }),
      await r.capital.newest({ chain: CHAIN, asset: at.asset }),
    ]);
    expect(spent).toEqual([]);
    expect(capital?.note).toContain('was not spent either');
    await at.journey.booksAreRight();
  });
});
