/** Orders that cannot be carried out at present, and processes that meet. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { approvalJobs } from '../../../src/app/console/approvals/approval-jobs.ts';
import { type Carriers, carryOut } from '../../../src/app/console/approvals/carry-out.ts';
import { ratesUnavailable } from '../../../src/domain/errors.ts';
import { err, ok } from '../../../src/domain/result.ts';
import { StorageUnavailable } from '../../../src/ports/repositories.ts';
import { anApproval } from '../../contracts/accounts/approvals.ts';
import { type DeskStage, openDeskStage } from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('carrying out what was approved', () => {
  let on: DeskStage;

  beforeAll(async () => {
    on = await openDeskStage();
  });
  afterAll(() => on.journey.close());

  async function approved() {
    const approval = anApproval({ merchantId: on.merchant.id, createdAt: on.clock.now() }, 'nobody');
    await on.deps.unitOfWork.run(({ approvals }) => approvals.insertIfAbsent(approval));
    return approval;
  }
  const statusOf = async (id: string) => (await on.deps.operatorQueries.approval(id))?.status;
  const by = (payout: NonNullable<Carriers['payout']>) => carryOut(on.deps, { payout });

  test('without prices it stays approved, is tried again, and is given up after an hour', async () => {
    const approval = await approved();
    const noPrices = by({ repeatable: async () => err(ratesUnavailable()) });
    expect((await noPrices(approval)).status).toBe('approved');
    on.clock.advance(3_599);
    expect((await noPrices(approval)).status).toBe('approved');
    on.clock.advance(1);
    expect(await noPrices(approval)).toMatchObject({
      ...{ status: 'failed', failure: { code: 'RATES_UNAVAILABLE' } },
    });
  });

  test('while the database is away it stays approved, and a bug is not swallowed', async () => {
    const approval = await approved();
    const away = by({ repeatable: () => Promise.reject(new StorageUnavailable('away')) });
    expect(await away(approval)).toEqual(approval);
    const broken = by({ begin: () => Promise.reject(new TypeError('a bug')) });
    await expect(broken(approval)).rejects.toThrow('a bug');
    expect(await statusOf(approval.id)).toBe('approved');
  });

  test('one that a bug stops holds up no later one, and the run that met it fails', async () => {
    const approvals = [await approved(), await approved(), await approved()];
    on.clock.advance(60);
    const tried: string[] = [];
    const brokenFirst = by({
      repeatable: async ({ id }) => {
        tried.push(id);
        if (tried.length === 1) throw new TypeError('a bug');
        return ok({ payout_id: 'p' });
      },
    });
    const job = approvalJobs(on.deps, brokenFirst).find(({ name }) => name === 'carry-out-approvals');
    await expect(job?.run()).rejects.toThrow('a bug');
    expect(tried).toEqual(expect.arrayContaining(approvals.map(({ id }) => id)));
    for (const id of tried.slice(1)) expect(await statusOf(id)).toBe('done');
    await job?.run();
    expect(await statusOf(tried[0] ?? '')).toBe('done');
  });

  test('of many processes at once one does it in its transaction, and the others find it done', async () => {
    const approval = await approved();
    let done = 0;
    const once = by({
      begin: async () =>
        ok(async () => {
          done += 1;
          return ok({ payout_id: 'p' });
        }),
    });
    const ends = await Promise.all([1, 2, 3, 4].map(() => once(approval)));
    expect(ends.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
    expect(done).toBe(1);
  });

  test('a refusal inside the transaction takes everything of it back', async () => {
    const approval = await approved();
    const refusing = by({
      begin: async () =>
        ok(async ({ merchants }) => {
          await merchants.update({ ...(await on.merchantNow()), name: 'Changed' });
          return err(ratesUnavailable());
        }),
    });
    on.clock.advance(3_600);
    expect((await refusing(approval)).status).toBe('failed');
    expect((await on.merchantNow()).name).not.toBe('Changed');
  });

  test('what a slow process paid is done, though a faster one had given it up', async () => {
    const approval = await approved();
    const gates: (() => void)[] = [];
    const slow = by({
      repeatable: () =>
        new Promise((resolve) => {
          gates.push(() => resolve(ok({ payout_id: 'p' })));
        }),
    })(approval);
    const faster = by({ repeatable: async () => err({ code: 'MERCHANT_INACTIVE', message: 'no' }) });
    const [, entries] = await on.entriesOf(
      async () => {
        expect((await faster(approval)).status).toBe('failed');
        for (const open of gates) open();
        expect(await slow).toMatchObject({ status: 'done', failure: null });
      },
      ...['approval.failed', 'approval.done_after_all'],
    );
    expect(entries).toMatchObject([
      { subjectId: approval.id, after: { status: 'failed', failure: 'MERCHANT_INACTIVE' } },
      { subjectId: approval.id, before: { status: 'failed' }, after: { status: 'done' } },
    ]);
    expect(await statusOf(approval.id)).toBe('done');
  });
});
