/**
 * Sweeps that had ended and of which a reorganisation made a transfer open again, on real storage
 * and without a chain.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresTreasuryQueries } from '../../../src/adapters/postgres/treasury/treasury-queries.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { reopenSweeps } from '../../../src/app/sweeps/reopen-sweeps.ts';
import type { SweepNeeds } from '../../../src/app/sweeps/sweep-needs.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import { sweepReason } from '../../../src/domain/sweeps/sweep-reason.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import { aDeposit, aMerchant, anAddress, anId, anInvoice, NOW } from '../../support/builders.ts';
import { recordingLogger } from '../../support/evm/evm-lab.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a sweep whose transfer is open again', () => {
  let opened: TestDatabase;
  let unitOfWork: UnitOfWork;
  beforeAll(async () => {
    opened = await testDatabase();
    unitOfWork = postgresUnitOfWork(opened.database);
  });
  afterAll(() => opened.drop());

  /** An ended sweep at a place of its own, on a chain of its own, with these transfers. */
  async function ended(
    given: (at: { chain: string; address: string; id: string }) => {
      readonly transfers: readonly OutgoingTransfer[];
      readonly sweep: Partial<Sweep>;
    },
  ) {
    const at = { chain: `chain-${anId()}`, address: anAddress(), id: anId() };
    const { transfers, sweep } = given(at);
    const whole: Sweep = {
      ...{ ...at, asset: 'usdt_ethereum', status: 'done', forced: false, units: 5n },
      ...{ topupId: null, delegationId: null, transferId: null, undelegationId: null, reason: null },
      ...{ createdAt: NOW, endedAt: NOW },
      ...sweep,
    };
    await unitOfWork.run(async (r) => {
      for (const transfer of transfers) await r.outgoing.insert(transfer);
      await r.sweeps.planAll([whole]);
    });
    const logger = recordingLogger();
    const deps = { unitOfWork, logger, clock: { now: () => NOW } } as unknown as SweepNeeds;
    return {
      sweep: whole,
      reopen: () => reopenSweeps(deps, at.chain),
      read: async (id = whole.id) => unitOfWork.run((r) => r.sweeps.lock(id)),
      alarms: () => logger.lines.filter(({ event }) => event === 'sweep.reopened'),
    };
  }
  const swept = () =>
    ended(({ chain, address, id }) => {
      const transfer = anOutgoing({
        ...{ chain, wallet: address, purpose: 'sweep', referenceId: id, status: 'signed' },
      });
      return { transfers: [transfer], sweep: { transferId: transfer.id } };
    });

  test('is open again and told of once, however many processes look at once', async () => {
    const on = await swept();
    await Promise.all([on.reopen(), on.reopen(), on.reopen()]);
    expect(await on.read()).toMatchObject({
      status: 'sweeping',
      reason: { code: 'reorganised' },
      endedAt: null,
    });
    expect(on.alarms()).toHaveLength(1);
  });

  test('lends on where its loan is what is open, and nothing was moved or taken back yet', async () => {
    const on = await ended(({ chain, id }) => {
      const loan = anOutgoing({ chain, purpose: 'lend', referenceId: id, status: 'signed' });
      const reason = sweepReason('too_dear');
      return { transfers: [loan], sweep: { status: 'failed', reason, units: null, delegationId: loan.id } };
    });
    await on.reopen();
    expect(await on.read()).toMatchObject({ status: 'lending', reason: { code: 'reorganised' } });
  });

  test('lets the money go that a sweep was to move which was planned meanwhile: it is swept after this one', async () => {
    const on = await swept();
    const { chain, address, asset } = on.sweep;
    const merchant = aMerchant();
    const invoice = anInvoice({ merchantId: merchant.id });
    const of = { merchantId: merchant.id, invoiceId: invoice.id, chain, address, asset };
    const planned: Sweep = {
      ...{ ...on.sweep, id: anId(), status: 'planned', units: null, transferId: null, endedAt: null },
    };
    await unitOfWork.run(async (r) => {
      await r.merchants.insert(merchant);
      await r.invoices.insert(invoice);
      await r.deposits.insertAll([aDeposit({ ...of, units: 70n, status: 'credited' })]);
      await r.sweeps.planAll([planned]);
      await r.sweeps.cover([planned]);
    });
    await on.reopen();
    expect(await on.read(planned.id)).toMatchObject({
      status: 'failed',
      reason: { code: 'earlier_reopened' },
    });
    await unitOfWork.run((r) => r.sweeps.save(on.sweep));
    const { sweepable } = postgresTreasuryQueries(opened.database);
    const { rows } = await sweepable(chain, { after: '', limit: 9, onDemand: false });
    expect(rows).toEqual([{ address, asset, units: 70n }]);
  });
});
