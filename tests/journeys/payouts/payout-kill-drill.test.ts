/**
 * The payout drill, short: two workers killed at random and at every step, a node that lies about
 * broadcasts. `bun run drill:payouts` is the long one. And its control: senders that sign before
 * they store are found out by the same drill.
 */
import { describe, expect, test } from 'bun:test';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { coreNodeAvailable } from '../../support/nodes/core-nodes.ts';
import { runPayoutDrill } from '../../support/payout-drill/drill.ts';
import { STEPS } from '../../support/payout-drill/steps.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const SEED = Number(process.env.DRILL_SEED ?? 20_262);
/**
 * Once at every step and at random, and on the other chains where it hurts most: the suite's time
 * is short (`bun run drill:payouts`).
 */
const EVERYWHERE = { payouts: 16, kills: STEPS.length + 1, moments: [null, ...STEPS], finishers: 1 };
const WHERE_IT_HURTS = { payouts: 6, kills: 2, moments: ['stored', 'broadcast'], finishers: 1 } as const;
/** Sent, and not noted as sent: what every chain must know again. */
const UNNOTED = { payouts: 4, kills: 1, moments: ['broadcast'], finishers: 1 } as const;
const chains = [
  { chain: 'ethereum', ...EVERYWHERE, there: needs('anvil', anvilAvailable()) },
  { chain: 'litecoin', ...WHERE_IT_HURTS, there: needs('litecoind', coreNodeAvailable('litecoin')) },
  { chain: 'tron', ...UNNOTED, there: true },
  { chain: 'solana', ...UNNOTED, there: true },
  { chain: 'xrp', ...UNNOTED, there: true },
  { chain: 'ton', ...UNNOTED, there: true },
] as const;
const ready = needs('postgres', postgresAvailable());

for (const { there, ...order } of chains) {
  describe.skipIf(!(ready && there))(`payouts under fire on ${order.chain}`, () => {
    test('every payout is paid exactly once, and no reserve is left behind', async () => {
      const report = await runPayoutDrill({
        ...order,
        seed: SEED,
        naive: false,
        deadlineMs: 240_000,
      });
      console.log(`seed ${SEED}: ${JSON.stringify(report)}`);
      expect(report.payments).toEqual([]);
      expect(report.books).toEqual([]);
    }, 300_000);
  });
}

describe.skipIf(!(ready && chains[0].there))('the drill itself', () => {
  test('finds out payouts that are broadcast before they are stored: they are paid twice or lost', async () => {
    const report = await runPayoutDrill({
      chain: 'ethereum',
      payouts: 24,
      kills: 2,
      moments: ['broadcast'],
      finishers: 1,
      seed: SEED,
      naive: true,
      // What is lost is never paid: it ends when this is over.
      deadlineMs: 12_000,
    });
    console.log(`control: ${JSON.stringify(report.payments)}`);
    expect(report.payments).not.toEqual([]);
  }, 120_000);
});
