/**
 * What operators decide about payouts that the chain may have paid already, since an older database
 * was put back (safety.md K4).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { payoutPaidBy, paysFor } from '../../../src/app/payouts/record-paid.ts';
import {
  cancelPayout,
  holdPayout,
  releasePayout,
  releaseRestored,
  startSigning,
  stopSigning,
} from '../../../src/app/sending/operate-payouts.ts';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { recordUnknown } from '../../../src/app/watching/record-unknown-transactions.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { spendingFrom } from '../../support/chains/watch-list.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const TETHER = 'usdt_ethereum';

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts that the chain may have paid', () => {
  let journey: FakeJourney;
  let kept: DatabaseBackup;
  let recipients = 1;
  const deps = () => journey.it.service.dependencies;
  const on = () => journey.it.service.sending.chains.get('ethereum')!;
  const stored = async (id: string) => (await deps().unitOfWork.run((r) => r.payouts.lock(id)))!;
  const heldOf = async (id: string) => (await stored(id)).held?.code ?? null;
  const unknown = () => deps().operatorQueries.unknownTransactions({ chains: ['ethereum'], limit: 100 });
  const received = (to: string) => journey.chain().received(to).length;

  beforeAll(async () => {
    journey = await openFakeJourney();
    kept = databaseBackup(journey.it.databaseUrl);
    const invoice = await journey.create({ amount: 100_000 });
    journey.pay(invoice, String(invoice.amount));
    journey.chain().fund(hotWalletOf(on()), 'eth_ethereum', unitsOf('10', 18));
    journey.chain().fund(hotWalletOf(on()), TETHER, usdt('100000'));
    await journey.mineToFinality();
  });
  afterAll(async () => {
    await kept.close();
    await journey.close();
  });

  const someone = () => `0x${(recipients++).toString(16).padStart(40, '5')}`;
  async function order(to = someone()): Promise<{ id: string; to: string }> {
    const body = { address: to, amount: 7, asset: TETHER };
    const key = { 'x-uniq-id': randomUUID() };
    const answer = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/payouts', body, key);
    expect(answer.body).toMatchObject({ ok: true });
    return { id: answer.body.result.order_id, to };
  }
  async function mineOn(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      journey.clock.advance(61);
      await journey.mineToFinality();
    }
  }
  /** Without a block: as long as a wallet that is ahead of us stands still. */
  async function minutes(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await journey.it.settle();
      journey.clock.advance(61);
    }
    await journey.it.settle();
  }
  /** The backup is taken before what is ordered is signed, and then signing goes on. */
  async function pendingInBackup<T>(ordering: () => Promise<T>): Promise<T> {
    await stopSigning(deps())('a backup is taken');
    const ordered = await ordering();
    await mineOn();
    await kept.take();
    await startSigning(deps())();
    return ordered;
  }
  async function putBack(): Promise<void> {
    await kept.putBack();
    await startSigning(deps())();
  }
  /** So much USDT more than the books say that the hot wallet has. */
  async function surplus(): Promise<bigint> {
    const { differences, unavailable } = await reconcileChain(deps(), on(), { height: null });
    expect(unavailable).toBeNull();
    const found = differences.filter(({ asset }) => asset === TETHER);
    return found.reduce((sum, { foundUnits, expectedUnits }) => sum + foundUnits - expectedUnits, 0n);
  }

  test('K4: one is settled by the transaction that paid it, others are released, and what was held before is not released with them', async () => {
    const [first, second, doubted] = await pendingInBackup(async () => {
      const ordered = [await order(), await order(), await order()] as const;
      expect((await holdPayout(deps())(ordered[2].id, 'looks odd')).ok).toBe(true);
      return ordered;
    });
    const before = await surplus();
    expect((await releasePayout(deps())(doubted.id)).ok).toBe(true);
    await mineOn();
    const paid = [first, second, doubted];
    expect(paid.map(({ to }) => received(to))).toEqual([1, 1, 1]);
    await putBack();
    await mineOn();
    expect(await Promise.all(paid.map(({ id }) => heldOf(id)))).toEqual([
      'restored',
      'restored',
      'restored_held',
    ]);
    expect((await stored(doubted.id)).held?.text).toContain('looks odd');

    const beside = await unknown();
    expect(beside).toHaveLength(3);
    const txidFor = async (id: string) => {
      const pays = paysFor(deps(), await stored(id));
      const [only, ...others] = beside.filter(({ payments }) => payments.some(pays));
      expect(others).toEqual([]);
      return only!.txid;
    };
    const txid = await txidFor(first.id);
    expect(await payoutPaidBy(deps())(first.id, await txidFor(second.id))).toMatchObject({ ok: false });
    expect(await payoutPaidBy(deps())(first.id, `0x${'0'.repeat(64)}`)).toMatchObject({ ok: false });
    expect(await surplus()).toBe(before - 3n * usdt('7'));
    expect(await payoutPaidBy(deps())(first.id, txid)).toMatchObject({
      ok: true,
      value: { status: 'success', txid, held: null },
    });
    expect(await payoutPaidBy(deps())(first.id, txid)).toMatchObject({ ok: false });
    expect(await surplus()).toBe(before - 2n * usdt('7'));
    await journey.booksAreRight();
    expect(await unknown()).toHaveLength(2);

    // Whoever saw another number saw others.
    for (const seen of [0, 2]) expect((await releaseRestored(deps())(seen)).ok).toBe(false);
    expect(await heldOf(second.id)).toBe('restored');
    expect(await releaseRestored(deps())(1)).toMatchObject({ ok: true, value: [{ id: second.id }] });
    await mineOn();
    // The operator said so.
    expect(paid.map(({ to }) => received(to))).toEqual([1, 2, 1]);
    expect((await stored(second.id)).status).toBe('success');
    expect(await heldOf(doubted.id)).toBe('restored_held');
    const { available } = await journey.balance();
    expect((await cancelPayout(deps())(doubted.id)).ok).toBe(true);
    expect((await journey.balance()).available).toBeGreaterThan(available);
    await journey.booksAreRight();
  });

  test('K4: a transaction that is not final settles no payout, and two payouts alike need two of them', async () => {
    const [one, same] = await pendingInBackup(async () => {
      const first = await order();
      return [first, await order(first.to)] as const;
    });
    expect((await holdPayout(deps())(same.id, 'later')).ok).toBe(true);
    await mineOn();
    expect(received(one.to)).toBe(1);
    await putBack();
    await mineOn();
    const pays = paysFor(deps(), await stored(one.id));
    const [{ txid } = { txid: '' }] = (await unknown()).filter(({ payments }) => payments.some(pays));
    await deps().unitOfWork.run(async ({ chains }) => {
      const cursor = (await chains.cursor('ethereum'))!;
      await chains.moveCursor('ethereum', cursor, { ...cursor, finalizedHeight: 1 });
    });
    const tooEarly = await payoutPaidBy(deps())(one.id, txid);
    expect(tooEarly).toMatchObject({ ok: false, error: { message: expect.stringContaining('not final') } });
    await journey.mineToFinality();
    expect(await payoutPaidBy(deps())(one.id, txid)).toMatchObject({ ok: true });
    expect(await payoutPaidBy(deps())(same.id, txid)).toMatchObject({ ok: false });
    expect((await releasePayout(deps())(same.id)).ok).toBe(true);
    await mineOn();
    expect([received(one.to), (await stored(same.id)).status]).toEqual([2, 'success']);
    await journey.booksAreRight();
  });

  test('K4: a transaction whose block has left the chain settles no payout', async () => {
    const payout = await pendingInBackup(order);
    await minutes();
    journey.chain().mine(1);
    await journey.it.settle();
    const txid = (await stored(payout.id)).txHashes.at(-1)!;
    await putBack();
    await journey.it.settle();
    expect(await heldOf(payout.id)).toBe('restored');
    journey.chain().reorg(1);
    await journey.mineToFinality();
    expect(received(payout.to)).toBe(0);
    expect(await payoutPaidBy(deps())(payout.id, txid)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('not on the chain') },
    });
    journey.chain().sendAgain(txid);
    await mineOn();
    expect(await payoutPaidBy(deps())(payout.id, txid)).toMatchObject({ ok: true });
    expect(received(payout.to)).toBe(1);
    await journey.booksAreRight();
  });

  test('K4: a transaction that pays only in the block that it came to later holds what it may have paid', async () => {
    const payout = await pendingInBackup(order);
    await minutes();
    const txid = (await stored(payout.id)).txHashes.at(-1)!;
    await kept.putBack();
    journey.chain().mine(1);
    journey.chain().reorg(1, { revert: [txid] });
    await journey.it.settle();
    expect([received(payout.to), await heldOf(payout.id)]).toEqual([0, null]);
    journey.chain().reorg(1, { requeue: [txid] });
    journey.chain().mine(1);
    await journey.it.settle();
    expect([received(payout.to), await heldOf(payout.id)]).toEqual([1, 'restored']);
    await journey.mineToFinality();
    await startSigning(deps())();
    expect(await payoutPaidBy(deps())(payout.id, txid)).toMatchObject({ ok: true });
    await journey.booksAreRight();
  });

  test('K4: a transaction that paid nobody holds nothing and is not shown, one whose payments cannot be read does and is', async () => {
    await stopSigning(deps())('for a moment');
    const { id } = await order();
    const spending = spendingFrom(hotWalletOf(on()));
    const note = async (txid: string, harmless: boolean) => {
      const time = Math.floor(journey.clock.now().getTime() / 1000);
      const transaction = { txid, nonce: null, feeUnits: null, payments: [], harmless };
      const block = { height: 1, hash: 'a', parentHash: 'b', time, transfers: [], unknown: [transaction] };
      const place = { chain: 'ethereum', family: 'evm', spending } as const;
      await recordUnknown(deps(), place, {
        blocks: [block],
        cursor: null,
        now: { tipTime: time, at: journey.clock.now() },
      });
    };
    const shown = async () => (await unknown()).map(({ txid }) => txid);
    const before = await shown();
    await note('harmless', true);
    expect([await heldOf(id), await shown()]).toEqual([null, before]);
    await note('unreadable', false);
    expect(await heldOf(id)).toBe('restored');
    expect((await shown()).toSorted()).toEqual([...before, 'unreadable'].toSorted());
    // Whoever holds it for something else does not take that back.
    expect((await holdPayout(deps())(id, 'its merchant asked')).ok).toBe(true);
    expect((await releaseRestored(deps())(1)).ok).toBe(false);
    expect((await stored(id)).held).toEqual({
      code: 'restored_held',
      text: 'its merchant asked; before that: the unknown transaction unreadable may have paid it',
    });
    // Seen again, in another block say, it holds nothing anew. The limits hold for it still.
    expect((await releasePayout(deps())(id)).ok).toBe(true);
    expect(await stored(id)).toMatchObject({ held: null, released: false });
    await note('unreadable', false);
    expect(await heldOf(id)).toBeNull();
    await startSigning(deps())();
    await mineOn();
    expect((await stored(id)).status).toBe('success');
  });
});
