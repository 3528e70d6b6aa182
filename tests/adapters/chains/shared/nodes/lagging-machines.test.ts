/**
 * Several machines behind one address of a node, of which one is behind: chains are followed all
 * the same (safety.md R10).
 */
import { describe, expect, test } from 'bun:test';
import { bridged } from '../../../../../src/adapters/chains/shared/nodes/lagging.ts';
import { NodeLagging } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { CHAINS_ON_PLANS } from '../../../../support/providers/chains/all.ts';
import { coinChain } from '../../../../support/providers/chains/coins.ts';
import { follow, type MakeChain } from '../../../../support/providers/followed.ts';
import { UNLIMITED } from '../../../../support/providers/plans.ts';
import { seeded } from '../../../../support/runtime/seeded.ts';
import { stubSending } from '../../../../support/utxo/utxo-stub.ts';

const LAG_MS = 2_000;
const STAY_MS = 90_000;
/** More than the lagging machine lacks, or reading would begin before them. */
const MISSED = 20;
const SEED = 3;

/** Many blocks of a UTXO chain in little time. */
const COINS = { chain: 'bitcoin', blockMs: 4_000, transactions: 4, waiting: 3, newASecond: 0 } as const;
const CHAINS = [
  ...CHAINS_ON_PLANS.filter(({ chain }) => ['ethereum', 'tron', 'solana', 'xrp'].includes(chain)),
  {
    ...COINS,
    make: (given: { watched: number; payEvery: number }) => coinChain({ ...COINS, ...given }),
  },
];

/** Any question may go to a machine that is behind. */
const withLaggingMachine =
  (make: MakeChain): MakeChain =>
  async (given) => {
    let behindMs = 0;
    const { int } = seeded(SEED);
    const newest = await make(given);
    const late = await make({
      ...given,
      nowMs: () => given.nowMs() - behindMs,
      unixMs: () => given.unixMs() - behindMs,
    });
    behindMs = LAG_MS;
    return { ...newest, answer: (url, init) => (int(2) === 0 ? late : newest).answer(url, init) };
  };

describe('a machine that lags behind another one', () => {
  test.each(CHAINS)(
    'R10: holds nothing of $chain up, hides no payment, and is no warning',
    async ({ blockMs, make }) => {
      const living = withLaggingMachine(make({ watched: 40, payEvery: 7, busy: false }));
      const on = await follow({ make: living, plan: UNLIMITED, latencyMs: 50, behind: MISSED });
      const first = on.chain.tip() - MISSED + 1;
      const caughtUp = await on.catchUp(60_000);
      const { blocks } = await on.stay(STAY_MS);
      expect(blocks).toBeGreaterThanOrEqual(STAY_MS / blockMs / 2);
      const last = first + caughtUp.blocks + blocks - 1;
      expect(on.recorded().toSorted()).toEqual(on.chain.paid(first, last).toSorted());
      expect(on.warnings()).toEqual([]);
      await on.close();
    },
  );

  test('R10: is waited for only when no other node has what it lacks, and not for longer than some seconds', async () => {
    const waits: number[] = [];
    const asked: string[] = [];
    let isThere: (label: string) => boolean = () => false;
    const backends = ['node 1', 'node 2'].map((label) => ({
      async minimumFeeRate() {
        asked.push(label);
        if (!isThere(label)) throw new NodeLagging('has no block 7');
        return BigInt(asked.length);
      },
    }));
    const { pool } = await stubSending('bitcoin', backends);
    const after = (ms: number, work: () => void) => {
      waits.push(ms);
      work();
    };
    const read = () => pool.use((node) => bridged(() => node.minimumFeeRate(), { time: { after } }));
    isThere = (label) => label === 'node 2';
    expect(await read()).toBe(2n);
    expect(waits).toEqual([]);
    isThere = () => asked.length === 7;
    expect(await read()).toBe(7n);
    expect(asked.slice(2)).toEqual(['node 1', 'node 2', 'node 1', 'node 1', 'node 1']);
    waits.splice(0);
    const away = await read().catch((error: Error) => error.message);
    expect(away).toBe('bitcoin: no node could answer: node 1: has no block 7; node 2: has no block 7');
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(10_000);
  });
});
