/**
 * Payouts that a merchant's console orders: paid once, whatever is sent twice or killed, and by two
 * people where that is asked.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { buildApplication } from '../../../src/app/compose-application.ts';
import {
  aPayout,
  type DeskStage,
  doneOf,
  faultOf,
  formId,
  Killed,
  killedDesk,
  okOf,
  openDeskStage,
} from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts of the console', () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['merchantDesk'];

  beforeAll(async () => {
    on = await openDeskStage();
    desk = on.desks.merchantDesk;
    await on.paid('5000', { amount: 4_950 });
  });
  afterAll(() => on.journey.close());

  test('without a limit one person pays: one entry, one payout, and the balance is reserved', async () => {
    const owner = await on.desk();
    const before = await on.available();
    const [result, entries] = await on.audited(() =>
      desk.createPayout(owner, aPayout(on.deps, '10'), formId()),
    );
    const { payoutId } = doneOf(result);
    expect(entries).toMatchObject([
      {
        ...{ action: 'payout.ordered', subject: 'approval', merchantId: on.merchant.id, before: null },
        ...{
          actor: owner.actor,
          after: { kind: 'payout', status: 'approved', amount_micro_usd: '10000000' },
        },
      },
    ]);
    expect(await on.available()).toBeCloseTo(before - 10, 6);
    expect((await on.payouts()).filter(({ order_id }) => order_id === payoutId)).toHaveLength(1);
    await on.journey.booksAreRight();
  });

  test('a form that is sent again, at once or later, is one payout and one entry', async () => {
    const owner = await on.desk();
    const [form, input] = [formId(), aPayout(on.deps, '11')];
    const before = (await on.payouts()).length;
    const [results, entries] = await on.audited(async () => {
      const together = await Promise.all([1, 2, 3].map(() => desk.createPayout(owner, input, form)));
      return [...together, await desk.createPayout(owner, input, form)];
    });
    expect(entries).toHaveLength(1);
    expect((await on.payouts()).length).toBe(before + 1);
    const ids = new Set(
      results.flatMap((result) => (okOf(result).outcome === 'done' ? doneOf(result).payoutId : [])),
    );
    expect(ids.size).toBe(1);
    // A form cannot order something else.
    expect(faultOf(await desk.changeApprovalLimit(owner, null, form))).toMatchObject({ code: 'DUPLICATE' });
  });

  test('what a rule refuses leaves no approval and no entry', async () => {
    const owner = await on.desk();
    const own = await on.journey.create();
    const refused = [
      [aPayout(on.deps, '1000000'), 'insufficient_balance'],
      [aPayout(on.deps, '10', { address: 'nowhere' }), 'invalid_address'],
      [aPayout(on.deps, '10', { address: own.address_to }), 'own_address'],
    ] as const;
    for (const [input, rule] of refused) {
      const [result, entries] = await on.audited(() => desk.createPayout(owner, input, formId()));
      expect(faultOf(result)).toMatchObject({ code: 'PAYOUT_REJECTED', details: { rule } });
      expect(entries).toEqual([]);
    }
    const known = await desk.approvals(owner, { statuses: [], limit: 100 });
    expect(known.every(({ status }) => status === 'done')).toBe(true);
  });

  test('a barred merchant is refused as in the API, and in its sandbox it is not', async () => {
    const owner = await on.desk();
    await on.change({ status: 'paused' });
    const [result, entries] = await on.audited(() =>
      desk.createPayout(owner, aPayout(on.deps, '10'), formId()),
    );
    expect(faultOf(result)).toMatchObject({ code: 'MERCHANT_INACTIVE' });
    expect(entries).toEqual([]);
    const sandbox = await on.desk('owner', { environment: 'sandbox' });
    const tried = await desk.createPayout(sandbox, aPayout(on.deps, '10'), formId());
    expect(faultOf(tried)).toMatchObject({ details: { rule: 'insufficient_balance' } });
    await on.change({ status: 'active' });
  });

  test('a process that is killed at any step leaves one payout, or none and no trace', async () => {
    const owner = await on.desk();
    const application = (deps: DeskStage['deps']) => buildApplication(deps, on.it.service.dispatcher);
    for (let killAt = 0; ; killAt += 1) {
      const { desk: mortal, wasKilled } = killedDesk(on, application, killAt);
      const [input, form] = [aPayout(on.deps, '12'), formId()];
      const before = (await on.payouts()).length;
      const [, entries] = await on.audited(async () => {
        await mortal.createPayout(owner, input, form).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        await on.minuteLater();
        await on.minuteLater();
      });
      const paid = (await on.payouts()).slice(0, (await on.payouts()).length - before);
      const stored = await on.deps.unitOfWork.run(({ approvals }) => approvals.ofForm(owner.userId, form));
      expect(paid).toHaveLength(entries.length);
      expect(stored?.status ?? null).toBe(entries.length === 0 ? null : 'done');
      if (stored !== null) expect(stored.made).toEqual({ payout_id: paid[0]?.order_id });
      // Whoever sends the form once more pays nothing twice.
      const again = await desk.createPayout(owner, input, form);
      if (stored !== null) expect(doneOf(again)).toEqual({ payoutId: paid[0]?.order_id });
      expect((await on.payouts()).length).toBe(before + 1);
      if (!wasKilled()) break;
      expect(killAt).toBeLessThan(40);
    }
    await on.journey.booksAreRight();
  }, 120_000);
});
