/** What is audited, and the entry that says so, are one transaction. */
import { describe, expect, test } from 'bun:test';
import { type AuditOptions, audited, recordAction, runAudited } from '../../../src/app/audit/audited.ts';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { runResult } from '../../../src/app/shared/transaction-result.ts';
import type { Actor, AuditEntry, AuditedAction } from '../../../src/domain/audit/audit-entry.ts';
import type { Merchant } from '../../../src/domain/merchants/merchant.ts';
import { err, ok } from '../../../src/domain/result.ts';
import type { Repositories, UnitOfWork } from '../../../src/ports/repositories.ts';
import { aMerchant, anId } from '../../support/builders.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const ADA: Actor = { kind: 'user', userId: anId(), name: 'ada@shop.example', ip: '203.0.113.9' };

/** Merchants and the log in memory. What throws is undone; `repeat` repeats transactions. */
function desk() {
  const merchants = new Map<string, Merchant>();
  const log: AuditEntry[] = [];
  let repeats = 0;
  let failsAtCommit = false;
  let logFails = false;

  const repositories = {
    merchants: {
      find: async (id: string) => merchants.get(id) ?? null,
      lock: async (id: string) => merchants.get(id) ?? null,
      insert: async (merchant: Merchant) => void merchants.set(merchant.id, merchant),
      update: async (merchant: Merchant) => void merchants.set(merchant.id, merchant),
    },
    audit: {
      async append(entry: AuditEntry) {
        if (logFails) throw new Error('the log failed');
        log.push(entry);
      },
    },
  } as unknown as Repositories;

  async function once<T>(work: (repositories: Repositories) => Promise<T>, commits: boolean): Promise<T> {
    const [before, length] = [new Map(merchants), log.length];
    const undo = () => {
      merchants.clear();
      for (const [id, merchant] of before) merchants.set(id, merchant);
      log.length = length;
    };
    try {
      const result = await work(repositories);
      if (!commits) undo();
      if (failsAtCommit) throw new Error('the commit failed');
      return result;
    } catch (error) {
      undo();
      throw error;
    }
  }
  const unitOfWork: UnitOfWork = {
    async run(work) {
      for (; repeats > 0; repeats -= 1) await once(work, false);
      return once(work, true);
    },
  };
  const deps = { unitOfWork, clock: testClock(), ids: { id: anId } as never };
  const merchant = aMerchant();
  merchants.set(merchant.id, merchant);
  const action: AuditedAction = {
    ...{ action: 'merchant.changed', subject: 'merchant', subjectId: merchant.id, merchantId: merchant.id },
    note: 'by phone',
  };
  return {
    ...{ deps, merchants, log, merchant, action },
    repeat: (times: number) => {
      repeats = times;
    },
    failAtCommit: () => {
      failsAtCommit = true;
    },
    failInLog: () => {
      logFails = true;
    },
  };
}

const changed = (log: readonly AuditEntry[]) => log.map(({ before, after }) => [before?.name, after?.name]);

describe('an audited use case', () => {
  test('writes who did it, and the subject before and after, with what it changes', async () => {
    const { deps, merchant, action, log } = desk();
    const result = await changeMerchant(audited(deps, ADA, action))(merchant.id, {
      ...{ name: 'Corner', commissionPpm: 5_000n },
    });
    expect(result.ok).toBeTrue();
    const before = {
      ...{
        name: 'Corner shop',
        status: 'active',
        kyc: 'approved',
        callback_url: 'https://shop.example/hook',
      },
      ...{ payout_webhooks: false, default_fee_bearer: 'client', commission_ppm: '10000' },
      ...{ allowed_subnets: ['203.0.113.0/24'], approval_above_micro_usd: null },
      ...{ default_tolerance_ppm: null, accepted_coins: null },
      ...{ default_webhook_format: null, checkout_language: null },
    };
    expect(log).toEqual([
      {
        ...action,
        ...{ id: expect.any(String), at: deps.clock.now(), actor: ADA, note: 'by phone', before },
        after: { ...before, name: 'Corner', commission_ppm: '5000' },
      },
    ]);
  });

  test('writes nothing when it is refused, as an Err that is returned or one that rolls back', async () => {
    const { deps, merchants, merchant, action, log } = desk();
    const unknown = { ...action, subjectId: anId() };
    expect((await changeMerchant(audited(deps, ADA, unknown))(anId(), { name: 'x' })).ok).toBeFalse();
    const refused = await runAudited(deps, ADA, action, (by) =>
      runResult(by.unitOfWork, async (repositories) => {
        await repositories.merchants.update({ ...merchant, name: 'half done' });
        return err({ code: 'NOT_FOUND', message: 'refused' } as never);
      }),
    );
    expect(refused.ok).toBeFalse();
    expect(log).toEqual([]);
    expect(merchants.get(merchant.id)?.name).toBe('Corner shop');
  });

  test('D1: leaves no entry without its change, and no change without its entry', async () => {
    const { deps, merchants, merchant, action, log, failAtCommit } = desk();
    failAtCommit();
    const run = runAudited(deps, ADA, action, (by) => changeMerchant(by)(merchant.id, { name: 'Corner' }));
    await expect(run).rejects.toThrow('the commit failed');
    expect(log).toEqual([]);
    expect(merchants.get(merchant.id)?.name).toBe('Corner shop');

    const other = desk();
    other.failInLog();
    const unlogged = runAudited(other.deps, ADA, other.action, (by) =>
      changeMerchant(by)(other.merchant.id, { name: 'Corner' }),
    );
    await expect(unlogged).rejects.toThrow('the log failed');
    expect(other.merchants.get(other.merchant.id)?.name).toBe('Corner shop');
  });

  test('writes one entry when its transaction is repeated', async () => {
    const { deps, merchant, action, log, repeat } = desk();
    repeat(3);
    await runAudited(deps, ADA, action, (by) => changeMerchant(by)(merchant.id, { name: 'Corner' }));
    expect(changed(log)).toEqual([['Corner shop', 'Corner']]);
  });

  test('writes one entry for each of its transactions that changes the subject', async () => {
    const { deps, merchant, action, log } = desk();
    await runAudited(deps, ADA, action, async (by) => {
      await by.unitOfWork.run(({ merchants }) => merchants.find(merchant.id));
      await changeMerchant(by)(merchant.id, { name: 'one' });
      await changeMerchant(by)(merchant.id, { name: 'one' });
      await changeMerchant(by)(merchant.id, { name: 'two' });
    });
    expect(changed(log)).toEqual([
      ['Corner shop', 'one'],
      ['one', 'two'],
    ]);
  });

  test('writes no entry for a look at the subject before it is refused', async () => {
    const { deps, merchant, action, log } = desk();
    const refused = await runAudited(deps, ADA, action, async (by) => {
      await by.unitOfWork.run(({ merchants }) => merchants.find(merchant.id));
      return err('too late');
    });
    expect(refused.ok).toBeFalse();
    expect(log).toEqual([]);
  });

  test('has an entry of its own when it succeeded and changed nothing', async () => {
    const { deps, merchant, action, log } = desk();
    await runAudited(deps, ADA, action, (by) => changeMerchant(by)(merchant.id, { name: 'Corner shop' }));
    expect(changed(log)).toEqual([['Corner shop', 'Corner shop']]);
    await changeMerchant(audited(deps, ADA, action))(merchant.id, { name: 'Corner shop' });
    expect(log).toHaveLength(1);
  });

  test('names what it makes', async () => {
    const { deps, log } = desk();
    const made = aMerchant({ name: 'New' });
    const action: AuditedAction = {
      ...{ action: 'merchant.created', subject: 'merchant', subjectId: null, merchantId: null },
    };
    const subjectOf: AuditOptions['subjectOf'] = (result) => (result === made ? made.id : undefined);
    await runAudited(
      deps,
      ADA,
      action,
      async (by) => {
        await by.unitOfWork.run(async () => 'a look at something else');
        return runResult(by.unitOfWork, async ({ merchants }) => {
          await merchants.insert(made);
          return ok(made);
        });
      },
      { subjectOf },
    );
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({ subjectId: made.id, merchantId: made.id, before: null });
    expect(log[0]?.after).toMatchObject({ name: 'New' });
  });

  test('of a subject without a snapshot writes one entry, in the first transaction', async () => {
    const { deps, log, merchant } = desk();
    const action: AuditedAction = {
      ...{ action: 'delivery.queued', subject: 'delivery', subjectId: null, merchantId: merchant.id },
    };
    const lengths: number[] = [];
    await runAudited(deps, ADA, action, async (by) => {
      for (let nth = 0; nth < 3; nth += 1) {
        await by.unitOfWork.run(async () => nth);
        lengths.push(log.length);
      }
    });
    expect(lengths).toEqual([1, 1, 1]);
    expect(log[0]).toMatchObject({ ...action, before: null, after: null, note: null });
  });
});

test('an action without a transaction of its own is recorded with what it says', async () => {
  const { deps, log, action } = desk();
  await recordAction(deps, ADA, action, { after: { reads: 3 } });
  expect(log).toEqual([
    {
      ...action,
      id: expect.any(String),
      at: deps.clock.now(),
      actor: ADA,
      before: null,
      after: { reads: 3 },
    },
  ]);
});
