/** The payout drill on the XRP Ledger, short: workers killed in the midst of it, a node that lies, and transactions that expire meanwhile. */
import { describe, expect, test } from 'bun:test';
import { needs } from '../support/needs.ts';
import { runPayoutDrill } from '../support/payout-drill/drill.ts';
import { postgresAvailable } from '../support/postgres.ts';

const SEED = Number(process.env.DRILL_SEED ?? 20_262);

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts under fire on xrp', () => {
  test('every payout is paid exactly once, and no reserve is left behind', async () => {
    const report = await runPayoutDrill({
      chain: 'xrp',
      payouts: 8,
      kills: 4,
      steps: ['stored', 'broadcast'],
      seed: SEED,
      naive: false,
      deadlineMs: 90_000,
    });
    console.log(`seed ${SEED}: ${JSON.stringify(report)}`);
    expect(report.payments).toEqual([]);
    expect(report.books).toEqual([]);
  }, 150_000);
});
