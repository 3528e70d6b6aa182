/** Refunds that a merchant's users offer: within the limits, and above them by two people. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Desk } from '../../../src/app/console/merchant-desk.ts';
import { anAddress } from '../../support/builders.ts';
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
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('refunds of the console', () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['merchantDesk'];

  beforeAll(async () => {
    on = await openDeskStage({ CONSOLE_APPROVAL_USD: '1' });
    desk = on.desks.merchantDesk;
  });
  afterAll(() => on.journey.close());

  const all = (invoiceId: string) => ({
    ...{ of: { subject: 'invoice', invoiceId } as const, amount: null, feeBearer: 'client' as const },
    ...{ onCheckout: false, mails: false, days: 14 },
  });
  const offer = (by: Desk, { order_id: id }: Json, form = formId()) => desk.offerRefund(by, all(id), form);
  const claims = async (invoice: Json) =>
    (await on.it.call(on.merchant.live, 'GET', `/api/v2/invoices/${invoice.order_id}/refunds`)).body.result;

  test('within the limits it is offered at once: one entry, one claim, however often it is sent', async () => {
    const [invoice, form] = [await on.paid(), formId()];
    const support = await on.desk('support', { refundLimitMicroUsd: micros('25') });
    const [results, entries] = await on.audited(() =>
      Promise.all([1, 2, 3].map(() => offer(support, invoice, form))),
    );
    const made = results.map(doneOf);
    expect(new Set(made.map(({ claim }) => claim.id)).size).toBe(1);
    expect(made[0]?.url).toContain('/r/');
    expect(await claims(invoice)).toHaveLength(1);
    expect(entries).toMatchObject([
      {
        ...{ action: 'refund.offered', subject: 'refund', subjectId: made[0]?.claim.id, before: null },
        ...{ after: { status: 'open', invoice_id: invoice.order_id }, actor: support.actor },
      },
    ]);
    const [withdrawn, after] = await on.audited(() => desk.withdrawRefund(support, made[0]?.claim.id ?? ''));
    expect(okOf(withdrawn)).toMatchObject({ status: 'withdrawn' });
    expect(after).toMatchObject([{ action: 'refund.withdrawn', before: { status: 'open' } }]);
    const [again, none] = await on.audited(() => desk.withdrawRefund(support, made[0]?.claim.id ?? ''));
    expect(faultOf(again)).toMatchObject({ code: 'INVALID_TRANSITION' });
    expect(none).toEqual([]);
  });

  test('above the limit of the user it waits for somebody whose own limit reaches so far', async () => {
    const invoice = await on.paid();
    const [low, owner] = [
      await on.desk('support', { refundLimitMicroUsd: micros('24.99') }),
      await on.desk(),
    ];
    const approval = waitingOf(await offer(low, invoice));
    expect(approval).toMatchObject({ amountMicroUsd: micros('25'), kind: 'refund_offer' });
    expect(await claims(invoice)).toEqual([]);
    const alike = await on.desk('support', { refundLimitMicroUsd: micros('24.99') });
    expect(faultOf(await desk.approve(alike, approval.id))).toMatchObject({
      details: { refusal: 'not_permitted' },
    });
    const [approved, entries] = await on.audited(() => desk.approve(owner, approval.id));
    expect(okOf(approved).approval).toMatchObject({ status: 'done', made: { claim_id: expect.any(String) } });
    expect(entries.map(({ action, actor }) => [action, actor.userId])).toEqual([
      ['approval.approved', owner.userId],
      ['refund.offered', owner.userId],
    ]);
    expect(await claims(invoice)).toHaveLength(1);
  });

  test('parts of a day count together for the limit of a user, also those that the user approved', async () => {
    const limit = { refundLimitMicroUsd: micros('60') };
    const [bob, low, owner] = [
      await on.desk('support', limit),
      await on.desk('support', { refundLimitMicroUsd: 0n }),
      await on.desk(),
    ];
    doneOf(await offer(bob, await on.paid()));
    const asked = waitingOf(await offer(low, await on.paid()));
    expect(okOf(await desk.approve(bob, asked.id)).approval.status).toBe('done');
    const third = waitingOf(await offer(bob, await on.paid()));
    const other = waitingOf(await offer(low, await on.paid()));
    expect(await desk.whyNotApprove(bob, other)).toBe('not_permitted');
    expect(faultOf(await desk.approve(bob, other.id)).message).toContain('within a day');
    expect(okOf(await desk.approve(owner, third.id)).approval.status).toBe('done');
    on.clock.advance(24 * 3_600);
    expect(okOf(await desk.approve(bob, other.id)).approval.status).toBe('done');
  });

  test('small ones at the same moment cannot pass the limit of a user together', async () => {
    const bob = await on.desk('support', { refundLimitMicroUsd: micros('60') });
    const invoices = [await on.paid(), await on.paid(), await on.paid(), await on.paid()];
    const results = await Promise.all(invoices.map((invoice) => offer(bob, invoice)));
    const outcomes = results.map((result) => okOf(result).outcome);
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(2);
  });

  test('an owner approves what a support agent of hers asks for, up to what she may order alone in a day', async () => {
    const [owner, agent, independent] = [
      await on.desk(),
      await on.desk('support', { refundLimitMicroUsd: 0n }),
      await on.desk(),
    ];
    on.sponsors.set(agent.userId, [owner.userId]);
    expect(
      okOf(await desk.approve(owner, waitingOf(await offer(agent, await on.paid())).id)).approval.status,
    ).toBe('done');
    await on.change({ approvalAboveMicroUsd: micros('60') });
    const [second, third] = [
      waitingOf(await offer(agent, await on.paid())),
      waitingOf(await offer(agent, await on.paid())),
    ];
    expect(okOf(await desk.approve(owner, second.id)).approval.status).toBe('done');
    expect(await desk.whyNotApprove(owner, third)).toBe('not_independent');
    expect(okOf(await desk.approve(independent, third.id)).approval.status).toBe('done');
    // What she approved so is hers: with it her own order passes the limit.
    waitingOf(await offer(owner, await on.paid()));
    await on.change({ approvalAboveMicroUsd: null });
  });

  test('of what was approved never more is given back, though more was paid meanwhile', async () => {
    const [low, owner] = [await on.desk('support', { refundLimitMicroUsd: 0n }), await on.desk()];
    const [ann, bob] = [on.seat(), on.seat()];
    const operators = on.desks.operatorDesk;
    const invoices = [await on.paid('10.1'), await on.paid('10.1'), await on.paid('10.1')];
    const [first, second, third] = invoices.map(({ order_id: id }) => String(id));
    const to = { to: anAddress(), amount: null };
    const asked = [
      waitingOf(await offer(low, { order_id: first })),
      waitingOf(await operators.refundInvoice(ann, second ?? '', to, formId())),
      waitingOf(await operators.offerRefund(ann, all(third ?? ''), formId())),
    ];
    for (const invoice of invoices) on.journey.pay(invoice, '15.15');
    await on.journey.mineToFinality();
    await on.it.settle();
    const approved = [
      await desk.approve(owner, asked[0]?.id ?? ''),
      await operators.approve(bob, asked[1]?.id ?? ''),
      await operators.approve(bob, asked[2]?.id ?? ''),
    ];
    for (const { approval } of approved.map(okOf))
      expect(approval).toMatchObject({
        ...{ status: 'failed', amountMicroUsd: micros('10') },
        failure: { code: 'INVALID_TRANSITION', message: expect.stringContaining('More was paid') },
      });
    for (const invoice of invoices) expect(await claims(invoice)).toEqual([]);
    expect(await on.payouts()).toEqual([]);
  });

  test('a partly paid invoice is accepted with one entry, until a refund of it is offered', async () => {
    const [owner, invoice] = [await on.desk(), await on.paid('10')];
    const id: string = invoice.order_id;
    const { claim } = doneOf(await offer(owner, invoice));
    const [refused] = await on.entriesOf(() => desk.acceptInvoice(owner, id));
    expect(faultOf(refused)).toMatchObject({ message: expect.stringContaining('Withdraw it first') });
    okOf(await desk.withdrawRefund(owner, claim.id));
    const [, entries] = await on.entriesOf(
      async () => okOf(await desk.acceptInvoice(owner, id)),
      'invoice.accepted',
    );
    expect(entries).toMatchObject([{ subjectId: id, after: { status: 'success' } }]);
  });

  test('the link is shown to whoever could offer as much, each time with an entry', async () => {
    const invoice = await on.paid();
    const owner = await on.desk();
    const { claim, url } = doneOf(await offer(owner, invoice));
    const low = await on.desk('support', { refundLimitMicroUsd: micros('24.99') });
    const [refused, none] = await on.audited(() => desk.showRefundLink(low, claim.id));
    expect(faultOf(refused)).toMatchObject({ message: expect.stringContaining('above your limit') });
    expect(none).toEqual([]);
    const high = await on.desk('support', { refundLimitMicroUsd: micros('25') });
    for (const by of [high, owner]) {
      const [shown, entries] = await on.audited(() => desk.showRefundLink(by, claim.id));
      expect(okOf(shown).url).toBe(url);
      expect(entries).toMatchObject([{ action: 'refund.link_shown', subjectId: claim.id, actor: by.actor }]);
      expect(JSON.stringify(entries)).not.toContain(url.split('-').at(-1) ?? '');
    }
    const { merchant } = owner.caller;
    const strangers = [
      { scope: { merchantId: merchant.id, sandbox: true } },
      { scope: { merchantId: '0'.repeat(24), sandbox: false } },
    ].map((more) => ({ ...owner, caller: { ...owner.caller, ...more } }));
    for (const by of strangers)
      expect(faultOf(await desk.showRefundLink(by, claim.id))).toMatchObject({ code: 'NOT_FOUND' });
    okOf(await desk.withdrawRefund(owner, claim.id));
    expect(faultOf(await desk.showRefundLink(owner, claim.id))).toMatchObject({ code: 'INVALID_TRANSITION' });
  });

  test('a refund that is not possible any more fails visibly when it is approved', async () => {
    const invoice = await on.paid();
    const [low, owner] = [await on.desk('support', { refundLimitMicroUsd: 0n }), await on.desk()];
    const [one, other] = [waitingOf(await offer(low, invoice)), waitingOf(await offer(low, invoice))];
    expect(okOf(await desk.approve(owner, one.id)).approval.status).toBe('done');
    const [failed, entries] = await on.audited(() => desk.approve(owner, other.id));
    expect(okOf(failed).approval).toMatchObject({
      status: 'failed',
      failure: { code: 'INVALID_TRANSITION' },
    });
    expect(entries).toMatchObject([
      { action: 'approval.approved' },
      {
        ...{ action: 'approval.failed', subjectId: other.id, actor: { userId: owner.userId } },
        ...{ before: { status: 'approved' }, after: { status: 'failed', failure: 'INVALID_TRANSITION' } },
      },
    ]);
    expect(await claims(invoice)).toHaveLength(1);
  });

  test('what is refused leaves neither an approval nor an entry', async () => {
    const owner = await on.desk();
    const [unpaid, other] = [await on.journey.create(), await on.it.merchant()];
    const theirs = await on.it.call(other.live, 'POST', '/api/v2/invoices', {
      ...{ amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' },
    });
    for (const invoice of [unpaid, theirs.body.result]) {
      const [result, entries] = await on.audited(() => offer(owner, invoice));
      expect(['INVALID_TRANSITION', 'NOT_FOUND']).toContain(faultOf(result).code);
      expect(entries).toEqual([]);
    }
    const deposit = { subject: 'deposit', depositId: unpaid.order_id } as const;
    const asked = {
      of: deposit,
      amount: null,
      feeBearer: 'client',
      onCheckout: false,
      mails: false,
      days: 1,
    } as const;
    expect(faultOf(await desk.offerRefund(owner, asked, formId()))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a form without its id is refused, and orders nothing', async () => {
    const [owner, invoice] = [await on.desk(), await on.paid()];
    for (const form of ['', 'x'])
      expect(faultOf(await offer(owner, invoice, form))).toMatchObject({ code: 'VALIDATION_ERROR' });
    const payout = desk.createPayout(owner, aPayout(on.deps, '1'), '');
    expect(faultOf(await payout)).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await claims(invoice)).toEqual([]);
  });

  test("above the merchant's limit it waits, and small ones count together", async () => {
    await on.change({ approvalAboveMicroUsd: micros('60') });
    const owner = await on.desk();
    doneOf(await offer(owner, await on.paid()));
    doneOf(await offer(owner, await on.paid()));
    waitingOf(await offer(owner, await on.paid()));
    await on.change({ approvalAboveMicroUsd: null });
  });
});
