/**
 * Every family behind the plan of a real provider, after blocks were missed: at the tip in bounded
 * time, and every payment recorded once.
 */
import { describe, expect, test } from 'bun:test';
import { CHAINS_ON_PLANS } from '../../../support/providers/chains/all.ts';
import { follow } from '../../../support/providers/followed.ts';
import { TONCENTER_PLUS } from '../../../support/providers/plans.ts';

/** Blocks that were missed; the whole of a day is that of `bun run bench providers`. */
const MISSED = 240;
const PAY_EVERY = 7;
const WATCHED = 40;

/** TON on the next larger plan as well. */
const ROWS = CHAINS_ON_PLANS.flatMap((on) =>
  on.chain === 'ton' ? [on, { ...on, plan: TONCENTER_PLUS }] : [on],
);

describe('a chain that was not read for a while', () => {
  test.each(ROWS)(
    'R1: $chain is read to its tip within $plan.name, and every payment is recorded once',
    async ({ chain, plan, blockMs, make }) => {
      const living = make({ watched: WATCHED, payEvery: PAY_EVERY, busy: false });
      const on = await follow({ make: living, plan, latencyMs: 50, behind: MISSED });
      const first = on.chain.tip() - MISSED + 1;
      const { seconds, blocks } = await on.catchUp(3_600_000);
      const [read, made] = [blocks / seconds, 1_000 / blockMs];
      console.log(
        `${chain} within ${plan.name}: ${blocks} blocks, ${read.toPrecision(2)} a second while ${made.toPrecision(2)} are made`,
      );
      expect(blocks).toBeGreaterThanOrEqual(MISSED);
      // The plan is used to its larger part, and blocks are read faster than they come.
      const { calls, refused } = on.provider.counts;
      expect(seconds).toBeLessThan((3 * calls) / (plan.perSecond ?? 1) + 3 * (plan.suspendsFor ?? 0) + 30);
      expect(seconds).toBeLessThan((blocks * blockMs) / 1_000 / 2 + 30);
      expect(refused).toBeLessThan(0.2 * calls);
      // What operators are shown of it is what the provider counts.
      const { used } = on.standing();
      expect([used.calls, used.refusals > 0]).toEqual([calls, refused > 0]);
      expect(on.recorded().toSorted()).toEqual(on.chain.paid(first, first + blocks - 1).toSorted());
      await on.close();
    },
  );
});
