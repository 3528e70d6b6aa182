/** Payouts of the console above the limit: by two people, once, whoever decides when. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { buildApplication } from '../../../src/app/compose-application.ts';
import { APPROVAL_PATIENCE_MS } from '../../../src/domain/accounts/approval.ts';
import { anAddress } from '../../support/builders.ts';
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

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts of the console above the limit', () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['merchantDesk'];

  beforeAll(async () => {
    on = await openDeskStage();
    desk = on.desks.merchantDesk;
    await on.paid('5000', { amount: 4_950 });
    await on.change({ approvalAboveMicroUsd: micros('100') });
  });
  afterAll(() => on.journey.close());
  const approvalOf = (id: string) => on.deps.operatorQueries.approval(id);

  test('nothing is paid before somebody else approves it, and then it is, once', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const before = await on.available();
    const [asked, requested] = await on.audited(() =>
      desk.createPayout(ann, aPayout(on.deps, '150'), formId()),
    );
    const approval = waitingOf(asked);
    expect(requested).toMatchObject([{ action: 'approval.requested', after: { status: 'waiting' } }]);
    expect(await on.available()).toBe(before);
    expect(await desk.whyNotApprove(ann, approval)).toBe('own');
    expect(await desk.whyNotApprove(bob, approval)).toBeNull();
    const [own, none] = await on.audited(() => desk.approve(ann, approval.id));
    expect(faultOf(own)).toMatchObject({ code: 'APPROVAL_REFUSED', details: { refusal: 'own' } });
    expect(none).toEqual([]);

    const [approved, entries] = await on.audited(() => desk.approve(bob, approval.id));
    expect(okOf(approved).approval).toMatchObject({ status: 'done', decidedBy: bob.userId });
    expect(entries).toMatchObject([
      {
        ...{ action: 'approval.approved', subjectId: approval.id, actor: bob.actor },
        ...{ before: { status: 'waiting', decided_by: null }, after: { status: 'approved' } },
      },
    ]);
    expect(await on.available()).toBeCloseTo(before - 150, 6);
    const again = await desk.approve(bob, approval.id);
    expect(faultOf(again)).toMatchObject({ details: { refusal: 'over' } });
    expect(await on.available()).toBeCloseTo(before - 150, 6);
  });

  test('several small ones of one user within a day count together, and those of another do not', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const order = (by: typeof ann, amount: string) =>
      desk.createPayout(by, aPayout(on.deps, amount), formId());
    doneOf(await order(ann, '60'));
    doneOf(await order(ann, '40'));
    const approval = waitingOf(await order(ann, '5'));
    doneOf(await order(bob, '60'));
    // What somebody else approved does not count.
    okOf(await desk.approve(bob, approval.id));
    on.clock.advance(24 * 3_600);
    doneOf(await order(ann, '99'));
  });

  test('small ones at the same moment cannot pass the limit together', async () => {
    const ann = await on.desk();
    const results = await Promise.all(
      [1, 2, 3, 4].map(() => desk.createPayout(ann, aPayout(on.deps, '40'), formId())),
    );
    expect(results.map((result) => okOf(result).outcome).sort()).toEqual([
      'done',
      'done',
      'waiting',
      'waiting',
    ]);
  });

  test('of two approvers at once one approves, and it is paid once', async () => {
    const approval = waitingOf(await desk.createPayout(await on.desk(), aPayout(on.deps, '101'), formId()));
    const before = (await on.payouts()).length;
    const approvers = [await on.desk(), await on.desk(), await on.desk()];
    const results = await Promise.all(approvers.map((by) => desk.approve(by, approval.id)));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect((await on.payouts()).length).toBe(before + 1);
  });

  test('of an approver and a refuser at once one is first, and the other one is told', async () => {
    for (let round = 0; round < 6; round += 1) {
      const approval = waitingOf(await desk.createPayout(await on.desk(), aPayout(on.deps, '101'), formId()));
      const before = (await on.payouts()).length;
      const [bob, cy] = [await on.desk(), await on.desk()];
      const [approved, refused] = await Promise.all([
        desk.approve(bob, approval.id),
        desk.refuse(cy, approval.id, 'not this one'),
      ]);
      expect(approved.ok).toBe(!refused.ok);
      expect((await on.payouts()).length).toBe(before + (approved.ok ? 1 : 0));
      expect((await approvalOf(approval.id))?.status).toBe(approved.ok ? 'done' : 'refused');
    }
  });

  test('a request that nobody decides on expires, with an entry, and an approval at its end is one or the other', async () => {
    const approval = waitingOf(await desk.createPayout(await on.desk(), aPayout(on.deps, '101'), formId()));
    const contested = waitingOf(await desk.createPayout(await on.desk(), aPayout(on.deps, '101'), formId()));
    const before = (await on.payouts()).length;
    on.clock.advance(APPROVAL_PATIENCE_MS / 1_000);
    const bob = await on.desk();
    const [late, entries] = await on.audited(async () => {
      const [approved] = await Promise.all([desk.approve(bob, contested.id), on.runJobs('expire-approvals')]);
      // One that was being decided on is left to the next run.
      await on.runJobs('expire-approvals');
      return approved;
    });
    expect(faultOf(late)).toMatchObject({ details: { refusal: 'over' } });
    const about = entries.filter(({ subjectId }) => [approval.id, contested.id].includes(subjectId ?? ''));
    expect(about.map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['approval.expired', 'system'],
      ['approval.expired', 'system'],
    ]);
    for (const { id } of [approval, contested]) expect((await approvalOf(id))?.status).toBe('expired');
    expect((await on.payouts()).length).toBe(before);
    on.clock.advance(-APPROVAL_PATIENCE_MS / 1_000);
  });

  test('a second identity cannot approve it: neither whom the requester let in, nor who let both in', async () => {
    const [ann, twin, far, bob] = [await on.desk(), await on.desk(), await on.desk(), await on.desk()];
    on.sponsors.set(twin.userId, [ann.userId]);
    on.sponsors.set(far.userId, [twin.userId, ann.userId]);
    for (const [requester, approvers] of [
      [ann, [twin, far]],
      [twin, [ann, far]],
      [far, [twin, ann]],
    ] as const) {
      const approval = waitingOf(await desk.createPayout(requester, aPayout(on.deps, '101'), formId()));
      const before = (await on.payouts()).length;
      for (const by of approvers) {
        expect(await desk.whyNotApprove(by, approval)).toBe('not_independent');
        const [refused, none] = await on.audited(() => desk.approve(by, approval.id));
        expect(faultOf(refused)).toMatchObject({ details: { refusal: 'not_independent' } });
        expect(none).toEqual([]);
      }
      expect((await on.payouts()).length).toBe(before);
      // Refusing needs nobody independent.
      if (requester === far) okOf(await desk.refuse(ann, approval.id, null));
      else expect(okOf(await desk.approve(bob, approval.id)).approval.status).toBe('done');
    }
  });

  test('only its requester withdraws it, once', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const approval = waitingOf(await desk.createPayout(ann, aPayout(on.deps, '101'), formId()));
    expect(faultOf(await desk.withdraw(bob, approval.id))).toMatchObject({
      details: { refusal: 'not_own' },
    });
    const [, entries] = await on.audited(async () => okOf(await desk.withdraw(ann, approval.id)));
    expect(entries).toMatchObject([{ action: 'approval.withdrawn' }]);
    expect(faultOf(await desk.approve(bob, approval.id))).toMatchObject({ details: { refusal: 'over' } });
  });

  test('who may not pay out cannot approve it, and nobody else than the merchant sees it', async () => {
    const approval = waitingOf(await desk.createPayout(await on.desk(), aPayout(on.deps, '101'), formId()));
    const support = await on.desk('support');
    expect(faultOf(await desk.approve(support, approval.id))).toMatchObject({
      details: { refusal: 'not_permitted' },
    });
    const stranger = await on.desk();
    const other = await on.it.merchant();
    const elsewhere = {
      ...stranger,
      caller: { ...stranger.caller, merchant: { ...stranger.caller.merchant, id: other.id } },
    };
    expect(faultOf(await desk.approve(elsewhere, approval.id))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await desk.approval(elsewhere, approval.id)).toBeNull();
    expect(faultOf(await on.desks.operatorDesk.approve(on.seat(), approval.id))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a requester who is disabled meanwhile cannot be approved, and the request can be refused', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const approval = waitingOf(await desk.createPayout(ann, aPayout(on.deps, '101'), formId()));
    on.present.delete(ann.userId);
    expect(faultOf(await desk.approve(bob, approval.id))).toMatchObject({
      details: { refusal: 'requester_gone' },
    });
    on.present.set(ann.userId, 'accountant');
    expect(faultOf(await desk.approve(bob, approval.id))).toMatchObject({
      details: { refusal: 'requester_gone' },
    });
    expect(okOf(await desk.refuse(bob, approval.id, 'she left'))).toMatchObject({ note: 'she left' });
  });

  test('when the balance is gone by then it fails with its reason, visibly, and nothing is paid', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const available = await on.available();
    const all = aPayout(on.deps, String(Math.floor(available)));
    const [one, other] = [
      waitingOf(await desk.createPayout(ann, all, formId())),
      waitingOf(await desk.createPayout(ann, { ...all, address: anAddress() }, formId())),
    ];
    const first = okOf(await desk.approve(bob, one.id)).approval;
    expect(first.status).toBe('done');
    const before = (await on.payouts()).length;
    const second = okOf(await desk.approve(bob, other.id)).approval;
    expect(second).toMatchObject({ status: 'failed', failure: { code: 'insufficient_balance' } });
    expect(await desk.approvals(bob, { statuses: ['failed'], limit: 10 })).toMatchObject([{ id: other.id }]);
    await on.minuteLater();
    expect((await on.payouts()).length).toBe(before);
    // The money comes back for the tests that follow.
    const paid = (first.made as { payout_id: string }).payout_id;
    const [cancelled, entries] = await on.audited(() => desk.cancelPayout(bob, paid));
    expect(okOf(cancelled)).toMatchObject({ status: 'cancelled' });
    expect(entries).toMatchObject([
      {
        action: 'payout.cancelled',
        subjectId: paid,
        before: { status: 'pending' },
        after: { status: 'cancelled' },
      },
    ]);
    expect(faultOf(await desk.cancelPayout(bob, paid))).toMatchObject({ code: 'INVALID_TRANSITION' });
    await on.journey.booksAreRight();
  });

  test('a limit that is raised meanwhile decides nothing: the request still waits', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const approval = waitingOf(await desk.createPayout(ann, aPayout(on.deps, '101'), formId()));
    await on.change({ approvalAboveMicroUsd: null });
    await on.minuteLater();
    expect((await approvalOf(approval.id))?.status).toBe('waiting');
    expect(okOf(await desk.approve(bob, approval.id)).approval.status).toBe('done');
    await on.change({ approvalAboveMicroUsd: micros('100') });
  });

  test('a merchant that is paused meanwhile is not paid out', async () => {
    const approval = waitingOf(await desk.createPayout(await on.desk(), aPayout(on.deps, '101'), formId()));
    const bob = await on.desk();
    await on.change({ status: 'paused' });
    expect(okOf(await desk.approve(bob, approval.id)).approval).toMatchObject({
      ...{ status: 'failed', failure: { code: 'MERCHANT_INACTIVE' } },
    });
    await on.change({ status: 'active' });
  });

  test('an approval that is killed at any step pays once', async () => {
    const application = (deps: DeskStage['deps']) => buildApplication(deps, on.it.service.dispatcher);
    for (let killAt = 0; ; killAt += 1) {
      const input = aPayout(on.deps, '101');
      const approval = waitingOf(await desk.createPayout(await on.desk(), input, formId()));
      const before = (await on.payouts()).length;
      const { desk: mortal, wasKilled } = killedDesk(on, application, killAt);
      const bob = await on.desk();
      await mortal.approve(bob, approval.id).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      await on.minuteLater();
      const waits = (await approvalOf(approval.id))?.status === 'waiting';
      expect((await on.payouts()).length).toBe(before + (waits ? 0 : 1));
      const again = await desk.approve(bob, approval.id);
      expect(again.ok).toBe(waits);
      expect((await approvalOf(approval.id))?.status).toBe('done');
      expect((await on.payouts()).length).toBe(before + 1);
      if (!wasKilled()) break;
      expect(killAt).toBeLessThan(40);
    }
    await on.journey.booksAreRight();
  }, 120_000);
});
