/**
 * The payout drill, short: two workers killed at random and at every step, a node that lies about broadcasts. `bun run drill
 * payouts` is the long one. And its control: senders that sign before they store are found out by the same drill.
 */
import { describe, expect, test } from 'bun:test';
import { anvilAvailable } from '../support/anvil.ts';
import { needs } from '../support/needs.ts';
import { runPayoutDrill } from '../support/payout-drill/drill.ts';
import { STEPS } from '../support/payout-drill/steps.ts';
import { postgresAvailable } from '../support/postgres.ts';

const SEED = Number(process.env.DRILL_SEED ?? 20_262);
const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);

describe.skipIf(!ready)('payouts under fire', () => {
  test('every payout is paid exactly once, and no reserve is left behind', async () => {
    const report = await runPayoutDrill({
      payouts: 40,
      kills: 2 * STEPS.length,
      steps: STEPS,
      seed: SEED,
      naive: false,
      deadlineMs: 60_000,
    });
    console.log(`seed ${SEED}: ${JSON.stringify(report)}`);
    expect(report.payments).toEqual([]);
    expect(report.books).toEqual([]);
  }, 120_000);

  test('payouts that are broadcast before they are stored are paid twice or lost, and the drill says so', async () => {
    const report = await runPayoutDrill({
      payouts: 40,
      kills: 16,
      steps: ['broadcast'],
      seed: SEED,
      naive: true,
      deadlineMs: 30_000,
    });
    console.log(`control: ${JSON.stringify(report.payments)}`);
    expect(report.payments).not.toEqual([]);
  }, 120_000);
});
