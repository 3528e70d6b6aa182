/**
 * UTXO chains over nodes of a provider's plan, which cannot be asked for each transaction that
 * waits.
 */
import { describe, expect, test } from 'bun:test';
import { coinChain } from '../../../support/providers/chains/coins.ts';
import { follow } from '../../../support/providers/followed.ts';
import { QUICKNODE_FREE } from '../../../support/providers/plans.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SHAPES = [
  { chain: 'bitcoin', blockMs: 600_000 },
  { chain: 'litecoin', blockMs: 150_000 },
] as const;

async function followed(shape: (typeof SHAPES)[number], settings: { maxRps?: number } = {}) {
  const make = coinChain({
    ...{ ...shape, transactions: 4, waiting: 4_000, newASecond: 5 },
    ...{ watched: 40, payEvery: 3 },
  });
  const on = await follow({ make, plan: QUICKNODE_FREE, latencyMs: 50, behind: 6, settings });
  const first = on.chain.tip() - 5;
  const { blocks } = await on.catchUp(HOUR_MS);
  const paidOf = (more: number) => on.chain.paid(first, first + blocks + more - 1).toSorted();
  return { on, paidOf };
}

describe('a UTXO chain over a node of a plan', () => {
  test.each(SHAPES)('$chain costs some thousand calls a day, and no payment of a block', async (shape) => {
    const { on, paidOf } = await followed(shape, { maxRps: 15 });
    const { calls, blocks, ms } = await on.stay(4 * HOUR_MS);
    expect(blocks).toBeGreaterThan((3 * HOUR_MS) / shape.blockMs);
    expect((calls * DAY_MS) / ms).toBeLessThan(2_200 + (8 * DAY_MS) / shape.blockMs);
    expect(on.provider.asked.get('getrawmempool')).toBeUndefined();
    expect(on.provider.counts.refused).toBe(0);
    expect(on.recorded().toSorted()).toEqual(paidOf(blocks));
    await on.close();
  });

  test('R7: is not asked any more for what waits, once it has refused calls', async () => {
    const { on, paidOf } = await followed(SHAPES[0]);
    const asked = () => on.provider.asked.get('getrawtransaction') ?? 0;
    const atFirst = asked();
    const { blocks } = await on.stay(HOUR_MS);
    expect(atFirst).toBeLessThan(500);
    expect(asked()).toBe(atFirst);
    expect(on.recorded().toSorted()).toEqual(paidOf(blocks));
    await on.close();
  });
});
