/**
 * What many payouts cost the database and the nodes together, counted: each of them must not ask
 * and write by itself what is asked and written of all.
 */
import { describe, expect, test } from 'bun:test';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { openAnvilDrill } from '../../support/payout-drill/anvil-drill.ts';
import { openSolanaDrill } from '../../support/payout-drill/solana-drill.ts';
import { openTonDrill } from '../../support/payout-drill/ton-drill.ts';
import { openTronDrill } from '../../support/payout-drill/tron-drill.ts';
import { openXrpDrill } from '../../support/payout-drill/xrp-drill.ts';
import { openCountedPayouts, type PayoutCosts } from '../../support/payouts/payout-costs.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const PAYOUTS = 100;
const STATEMENTS_MAX = 15;
/** Beside the broadcast. */
const REQUESTS_MAX = 2;
/**
 * Each jetton's arrival is looked up. It was 4.3 while they were also looked up in blocks in which
 * their batch could not be final yet.
 */
const REQUESTS_ON_TON_MAX = 3.5;
/** Some 0.7 to 1.4, of 4.2 while each payout was written by itself. */
const COMMITS_MAX = 2;

async function costs(open: Parameters<typeof openCountedPayouts>[0]): Promise<PayoutCosts> {
  const counted = await openCountedPayouts(open);
  try {
    return await counted.send(PAYOUTS);
  } finally {
    await counted.close();
  }
}

describe.skipIf(!needs('postgres', postgresAvailable()))('a hundred payouts that wait together', () => {
  test.skipIf(!needs('anvil', anvilAvailable()))(
    'take few statements and requests each on ethereum',
    async () => {
      const { statements, commits, requests, broadcasts } = await costs(openAnvilDrill);
      expect(broadcasts).toBeGreaterThanOrEqual(PAYOUTS);
      expect(statements / PAYOUTS).toBeLessThanOrEqual(STATEMENTS_MAX);
      expect(commits / PAYOUTS).toBeLessThanOrEqual(COMMITS_MAX);
      expect(requests / PAYOUTS).toBeLessThanOrEqual(REQUESTS_MAX);
    },
    120_000,
  );

  for (const { name, open, most } of [
    { name: 'tron', open: openTronDrill, most: REQUESTS_MAX },
    { name: 'solana', open: openSolanaDrill, most: REQUESTS_MAX },
    { name: 'xrp', open: openXrpDrill, most: REQUESTS_MAX },
    { name: 'ton', open: openTonDrill, most: REQUESTS_ON_TON_MAX },
  ])
    test(`take few statements and requests each on ${name}, where transactions expire`, async () => {
      const { statements, commits, requests, asked } = await costs(open);
      expect(statements / PAYOUTS).toBeLessThanOrEqual(STATEMENTS_MAX);
      expect(commits / PAYOUTS).toBeLessThanOrEqual(COMMITS_MAX);
      const frequent = [...asked].toSorted(([, a], [, b]) => b - a).slice(0, 5);
      expect(requests / PAYOUTS, `the most frequent: ${frequent.join('; ')}`).toBeLessThanOrEqual(most);
    }, 120_000);
});
