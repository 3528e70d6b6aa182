/**
 * A restored database on a chain whose nonces the chain does not know (Tron): the signer's log is
 * the last defence against paying twice.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { SignerUnavailable } from '../../../src/ports/sending/signer.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageTronJourney } from '../../support/tron/journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('after a backup was restored', () => {
  const on = stageTronJourney();
  let kept: DatabaseBackup;
  beforeAll(() => {
    kept = databaseBackup(on.it.databaseUrl);
  });
  beforeEach(() => on.endow(100));
  afterAll(() => kept.close());
  const usdtOf = (address: string) => on.lab.balanceOf(address, on.lab.contracts.usdt);

  test('a payout that waited for the signer in the backup, and was paid since, is not paid again', async () => {
    // It has its nonce; fees above the ceiling, a signer that is away or a node that is: it is not
    // signed yet.
    const { signer } = on.on;
    const real = signer.sign;
    const away = () => Promise.reject(new SignerUnavailable('away'));
    Object.assign(signer, { sign: away });
    const { id, to } = await on.order();
    await on.settle();
    Object.assign(signer, { sign: real });
    expect(await on.signedOf(id)).toEqual([]);
    await kept.take();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await on.payoutOf(id)).toMatchObject({ status: 'success' });
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
    await kept.putBack();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
  });

  test('a payout that was pending in the backup, and was paid since, is not given back to the merchant', async () => {
    // Made, and not taken up by a worker yet.
    const { id, to } = await on.order();
    await kept.take();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await on.payoutOf(id)).toMatchObject({ status: 'success' });
    await kept.putBack();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
    // An operator decides ("a payout that was signed is never signed under another nonce"): its
    // balance stays taken.
    expect(await on.payoutOf(id)).toMatchObject({ status: 'pending' });
    expect(await on.signedOf(id)).toEqual([]);
  });

  test('payouts that are ordered after it leave under nonces that nothing was signed under, and are paid', async () => {
    await kept.take();
    for (let count = 0; count < 5; count += 1) await on.order();
    await on.mineToFinality();
    await kept.putBack();
    // Two minutes: what was ordered sooner after the last payment may have been paid by it, as far
    // as two clocks can tell.
    await on.mine(45);
    const { id, to } = await on.order();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await on.payoutOf(id)).toMatchObject({ status: 'success' });
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
  });
});
