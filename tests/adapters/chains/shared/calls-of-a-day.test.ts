/**
 * What following a chain at its tip asks of a provider in a day, with payments that wait to be
 * final all the time, and without any.
 */
import { describe, expect, test } from 'bun:test';
import { CHAINS_ON_PLANS, type ChainOnPlan } from '../../../support/providers/chains/all.ts';
import { follow } from '../../../support/providers/followed.ts';
import { UNLIMITED } from '../../../support/providers/plans.ts';

const DAY_MS = 86_400_000;
const MINUTES = 10;
const GOALS: Readonly<Record<string, number>> = {
  ...{ ethereum: 18_000, bsc: 78_000, arbitrum: 78_000 },
  ...{ tron: 60_000, solana: 250_000 },
};
const IDLE_GOALS: Readonly<Record<string, number>> = {
  ...{ ethereum: 16_000, bsc: 53_000, arbitrum: 53_000 },
  ...{ tron: 45_000, solana: 225_000 },
};
/** A payment a minute, each read once more when its block is final. */
const PAID_EVERY_MS = 60_000;

/**
 * Calls a day of a chain that is followed for a while, how many blocks came, and how old they were
 * when they were read.
 */
async function followed(
  { blockMs, make }: ChainOnPlan,
  { paid, ...how }: { paid: boolean; streams?: boolean; pollMs?: number },
) {
  const payEvery = paid ? Math.round(PAID_EVERY_MS / blockMs) : 0;
  const living = make({ watched: paid ? 40 : 0, payEvery, busy: false });
  // What a process asks once, when it has read ten blocks, is no cost of a day.
  const on = await follow({ make: living, plan: UNLIMITED, latencyMs: 50, behind: 12, ...how });
  await on.catchUp(60_000);
  const { calls, blocks, ageMs, ms } = await on.stay(MINUTES * 60_000);
  await on.close();
  return { calls: (calls * DAY_MS) / ms, blocks, ageMs };
}

describe('a chain that is read at its tip', () => {
  test.each(CHAINS_ON_PLANS.filter(({ chain }) => chain in GOALS))(
    '$chain costs no more calls a day than its goal, and is never a minute late',
    async (on) => {
      const { calls, blocks } = await followed(on, { paid: true });
      expect(calls).toBeLessThan(GOALS[on.chain]!);
      expect(blocks).toBeGreaterThan((MINUTES - 1) * (60_000 / on.blockMs));
    },
  );

  test.each(CHAINS_ON_PLANS.filter(({ chain }) => chain in IDLE_GOALS))(
    '$chain costs less while nobody waits',
    async (on) => {
      const { calls } = await followed(on, { paid: false });
      expect(calls).toBeLessThan(IDLE_GOALS[on.chain]!);
    },
  );

  test('R11: ethereum is read as its heads are told, for no more calls than by polling', async () => {
    const ethereum = CHAINS_ON_PLANS.find(({ chain }) => chain === 'ethereum')!;
    const [polled, told] = [
      await followed(ethereum, { paid: false }),
      await followed(ethereum, { paid: false, streams: true }),
    ];
    expect(polled.ageMs).toBeGreaterThan(5_000);
    expect(told.ageMs).toBeLessThan(500);
    expect(told.calls).toBeLessThan(IDLE_GOALS.ethereum!);
    const polledOften = await followed(ethereum, { paid: false, pollMs: 1_000 });
    expect(polledOften.calls).toBeGreaterThan(3 * told.calls);
  });
});
