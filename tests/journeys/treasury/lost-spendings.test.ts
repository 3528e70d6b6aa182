/**
 * An older backup is put back on a UTXO chain, and a transaction of after it spent UTXOs that the
 * books have as unspent: the operator books them out, and a reorganisation brings them back.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { payoutPaidBy } from '../../../src/app/payouts/record-paid.ts';
import { startSigning, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { bookDifference, differencesOf } from '../../../src/app/treasury/book-differences.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { type FakeCoinJourney, openFakeCoinJourney } from '../../support/fake/fake-utxo-journey.ts';
import { unitsOfOurs } from '../../support/fake/units-of-ours.ts';
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
  async function book(dryRun = false, on = at.sending()) {
    const found = [];
    for (const difference of (await differencesOf(deps(), on)).found) {
      const done = await bookDifference(deps(), on)(difference, { note: '', dryRun });
      found.push(done.ok ? { units: done.value.units, booked: done.value.booked } : done.error.message);
    }
    return found;
  }
  /** The ledger's treasury account is what the chain has at our addresses. */
  async function ledgerIsChain(): Promise<void> {
    await at.chainIsRight();
    const { treasuryQueries, unitOfWork } = deps();
    const [book] = await treasuryQueries.treasuryBooks(CHAIN, [at.asset], at.asset);
    const issued = await treasuryQueries.issuedAddresses(
      { chain: CHAIN, family: CHAIN },
      { after: '', limit: 1_000 },
    );
    const cursor = await unitOfWork.run((r) => r.chains.cursor(CHAIN));
    const { fakes, change } = at.journey.it.service.chains;
    const fake = fakes!.get(CHAIN)!;
    const ours = {
      change: change.get(CHAIN)!,
      addresses: [hotWalletOf(at.sending()), ...issued],
      height: cursor!.finalizedHeight,
    };
    expect(book!.ledgerUnits).toBe(await unitsOfOurs(fake, ours));
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
    await ledgerIsChain();
    const change = await at.free();
    expect(change).toMatchObject([{ key: { role: 'change' } }]);
    const paid = at.someone(150_000n);
    const [id = ''] = await at.order(paid);
    await at.settle();
    await at.mine();
    expect(await at.payout(id)).toMatchObject({ status: 'success' });
    expect(at.received(paid.address)).toBe(150_000n);
    await ledgerIsChain();
  });

  test('are not booked before what spent them is final, nor where the nodes do not agree', async () => {
    await at.earn(1_000);
    await backup.take();
    await at.order(at.someone(150_000n));
    await at.settle();
    at.control().mine();
    await backup.putBack();
    await at.settle();
    const refused = [expect.stringContaining('is not final')];
    expect([await book(true), await book()]).toEqual([refused, refused]);
    await at.mine();
    const { sender, ...on } = at.sending();
    const utxos = { ...sender.utxos!, unspentAtAll: async () => [null] };
    const doubtful = { ...on, sender: { ...sender, utxos } };
    expect(await book(false, doubtful)).toEqual([expect.stringContaining('do not agree')]);
    expect(await book()).toMatchObject([{ booked: true }]);
    await ledgerIsChain();
  });

  /** A payout that is pending in the backup, and that a lost transaction paid: its id and txid. */
  async function paidSince(): Promise<{ id: string; txid: string }> {
    await at.earn(1_000);
    await stopSigning(deps())('a backup is taken');
    const to = at.someone(150_000n);
    const [id = ''] = await at.order(to);
    await backup.take();
    await startSigning(deps())();
    await at.settle();
    await at.mine();
    await backup.putBack();
    await at.mine();
    const paid = at.control().received(to.address);
    expect(paid).toMatchObject([{ units: 150_000n }]);
    return { id, txid: paid[0]!.txid };
  }
  const findPaid = async ({ id, txid }: { id: string; txid: string }) =>
    expect(await payoutPaidBy(deps())(id, txid)).toMatchObject({ ok: true });

  test('K4: are booked out once where the payout was found paid before', async () => {
    const paid = await paidSince();
    await findPaid(paid);
    await book();
    await ledgerIsChain();
    expect(await book()).toEqual([]);
  });

  test('K4: are booked out once where the payout is found paid afterwards', async () => {
    const paid = await paidSince();
    await book();
    await ledgerIsChain();
    await findPaid(paid);
    await ledgerIsChain();
    expect(await book()).toEqual([]);
    // A reorganisation undoes what spent them: the payout stays paid, the money is there again.
    at.control().reorg(2 * at.confirmations);
    await at.mine();
    expect(await book()).toMatchObject([{ booked: true }]);
    await ledgerIsChain();
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
    await ledgerIsChain();
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
    await ledgerIsChain();
  });
});
