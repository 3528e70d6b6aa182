/** What following a chain at its tip asks of a provider in a day, with payments that wait to be final all the time. */
import { describe, expect, test } from 'bun:test';
import { CHAINS_ON_PLANS } from '../../support/providers/chains/all.ts';
import { follow } from '../../support/providers/followed.ts';
import { UNLIMITED } from '../../support/providers/plans.ts';

const DAY_MS = 86_400_000;
const MINUTES = 20;
const GOALS: Readonly<Record<string, number>> = { tron: 60_000, solana: 250_000 };
/** A payment a minute, each read once more when its block is final. */
const PAID_EVERY_MS = 60_000;

describe('a chain that is read at its tip', () => {
  test.each(CHAINS_ON_PLANS.filter(({ chain }) => chain in GOALS))(
    '$chain costs no more calls a day than its goal, and is never a minute late',
    async ({ chain, blockMs, make }) => {
      const payEvery = Math.round(PAID_EVERY_MS / blockMs);
      const living = make({ watched: 40, payEvery, busy: false });
      const on = follow({ make: living, plan: UNLIMITED, latencyMs: 50, behind: 2 });
      await on.catchUp(60_000);
      const { calls, blocks, ms } = await on.stay(MINUTES * 60_000);
      expect((calls * DAY_MS) / ms).toBeLessThan(GOALS[chain]!);
      expect(blocks).toBeGreaterThan((MINUTES - 1) * (60_000 / blockMs));
      await on.close();
    },
  );
});
