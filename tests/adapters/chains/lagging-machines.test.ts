/** Several machines behind one address of a node, of which one is behind: chains are followed all the same (safety.md R10). */
import { describe, expect, test } from 'bun:test';
import { CHAINS_ON_PLANS } from '../../support/providers/chains/all.ts';
import { follow, type MakeChain } from '../../support/providers/followed.ts';
import { UNLIMITED } from '../../support/providers/plans.ts';

const LAG_MS = 2_000;
const MINUTES = 3;
/** More than the lagging machine lacks, or reading would begin before them. */
const MISSED = 20;

/** Every other question goes to a machine that is behind. */
const withLaggingMachine =
  (make: MakeChain): MakeChain =>
  async (given) => {
    let behindMs = 0;
    let asked = 0;
    const newest = await make(given);
    const late = await make({ ...given, unixMs: () => given.unixMs() - behindMs });
    behindMs = LAG_MS;
    return { ...newest, answer: (url, init) => (++asked % 2 === 0 ? late : newest).answer(url, init) };
  };

describe('a machine that lags behind another one', () => {
  test.each(CHAINS_ON_PLANS.filter(({ chain }) => ['tron', 'solana'].includes(chain)))(
    'R10: holds nothing of $chain up, and hides no payment',
    async ({ blockMs, make }) => {
      const living = withLaggingMachine(make({ watched: 40, payEvery: 7, busy: false }));
      const on = await follow({ make: living, plan: UNLIMITED, latencyMs: 50, behind: MISSED });
      const first = on.chain.tip() - MISSED + 1;
      const caughtUp = await on.catchUp(60_000);
      const { blocks } = await on.stay(MINUTES * 60_000);
      expect(blocks).toBeGreaterThan((MINUTES - 1) * (60_000 / blockMs));
      const last = first + caughtUp.blocks + blocks - 1;
      expect(on.recorded().toSorted()).toEqual(on.chain.paid(first, last).toSorted());
      await on.close();
    },
  );
});
