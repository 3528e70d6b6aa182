/**
 * A payout whose row somebody else has locked: a set of payouts waits a moment for it, and goes on
 * without it (docs/flows/payout.md).
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { Repositories, UnitOfWork } from '../../../src/ports/repositories.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';

const PAYOUTS = 4;

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts in a set', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());

  async function ordered(): Promise<string[]> {
    const ids: string[] = [];
    for (let nth = 0; nth < PAYOUTS; nth++) ids.push(await stage.order());
    return ids;
  }
  const statuses = async (ids: readonly string[]) =>
    Promise.all(
      ids.map(async (id) => (await stage.deps.unitOfWork.run((r) => r.payouts.find(id)))?.status ?? null),
    );
  /** While another session has the row of `id`. */
  async function whileLocked(id: string, work: () => Promise<unknown>): Promise<void> {
    const { databaseUrl: url } = stage.journey.it;
    const other = openDatabase({ url, poolSize: 1, queryTimeoutMs: 60_000, logger: silentLogger });
    await other.transaction(async (sql) => {
      await sql.query('select from payouts where id = $1 for update', [id]);
      await work();
    });
    await other.close();
  }

  test('leave without one whose row is locked, before they have a nonce', async () => {
    stage = await openPayoutStage();
    const [locked = '', ...others] = await ordered();
    await whileLocked(locked, () => stage.step().catch(() => undefined));
    await stage.step();
    expect(await statuses(others)).toEqual(others.map(() => 'processing'));
  }, 20_000);

  test('leave without one whose row is locked, where they do not wait for its nonce', async () => {
    stage = await openPayoutStage({ at: { chain: 'tron', native: 'trx_tron' } });
    await ordered();
    const { step } = transferSender(stage.deps, stage.on, UNLIMITED_PAYOUTS, OPEN_GATE);
    stage.over.sender = { prepare: () => Promise.reject(new Error('not yet')) };
    await step().catch(() => undefined);
    stage.over.sender = {};
    const [locked = '', ...others] = (await stage.open()).map(({ referenceId }) => referenceId);
    await whileLocked(locked, () => step().catch(() => undefined));
    expect(await statuses(others)).toEqual(others.map(() => 'processing'));
  }, 20_000);

  test('ask once what their merchants sent in a day', async () => {
    stage = await openPayoutStage();
    const ids = await ordered();
    let asked = 0;
    const counting = (r: Repositories): Repositories => ({
      ...r,
      payouts: {
        ...r.payouts,
        dispatchedMicroUsd(merchantIds, since) {
          asked += 1;
          return r.payouts.dispatchedMicroUsd(merchantIds, since);
        },
      },
    });
    const unitOfWork: UnitOfWork = {
      run: (work, limits) => stage.deps.unitOfWork.run((r) => work(counting(r)), limits),
    };
    const limits = { ...UNLIMITED_PAYOUTS, dayMicroUsd: 1_000_000_000n };
    await transferSender({ ...stage.deps, unitOfWork }, stage.on, limits, OPEN_GATE).step();
    expect(await statuses(ids)).toEqual(ids.map(() => 'processing'));
    expect(asked).toBe(1);
  });
});
