/**
 * A plan's calls of a day, counted over processes that run side by side, are restarted and are
 * killed.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { nodeCallCount } from '../../../src/app/chains/count-node-calls.ts';
import type { ChainNodes, UsedOfDay } from '../../../src/ports/chains/chain-nodes.ts';
import type { NodeUsageRepository } from '../../../src/ports/chains/node-usage.ts';
import type { Repositories, UnitOfWork } from '../../../src/ports/repositories.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const nothing = (day: number): UsedOfDay => ({ day, calls: 0, refusals: 0, bytes: 0 });
const plus = (a: UsedOfDay, b: UsedOfDay): UsedOfDay => ({
  ...{ day: a.day, calls: a.calls + b.calls },
  ...{ refusals: a.refusals + b.refusals, bytes: a.bytes + b.bytes },
});

/** What is noted of one node, in memory. */
function notes() {
  const days = new Map<number, UsedOfDay>();
  const repository: NodeUsageRepository = {
    add: async (uses) =>
      uses.map(({ used }) => {
        const sum = plus(days.get(used.day) ?? nothing(used.day), used);
        days.set(used.day, sum);
        return sum;
      }),
    since: async () => [],
    forgetBefore: async () => {},
  };
  const unitOfWork: UnitOfWork = {
    run: (work) => work({ nodeUsage: repository } as Repositories),
  };
  return { days, unitOfWork };
}

function aProcess(unitOfWork: UnitOfWork) {
  let used = nothing(0);
  const nodes: ChainNodes = {
    standings: () => [{ node: 'node 1 (a)', state: 'able', used, perSecond: null, perDay: null }],
    recall(_, earlier) {
      if (earlier.day === used.day) used = plus(used, earlier);
    },
  };
  return {
    count: nodeCallCount({ clock: testClock(), unitOfWork }, new Map([['tron', nodes]])),
    used: () => used,
    call: (day: number) => {
      used = plus(used.day === day ? used : nothing(day), { day, calls: 1, refusals: 0, bytes: 9 });
    },
  };
}

const step = fc.record({
  who: fc.integer({ min: 0, max: 2 }),
  does: fc.constantFrom('call', 'call', 'call', 'count', 'restart', 'midnight'),
});

test('is exact where processes end in order, and each knows of all calls that were counted before its own count', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { days, unitOfWork } = notes();
      let day = 0;
      const made = new Map<number, number>();
      const processes = [aProcess(unitOfWork), aProcess(unitOfWork), aProcess(unitOfWork)];
      for (const { who, does } of steps) {
        const one = processes[who];
        if (!one) throw new Error('no such process');
        if (does === 'call') {
          one.call(day);
          made.set(day, (made.get(day) ?? 0) + 1);
        } else {
          if (does === 'midnight') {
            // What is not counted yet when a day ends is lost, so all count before.
            for (const each of processes) await each.count();
            day += 1;
          } else await one.count();
          if (does === 'count' && one.used().day === day)
            expect(one.used().calls).toBe(days.get(day)?.calls ?? 0);
          if (does === 'restart') processes[who] = aProcess(unitOfWork);
        }
      }
      for (const each of processes) await each.count();
      for (const [of, calls] of made) expect(days.get(of)?.calls).toBe(calls);
    }),
  ));

test('loses a killed process’s last minute, and counts nothing twice', async () => {
  const { days, unitOfWork } = notes();
  const killed = aProcess(unitOfWork);
  for (let call = 0; call < 5; call += 1) killed.call(0);
  await killed.count();
  killed.call(0);
  const next = aProcess(unitOfWork);
  await next.count();
  next.call(0);
  await next.count();
  await next.count();
  expect([days.get(0)?.calls, next.used().calls, next.used().bytes]).toEqual([6, 6, 54]);
});
