/**
 * What the desks refuse at their borders: other merchants, the other environment, orders that are
 * of somebody else to decide, and orders that come back long after they were carried out.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { buildApplication } from '../../../src/app/compose-application.ts';
import type { Desk } from '../../../src/app/console/merchant-desk.ts';
import { anAddress, anId } from '../../support/builders.ts';
import {
  aPayout,
  type DeskStage,
  doneOf,
  faultOf,
  formId,
  Killed,
  killedDesk,
  micros,
  okOf,
  openDeskStage,
  waitingOf,
} from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const DAY_SECONDS = 86_400;
/** Longer than any key of the API is kept. */
const MONTHS_SECONDS = 100 * DAY_SECONDS;

describe.skipIf(!needs('postgres', postgresAvailable()))('the desks at their borders', () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['merchantDesk'];
  beforeAll(async () => {
    on = await openDeskStage({ CONSOLE_APPROVAL_USD: '100' });
    desk = on.desks.merchantDesk;
    await on.paid('1010', { amount: 1_000 });
  });
  afterAll(() => on.journey.close());

  const rows = (...amounts: readonly string[]) =>
    [
      'address,amount,asset,fee_bearer',
      ...amounts.map((a) => `${anAddress()},${a},usdt_ethereum,client`),
    ].join('\n');
  const statusOf = async (id: string) => (await on.payouts()).find(({ order_id: one }) => one === id)?.status;

  /** The owner of another merchant, and the own owner in the sandbox. */
  async function strangers(): Promise<readonly Desk[]> {
    const owner = await on.desk();
    const other = await on.it.merchant({ name: 'Other shop', callbackUrl: on.journey.receiver.url });
    const merchant = { ...owner.caller.merchant, id: other.id };
    const scope = { merchantId: other.id, sandbox: false };
    return [
      { ...owner, caller: { ...owner.caller, merchant, scope } },
      await on.desk('owner', { environment: 'sandbox' }),
    ];
  }

  test('nobody cancels a payout of another merchant, or one of the other environment', async () => {
    const { payoutId } = doneOf(await desk.createPayout(await on.desk(), aPayout(on.deps, '5'), formId()));
    for (const by of await strangers()) {
      const [refused] = await on.entriesOf(() => desk.cancelPayout(by, payoutId));
      expect(faultOf(refused)).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await statusOf(payoutId)).toBe('pending');
    okOf(await desk.cancelPayout(await on.desk(), payoutId));
  });

  test('a merchant cancels no payout that is signed, and no refund of an operator', async () => {
    const owner = await on.desk();
    const { payoutId } = doneOf(await desk.createPayout(owner, aPayout(on.deps, '5'), formId()));
    await on.it.settle(1);
    expect(await statusOf(payoutId)).toBe('processing');
    const [signed] = await on.entriesOf(() => desk.cancelPayout(owner, payoutId));
    expect(faultOf(signed)).toMatchObject({ message: expect.stringContaining('is signed') });
    const invoice = await on.paid();
    const order = { to: anAddress(), amount: null };
    const refund = doneOf(
      await on.desks.operatorDesk.refundInvoice(on.seat(), invoice.order_id, order, formId()),
    );
    const [refused] = await on.entriesOf(() => desk.cancelPayout(owner, refund.payoutId));
    expect(faultOf(refused)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a merchant accepts only its own invoices of the environment, and those that are partly paid', async () => {
    const [invoice, owner] = [await on.paid('10'), await on.desk()];
    for (const by of await strangers())
      expect(faultOf(await desk.acceptInvoice(by, invoice.order_id))).toMatchObject({ code: 'NOT_FOUND' });
    const unpaid = await on.journey.create();
    expect(faultOf(await desk.acceptInvoice(owner, unpaid.order_id))).toMatchObject({
      code: 'INVALID_TRANSITION',
    });
    expect(okOf(await desk.acceptInvoice(owner, invoice.order_id))).toMatchObject({ status: 'success' });
  });

  test('a refund of an unmatched deposit is the operator’s to offer, and above the limit two offer it', async () => {
    const invoice = await on.journey.create({ amount: 200 });
    okOf(await desk.cancelInvoice(await on.desk(), invoice.order_id));
    on.journey.pay(invoice, '202');
    await on.journey.mineToFinality();
    await on.it.settle();
    const [stray] = await on.deps.operatorQueries.deposits({ statuses: ['stray'], sandbox: false, limit: 1 });
    const offer = {
      of: { subject: 'deposit', depositId: stray?.id ?? '' },
      ...({ amount: null, feeBearer: 'client', onCheckout: false, mails: false, days: 14 } as const),
    } as const;
    const [refused] = await on.entriesOf(async () => desk.offerRefund(await on.desk(), offer, formId()));
    expect(faultOf(refused)).toMatchObject({ code: 'NOT_FOUND' });
    const asked = await on.desks.operatorDesk.offerRefund(on.seat(), offer, formId());
    expect(waitingOf(asked)).toMatchObject({ kind: 'operator_refund_offer' });
  });

  test('an order without the id of its form is refused, and so is a list that only its rows one by one could pay', async () => {
    const owner = await on.desk();
    const before = (await on.payouts()).length;
    const [without] = await on.entriesOf(() => desk.createPayout(owner, aPayout(on.deps, '5'), ''));
    expect(faultOf(without)).toMatchObject({ code: 'VALIDATION_ERROR' });
    const [tooMuch] = await on.entriesOf(() =>
      desk.createPayoutBatch(owner, rows('700', '700', '700'), formId()),
    );
    expect(faultOf(tooMuch)).toMatchObject({ details: { rule: 'insufficient_balance' } });
    const [faulty] = await on.entriesOf(() =>
      desk.createPayoutBatch(owner, `${rows('5')}\n${anAddress()},none,usdt_ethereum,client`, formId()),
    );
    expect(faultOf(faulty)).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await on.payouts()).length).toBe(before);
  });

  test('a list of a merchant that is paused meanwhile is not paid out', async () => {
    await on.change({ approvalAboveMicroUsd: micros('10') });
    const approval = waitingOf(await desk.createPayoutBatch(await on.desk(), rows('6', '6'), formId()));
    const [bob, before] = [await on.desk(), (await on.payouts()).length];
    await on.change({ status: 'paused' });
    expect(okOf(await desk.approve(bob, approval.id)).approval).toMatchObject({
      ...{ status: 'failed', failure: { code: 'MERCHANT_INACTIVE' } },
    });
    await on.change({ status: 'active' });
    await on.minuteLater();
    expect((await on.payouts()).length).toBe(before);
  });

  const application = (deps: DeskStage['deps']) => buildApplication(deps, on.it.service.dispatcher);

  test('D1: a decision and its entry are one transaction, wherever a kill cuts', async () => {
    for (let killAt = 0; ; killAt += 1) {
      const ordered = await desk.createPayout(await on.desk(), aPayout(on.deps, '11'), formId());
      const approval = waitingOf(ordered);
      const { desk: mortal, wasKilled } = killedDesk(on, application, killAt);
      const bob = await on.desk();
      await mortal.approve(bob, approval.id).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      const [stored] = await on.deps.unitOfWork.run(async ({ approvals }) => [
        await approvals.lock(approval.id),
      ]);
      const written = (await on.entries()).filter(
        ({ action, subjectId }) => action === 'approval.approved' && subjectId === approval.id,
      );
      expect([killAt, written.length]).toEqual([killAt, stored?.status === 'waiting' ? 0 : 1]);
      if (stored?.status === 'waiting') okOf(await desk.approve(bob, approval.id));
      await on.minuteLater();
      if (!wasKilled()) break;
      expect(killAt).toBeLessThan(40);
    }
    await on.change({ approvalAboveMicroUsd: null });
  }, 60_000);

  test.each(['payout', 'list'] as const)(
    'a %s whose process ended after it was paid is not paid again months later, when keys are forgotten',
    async (kind) => {
      const owner = await on.desk();
      for (let killAt = 0; ; killAt += 1) {
        const { desk: mortal, wasKilled } = killedDesk(on, application, killAt);
        const before = (await on.payouts()).length;
        const order =
          kind === 'payout'
            ? mortal.createPayout(owner, aPayout(on.deps, '5'), formId())
            : mortal.createPayoutBatch(owner, rows('5'), formId());
        await order.catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        if ((await on.payouts()).length > before && wasKilled()) break;
        expect([kind, killAt < 40 && wasKilled()]).toEqual([kind, true]);
        await on.minuteLater();
      }
      const paid = (await on.payouts()).length;
      on.clock.advance(MONTHS_SECONDS);
      on.journey.chain().mine(1);
      // The chains' own time decides what is forgotten. No worker has carried anything out by then.
      const reading = on.it.service.jobs.filter(({ name }) => /^(?!sweep|forward).*:ethereum$/.test(name));
      for (const job of reading) await job.run();
      await on.runJobs('forget-uniq-ids', 'forget-answers');
      await on.minuteLater();
      expect((await on.payouts()).length).toBe(paid);
      const left = await on.deps.unitOfWork.run(({ approvals }) => approvals.approvedBy(on.clock.now(), 10));
      expect(left).toEqual([]);
    },
    60_000,
  );

  test('the desks of a merchant that does not exist find nothing', async () => {
    const owner = await on.desk();
    const scope = { merchantId: anId(), sandbox: false };
    const nobody = { ...owner, caller: { ...owner.caller, scope } };
    expect(faultOf(await desk.cancelPayout(nobody, anId()))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
