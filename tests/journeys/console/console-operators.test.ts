/** The operators' desk: every action with its entry, and what needs a second operator. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { RefundOffer } from '../../../src/app/payouts/refunds/refund-order.ts';
import { NOTE_LENGTH_MAX } from '../../../src/domain/audit/audit-entry.ts';
import { anAddress, anId } from '../../support/builders.ts';
import {
  aPayout,
  type DeskStage,
  doneOf,
  faultOf,
  formId,
  micros,
  okOf,
  openDeskStage,
  waitingOf,
} from '../../support/console/desk-stage.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const NOBODY = '0'.repeat(24);

describe.skipIf(!needs('postgres', postgresAvailable()))("the operators' desk", () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['operatorDesk'];

  beforeAll(async () => {
    on = await openDeskStage({ CONSOLE_APPROVAL_USD: '100' });
    desk = on.desks.operatorDesk;
    await on.paid('2000', { amount: 1_980 });
  });
  afterAll(() => on.journey.close());

  async function ordered(usd: string): Promise<string> {
    const owner = await on.desk();
    const made = await on.desks.merchantDesk.createPayout(owner, aPayout(on.deps, usd), formId());
    return doneOf(made).payoutId;
  }

  test('a held payout below the limit is released by one operator, and one above it by two', async () => {
    const [ann, bob] = [on.seat(), on.seat('treasurer')];
    const [small, large] = [await ordered('50'), await ordered('150')];
    for (const id of [small, large]) {
      const [held, entries] = await on.entriesOf(() => desk.holdPayout(ann, id, 'ask first'), 'payout.held');
      expect(okOf(held).held).toMatchObject({ text: 'ask first' });
      expect(entries).toMatchObject([{ subjectId: id, note: 'ask first', before: { held: null } }]);
    }
    const form = formId();
    const [released] = await on.entriesOf(() => desk.releasePayout(ann, small, form), 'payout.released');
    expect(doneOf(released).held).toBeNull();
    // Sent again it is the first answer, and without it there is nothing to release.
    await on.entriesOf(() => desk.releasePayout(ann, small, form));
    const [over] = await on.entriesOf(() => desk.releasePayout(ann, small, formId()));
    expect(faultOf(over)).toMatchObject({ code: 'INVALID_TRANSITION' });

    const [asked] = await on.entriesOf(() => desk.releasePayout(ann, large, formId()), 'approval.requested');
    const approval = waitingOf(asked);
    expect((await desk.isAllWell()).approvalsWaiting).toBe(1);
    expect(faultOf(await desk.approve(ann, approval.id))).toMatchObject({ details: { refusal: 'own' } });
    expect(faultOf(await desk.approve(on.seat('viewer'), approval.id))).toMatchObject({
      details: { refusal: 'not_permitted' },
    });
    const owner = await on.desk();
    expect(faultOf(await on.desks.merchantDesk.approve(owner, approval.id)).code).toBe('NOT_FOUND');
    const [, entries] = await on.entriesOf(
      async () => okOf(await desk.approve(bob, approval.id)),
      ...['approval.approved', 'payout.released'],
    );
    expect(entries[1]).toMatchObject({ actor: { userId: bob.userId }, subjectId: large });
    expect(await desk.approval(ann, approval.id)).toMatchObject({ status: 'done' });
  });

  test('small releases of one operator within a day count together', async () => {
    const ann = on.seat();
    const ids = [await ordered('60'), await ordered('60')];
    for (const id of ids) okOf(await desk.holdPayout(on.seat(), id, 'ask first'));
    doneOf(await desk.releasePayout(ann, ids[0] ?? '', formId()));
    const waiting = waitingOf(await desk.releasePayout(ann, ids[1] ?? '', formId()));
    const [refused] = await on.entriesOf(() => desk.refuse(on.seat(), waiting.id, 'no'), 'approval.refused');
    expect(okOf(refused)).toMatchObject({ status: 'refused', note: 'no' });
  });

  test('payouts are retried and cancelled, and what is refused writes nothing', async () => {
    const admin = on.seat();
    const id = await ordered('10');
    await on.entriesOf(() => desk.retryPayout(admin, id), 'payout.retried');
    await on.entriesOf(() => desk.cancelPayout(admin, id), 'payout.cancelled');
    const [again] = await on.entriesOf(() => desk.cancelPayout(admin, id));
    expect(faultOf(again).code).toBe('INVALID_TRANSITION');
    const [paid] = await on.entriesOf(() => desk.payoutPaidBy(admin, id, '0x00'));
    expect(faultOf(paid).code).toBe('INVALID_TRANSITION');
  });

  test('a held payout that a transaction of before a restore paid is found paid', async () => {
    const admin = on.seat();
    const id = await ordered('10');
    okOf(await desk.holdPayout(admin, id, 'restored'));
    const payout = await on.deps.unitOfWork.run(({ payouts }) => payouts.find(id));
    if (payout === null) throw new Error('the payout is gone');
    const { address: to, asset, sentUnits: units } = payout;
    const [at, txid] = [on.clock.now(), `0x${'ab'.repeat(32)}`];
    const cursor = await on.deps.unitOfWork.run(({ chains }) => chains.cursor('ethereum'));
    await on.deps.unitOfWork.run(({ unknown }) =>
      unknown.note({
        ...{ chain: 'ethereum', wallet: anAddress(), txid, nonce: 7n, feeUnits: 0n, harmless: false },
        ...{ payments: [{ to, asset, units }], minedAt: at, notedAt: at },
        block: { height: cursor?.finalizedHeight ?? 0, hash: '0xb' },
      }),
    );
    const [, entries] = await on.entriesOf(
      async () => okOf(await desk.payoutPaidBy(admin, id, txid)),
      'payout.found_paid',
    );
    expect(entries).toMatchObject([{ subjectId: id, note: txid, after: { status: 'success' } }]);
  });

  test('what is written is kept for good, and bounded: a longer one is refused, and does nothing', async () => {
    const admin = on.seat();
    const id = await ordered('10');
    const [most, long] = ['x'.repeat(NOTE_LENGTH_MAX), 'x'.repeat(NOTE_LENGTH_MAX + 1)];
    const [faults] = await on.entriesOf(async () =>
      [
        await desk.holdPayout(admin, id, long),
        await desk.rejectHeld(admin, anId(), long),
        await desk.stopSigning(admin, long),
        await desk.refuse(admin, anId(), long),
        await desk.bookCapital(
          admin,
          { chain: 'ethereum', asset: 'eth_ethereum', note: long, units: 1n },
          formId(),
        ),
      ].map(faultOf),
    );
    for (const { code, details } of faults) {
      expect(code).toBe('VALIDATION_ERROR');
      expect(details).toMatchObject([{ message: 'must have at most 1000 characters' }]);
    }
    await on.entriesOf(() => desk.holdPayout(admin, id, most), 'payout.held');
  });

  test('all that a restore holds is released together, or by two operators', async () => {
    const ids = [await ordered('30'), await ordered('31')];
    await on.deps.unitOfWork.run(({ payouts }) => payouts.holdRestored(ids, 'a backup was restored'));
    const [wrong] = await on.entriesOf(() => desk.releaseRestored(on.seat(), 3, formId()));
    expect(faultOf(wrong).code).toBe('INVALID_TRANSITION');
    const [released] = await on.entriesOf(
      () => desk.releaseRestored(on.seat(), 2, formId()),
      ...['payout.released', 'payout.released'],
    );
    expect(doneOf(released).map(({ id }) => id)).toEqual(ids);

    const large = [await ordered('60'), await ordered('61')];
    await on.deps.unitOfWork.run(({ payouts }) => payouts.holdRestored(large, 'a backup was restored'));
    const waiting = waitingOf(await desk.releaseRestored(on.seat(), 2, formId()));
    expect(waiting.amountMicroUsd).toBe(micros('121'));
    okOf(await desk.approve(on.seat(), waiting.id));
    expect(await on.deps.unitOfWork.run(({ payouts }) => payouts.heldFor('restored'))).toEqual([]);
  });

  test('signing is stopped and started, and the page of all that is well shows it', async () => {
    const admin = on.seat();
    await on.entriesOf(() => desk.stopSigning(admin, 'a test'), 'signing.stopped');
    expect(await desk.isAllWell()).toMatchObject({ signingStopped: { note: 'a test' } });
    const [started] = await on.entriesOf(() => desk.startSigning(admin), 'signing.started');
    expect(okOf(started)).toBe(true);
    const [again] = await on.entriesOf(() => desk.startSigning(admin));
    expect(okOf(again)).toBe(false);
  });

  test('held payments are released and rejected', async () => {
    on.journey.screen({ kind: 'hit', reason: 'listed' });
    const invoices = [await on.paid(), await on.paid()];
    on.journey.screen({ kind: 'pass' });
    const held = await on.deps.operatorQueries.deposits({ statuses: ['held'], sandbox: false, limit: 10 });
    expect(held).toHaveLength(invoices.length);
    expect((await desk.isAllWell()).depositsHeld).toBe(2);
    const [one = '', other = ''] = held.map(({ id }) => id);
    const [released] = await on.entriesOf(() => desk.releaseHeld(on.seat(), one), 'deposit.released');
    expect(okOf(released).status).toBe('credited');
    const [rejected] = await on.entriesOf(
      () => desk.rejectHeld(on.seat(), other, 'listed'),
      'deposit.rejected',
    );
    expect(okOf(rejected)).toMatchObject({ status: 'rejected', note: 'listed' });
    const [again] = await on.entriesOf(() => desk.releaseHeld(on.seat(), one));
    expect(faultOf(again).code).toBe('INVALID_TRANSITION');
  });

  async function stray(amount: string): Promise<string> {
    const invoice = await on.journey.create();
    const owner = await on.desk();
    okOf(await on.desks.merchantDesk.cancelInvoice(owner, invoice.order_id));
    on.journey.pay(invoice, amount);
    await on.journey.mineToFinality();
    await on.it.settle();
    const strays = await on.deps.operatorQueries.deposits({
      statuses: ['stray'],
      sandbox: false,
      limit: 100,
    });
    return strays.at(-1)?.id ?? '';
  }

  test('an unmatched deposit is credited, and a refund of one is offered', async () => {
    const admin = on.seat();
    const [credited] = await on.entriesOf(
      async () => desk.creditStray(admin, await stray('20')),
      'invoice.cancelled',
      'deposit.credited',
    );
    expect(okOf(credited).status).toBe('credited');

    const depositId = await stray('30');
    const offer: Omit<RefundOffer, 'by'> = {
      of: { subject: 'deposit', depositId },
      feeBearer: 'client',
      ...{ amount: null, onCheckout: false, mails: false, days: 14 },
    };
    const [refused] = await on.entriesOf(() => desk.offerRefund(admin, offer, 'no form'));
    expect(faultOf(refused).code).toBe('VALIDATION_ERROR');
    const [offered] = await on.entriesOf(
      () => desk.offerRefund(admin, offer, formId()),
      ...['deposit.credited', 'refund.offered'],
    );
    const { claim, url } = doneOf(offered);
    expect(claim).toMatchObject({ depositId, orderedBy: admin.actor.name });
    expect(url).toContain('/r/');
    await on.entriesOf(() => desk.withdrawRefund(admin, claim.id), 'refund.withdrawn');
  });

  test('a refund is previewed, ordered by one operator below the limit and by two above it, and paid once', async () => {
    const [ann, bob] = [on.seat(), on.seat()];
    const small = await on.paid();
    const large = await on.paid('202', { amount: 200 });
    const order = { to: anAddress(), amount: null };
    const [preview] = await on.entriesOf(() => desk.previewRefund(ann, small.order_id, order));
    expect(okOf(preview)).toMatchObject({ refund: { amountUnits: usdt('25') } });
    const form = formId();
    const [done] = await on.entriesOf(
      () => desk.refundInvoice(ann, small.order_id, order, form),
      'refund.ordered',
    );
    const { payoutId } = doneOf(done);
    expect(doneOf(await desk.refundInvoice(ann, small.order_id, order, form))).toEqual({ payoutId });
    const [twice] = await on.entriesOf(() => desk.refundInvoice(ann, small.order_id, order, formId()));
    expect(faultOf(twice).code).toBe('INVALID_TRANSITION');

    const [asked] = await on.entriesOf(
      () => desk.refundInvoice(ann, large.order_id, order, formId()),
      'approval.requested',
    );
    const approval = waitingOf(asked);
    const [one, other] = await Promise.all([
      desk.approve(bob, approval.id),
      desk.approve(on.seat(), approval.id),
    ]);
    expect(one.ok).toBe(!other.ok);
    const refunds = await on.deps.unitOfWork.run(({ payouts }) => payouts.standingRefunds(large.order_id));
    expect(refunds).toMatchObject([{ orderedBy: ann.actor.name, kind: 'refund' }]);
    await on.journey.booksAreRight();
  });

  test('webhooks are queued again, of one invoice and of all that were given up', async () => {
    const invoice = await on.paid();
    await on.entriesOf(() => desk.replayInvoice(on.seat(), invoice.order_id), 'delivery.queued_again');
    await on.entriesOf(() => desk.replayInvoice(on.seat(), NOBODY));
    const [dead] = await on.entriesOf(() => desk.replayDead(on.seat(), null), 'delivery.queued_again');
    expect(okOf(dead)).toMatchObject({ queued: 0, more: false });
    expect((await desk.isAllWell()).webhooks.circuits).toEqual([]);
  });

  test('the facts of all that is well come from the database, also the last reconciliation', async () => {
    await on.runJobs('reconcile');
    const facts = await desk.isAllWell();
    expect(facts.reconciliation).toMatchObject({ faults: 0, at: on.clock.now() });
    expect(facts.chains.find(({ chain }) => chain === 'ethereum')).toMatchObject({
      height: expect.any(Number),
    });
    expect(facts).toMatchObject({
      ratesAgeSeconds: expect.any(Number),
      webhooks: { dead: 0, circuits: [] },
    });
    expect(await desk.nodes()).toEqual([]);
  });
});
