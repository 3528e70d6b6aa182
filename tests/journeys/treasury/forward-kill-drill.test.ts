/**
 * Forwards beside payouts while two workers are killed (SIGKILL) at every step, on a node that lies
 * about broadcasts: the cold address gets what the records say, once, and payouts are paid.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { runPayoutDrill } from '../../support/payout-drill/drill.ts';
import { STEPS } from '../../support/payout-drill/steps.ts';
import { forwardSettings } from '../../support/payouts/forward-settings.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const SEED = Number(process.env.DRILL_SEED ?? 20_262);
const ready = [needs('postgres', postgresAvailable()), needs('anvil', anvilAvailable())].every(Boolean);

describe.skipIf(!ready)('forwards under fire', () => {
  const forwards = forwardSettings({
    usdt_ethereum: { above: '200000', keep: '100000' },
    eth_ethereum: { above: '500', keep: '100' },
  });
  afterAll(() => forwards.remove());

  test('G12: each is sent once beside payouts that are paid once, and the books agree', async () => {
    const report = await runPayoutDrill({
      ...{ chain: 'ethereum', payouts: 8, kills: STEPS.length, moments: STEPS, finishers: 1 },
      ...{ seed: SEED, naive: false, deadlineMs: 240_000, forwards },
    });
    console.log(`seed ${SEED}: ${JSON.stringify(report)}`);
    expect(report.payments).toEqual([]);
    expect(report.books).toEqual([]);
    expect(report.batches.forward).toBeGreaterThanOrEqual(2);
  }, 300_000);
});
