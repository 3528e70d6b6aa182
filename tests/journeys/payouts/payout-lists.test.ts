/** What operators see of payouts that wait, are held or stopped, and what outlives a restart. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import {
  cancelPayout,
  holdPayout,
  releasePayout,
  retryPayout,
  startSigning,
  stopSigning,
} from '../../../src/app/sending/operate-payouts.ts';
import { aWaiting } from '../../support/builders.ts';
import type { FakeJourney } from '../../support/fake/fake-journey.ts';
import { openPayoutJourney, type PayoutJourney } from '../../support/payouts/payout-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('what operators see of payouts', () => {
  let world: PayoutJourney;
  let journey: FakeJourney;
  beforeAll(async () => {
    world = await openPayoutJourney();
    journey = world.journey;
  });
  afterAll(() => journey.close());
  const deps = () => journey.it.service.dependencies;
  const order = () => world.order();
  const stored = (id: string) => world.stored(id);

  test('a retry of one that waits forgets why', async () => {
    const { id } = await order();
    const waits = { ...(await stored(id)), waiting: aWaiting() };
    await deps().unitOfWork.run((r) => r.payouts.save(waits));
    const listed = async () => {
      const filter = { statuses: ['pending'] as const, held: false, waiting: true, merchantId: null };
      return (await deps().operatorQueries.payouts({ ...filter, limit: 9 })).map(({ payout }) => payout.id);
    };
    expect(await listed()).toEqual([id]);
    expect((await deps().operatorQueries.metrics(journey.clock.now())).payoutsWaiting).toEqual({
      liquidity: 1,
    });
    await retryPayout(deps())(id);
    expect(await listed()).toEqual([]);
    await cancelPayout(deps())(id);
  });

  test('a stop outlives a restart, is seen by every worker, and shows in the metrics', async () => {
    await stopSigning(deps())('lost laptop');
    const other = await startTestService({
      env: { CHAINS: 'fake' },
      databaseUrl: journey.it.databaseUrl,
      dataDir: journey.it.service.config.dataDir,
      overrides: { clock: journey.clock },
    });
    try {
      const { operatorQueries } = other.service.dependencies;
      expect(await operatorQueries.signingStopped()).toMatchObject({ note: 'lost laptop' });
      expect((await other.call(null, 'GET', '/metrics')).body).toContain('\nquittance_signing_stopped 1\n');
      expect(await startSigning(other.service.dependencies)()).toBe(true);
      expect(await startSigning(other.service.dependencies)()).toBe(false);
      expect(await operatorQueries.signingStopped()).toBeNull();
      expect((await other.call(null, 'GET', '/metrics')).body).toContain('\nquittance_signing_stopped 0\n');
    } finally {
      await other.stop();
    }
  });

  test('a held sandbox payout does not settle by itself, a released one does', async () => {
    const { sandbox } = journey.merchant;
    const made = await journey.it.call(sandbox, 'POST', '/api/v2/invoices', {
      amount: 50,
      asset: 'usdt_tron',
    });
    await journey.it.call(sandbox, 'POST', `/api/v2/invoices/${made.body.result.order_id}/simulate`, {
      status: 'success',
    });
    const body = { address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', amount: 5, asset: 'usdt_tron' };
    const headers = { 'x-uniq-id': randomUUID() };
    const answer = await journey.it.call(sandbox, 'POST', '/api/v2/payouts', body, headers);
    const id: string = answer.body.result.order_id;
    await holdPayout(deps())(id, 'a test');
    await journey.it.settle();
    expect((await stored(id)).status).toBe('pending');
    await releasePayout(deps())(id);
    await journey.it.settle();
    expect((await stored(id)).status).toBe('success');
  });
});
