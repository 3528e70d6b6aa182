/**
 * What one node may be asked, against providers as they are: limits of a second and of a day,
 * suspensions, plans that nobody told.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { nodeBudget } from '../../../../../src/adapters/chains/shared/nodes/node-budget.ts';
import {
  type NodeSettings,
  nodeEndpoint,
} from '../../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { NodeLimited } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { inHaste, type Urgency } from '../../../../../src/adapters/chains/shared/nodes/urgency.ts';
import { virtualTime } from '../../../../support/runtime/virtual-time.ts';

const MINUTE_MS = 60_000;

function stage(plan: { perSecond?: number; perDay?: number } = {}) {
  const world = virtualTime();
  const budget = nodeBudget({
    label: 'node 1',
    perSecond: plan.perSecond ?? null,
    perDay: plan.perDay ?? null,
    time: {
      now: world.elapsedMs,
      wall: () => world.now().getTime(),
      after: (ms, work) => void world.timers.after(ms, work),
    },
  });
  const ask = (urgency: Urgency, calls = 1) => inHaste({ urgency }, () => budget.take(calls));
  return { world, budget, ask };
}

/**
 * A provider that serves `limit` calls in any second, and answers no call for `suspendedMs` once
 * there were more.
 */
function provider(limit: number, suspendedMs: number, now: () => number) {
  let served: number[] = [];
  let closedUntil = 0;
  return {
    /** Null, or the milliseconds for which it says to wait. */
    asked(): number | null {
      const at = now();
      if (at < closedUntil) return closedUntil - at;
      served = served.filter((time) => at - time < 1_000);
      if (served.length < limit) {
        served.push(at);
        return null;
      }
      closedUntil = at + suspendedMs;
      return suspendedMs;
    },
  };
}

/** Asks as fast as the budget allows for so long; answers what was served and what was refused. */
async function work(
  { world, budget, ask }: ReturnType<typeof stage>,
  plan: { limit: number; suspendedMs: number; forMs: number; latencyMs?: number },
) {
  const node = provider(plan.limit, plan.suspendedMs, world.elapsedMs);
  const end = world.elapsedMs() + plan.forMs;
  let [servedCalls, refusals] = [0, 0];
  async function worker(): Promise<void> {
    while (world.elapsedMs() < end) {
      const room = await ask('blocks').catch((error: unknown) => error);
      if (room instanceof NodeLimited) continue;
      const wait = node.asked();
      await new Promise<void>((resume) => world.timers.after(plan.latencyMs ?? 60, resume));
      if (wait === null) budget.served(1, 100);
      else budget.refused({ afterMs: wait });
      if (wait === null) servedCalls += 1;
      else refusals += 1;
    }
  }
  await world.until(Promise.all(Array.from({ length: 8 }, worker)), plan.forMs + 10 * MINUTE_MS);
  return { served: servedCalls, refusals };
}

describe('the budget of a node', () => {
  test('R7: in no second more calls go out than the plan has, and none is lost, whatever is asked', async () => {
    const asks = fc.array(fc.record({ after: fc.nat(400), calls: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 4, max: 30 }), asks, async (perSecond, wanted) => {
        const { world, ask } = stage({ perSecond });
        const sent: number[] = [];
        const all = wanted.map(async ({ after, calls }) => {
          await new Promise<void>((resume) => world.timers.after(after, resume));
          await ask('blocks', calls);
          for (let call = 0; call < calls; call++) sent.push(world.elapsedMs());
        });
        await world.until(Promise.all(all));
        expect(sent).toHaveLength(wanted.reduce((sum, { calls }) => sum + calls, 0));
        for (const [first, at] of sent.entries())
          expect(sent.slice(first).filter((later) => later - at < 1_000).length).toBeLessThanOrEqual(
            perSecond,
          );
      }),
      { numRuns: 60 },
    );
  });

  test('payouts go before heads, and heads before blocks and audits', async () => {
    const { world, ask } = stage({ perSecond: 4 });
    const order: Urgency[] = [];
    const asked = (['audit', 'blocks', 'blocks', 'blocks', 'blocks', 'head', 'payout'] as const).map(
      async (urgency) => {
        await ask(urgency);
        order.push(urgency);
      },
    );
    await world.until(Promise.all(asked));
    // The first second had room for three of the patient, and one call that is kept for the urgent.
    expect(order).toEqual(['audit', 'blocks', 'blocks', 'head', 'payout', 'blocks', 'blocks']);
  });

  test('R7: a limit that nobody told is learnt from few refusals, and used to its larger part', async () => {
    for (const limit of [3, 15, 50]) {
      const on = stage();
      const { served, refusals } = await work(on, { limit, suspendedMs: 1_000, forMs: 10 * MINUTE_MS });
      expect(served).toBeGreaterThan(0.6 * limit * 600);
      expect(refusals).toBeLessThan(80);
    }
  });

  test('R7: a key that is suspended for half a minute loses little time by it', async () => {
    const on = stage();
    const { served } = await work(on, { limit: 15, suspendedMs: 30_000, forMs: 30 * MINUTE_MS });
    expect(served).toBeGreaterThan(0.6 * 15 * 1_800);
  });

  test('R7: with the limit in the configuration nothing is ever refused', async () => {
    const on = stage({ perSecond: 15 });
    const { served, refusals } = await work(on, { limit: 15, suspendedMs: 30_000, forMs: 5 * MINUTE_MS });
    expect(refusals).toBe(0);
    expect(served).toBeGreaterThan(0.6 * 15 * 300);
  });

  test('a node that was busy for a moment, and was asked little, is asked on as before', async () => {
    const { world, budget, ask } = stage();
    await ask('payout');
    budget.refused({ afterMs: null });
    await world.until(ask('payout'));
    expect(world.elapsedMs()).toBe(1_000);
    budget.served(1, 100);
    await Promise.all(Array.from({ length: 100 }, () => ask('payout')));
    expect(world.elapsedMs()).toBe(1_000);
  });

  test('a limit that was lifted is found out in time', async () => {
    const on = stage();
    await work(on, { limit: 5, suspendedMs: 1_000, forMs: MINUTE_MS });
    const { served } = await work(on, { limit: 100, suspendedMs: 1_000, forMs: 40 * MINUTE_MS });
    expect(served).toBeGreaterThan(20 * 2_400);
  });

  test('R7: a quarter of an hour of nothing but refusals does not slow the node down for an hour after it', async () => {
    const on = stage();
    await work(on, { limit: 50, suspendedMs: 1_000, forMs: 10 * MINUTE_MS });
    await work(on, { limit: 0, suspendedMs: 1_000, forMs: 15 * MINUTE_MS });
    await work(on, { limit: 50, suspendedMs: 1_000, forMs: 6 * MINUTE_MS });
    const { served } = await work(on, { limit: 50, suspendedMs: 1_000, forMs: 5 * MINUTE_MS });
    expect(served).toBeGreaterThan(10 * 300);
  });

  test('R7: a node is asked again after an hour, however long it says to wait', async () => {
    const { world, budget, ask } = stage();
    budget.refused({ afterMs: 30 * 86_400_000, ofDay: true });
    await world.pass(61 * MINUTE_MS);
    await world.until(ask('payout'));
    expect(world.elapsedMs()).toBe(61 * MINUTE_MS);
  });

  test('what would wait longer than it can is refused at once, and by one of several nodes sooner', async () => {
    const { world, budget, ask } = stage();
    budget.refused({ afterMs: 30_000 });
    await expect(ask('payout')).rejects.toBeInstanceOf(NodeLimited);
    await expect(inHaste({ hasChoice: true }, () => ask('blocks'))).rejects.toBeInstanceOf(NodeLimited);
    expect(world.elapsedMs()).toBe(0);
    await world.until(ask('blocks'));
    expect(world.elapsedMs()).toBe(30_000);
  });

  test('the calls of a day end for audits first and for payouts last, and begin anew at midnight', async () => {
    const { world, budget, ask } = stage({ perDay: 100 });
    const spend = async (urgency: Urgency): Promise<number> => {
      let calls = 0;
      while ((await ask(urgency).catch((error: unknown) => error)) === undefined) calls += 1;
      return calls;
    };
    expect([await spend('audit'), await spend('blocks'), await spend('head'), await spend('payout')]).toEqual(
      [80, 15, 3, 2],
    );
    expect(budget.standing()).toMatchObject({ used: { calls: 100 }, perDay: 100 });
    await world.pass(12 * 60 * MINUTE_MS);
    expect(await spend('audit')).toBe(80);
  });

  test('a restart counts on from what was used before', async () => {
    const { world, budget, ask } = stage({ perDay: 100 });
    const day = Math.floor(world.now().getTime() / 86_400_000);
    budget.recall({ day: day - 1, calls: 90, refusals: 1, bytes: 1 });
    budget.recall({ day, calls: 79, refusals: 2, bytes: 500 });
    await ask('audit');
    await expect(ask('audit')).rejects.toBeInstanceOf(NodeLimited);
    expect(budget.standing()).toMatchObject({ used: { calls: 80, refusals: 2, bytes: 500 } });
  });

  test('calls count for a day after a refusal, and always where a plan is configured', async () => {
    const { world, budget } = stage();
    expect(budget.isMetered).toBe(false);
    budget.refused({ afterMs: null });
    expect(budget.isMetered).toBe(true);
    await world.pass(24 * 60 * MINUTE_MS);
    expect(budget.isMetered).toBe(false);
    const metered = (plan: Partial<NodeSettings>) =>
      nodeEndpoint({ url: 'https://node.example', ...plan }, 0).budget.isMetered;
    expect([metered({}), metered({ maxRps: null, headers: { accept: 'text/plain' } })]).toEqual([
      false,
      false,
    ]);
    for (const plan of [{ maxRps: 5 }, { maxPerDay: 9 }, { pricePerMillionCalls: '3' }, { apiKey: 'k' }])
      expect(metered(plan)).toBe(true);
  });

  test('without limits nothing waits', async () => {
    const { world, ask } = stage();
    await Promise.all(Array.from({ length: 5_000 }, () => ask('audit')));
    expect(world.elapsedMs()).toBe(0);
  });
});
