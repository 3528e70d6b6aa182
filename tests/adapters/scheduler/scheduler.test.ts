/** What is due is run by a clock that only goes forward, and what is handed on is run at once. */
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { scheduler } from '../../../src/adapters/scheduler/scheduler.ts';
import { until } from '../../support/runtime/poll.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';

const THREE_HOURS_MS = 3 * 3_600_000;
let errorMs = 0;
const [startedAt, realNow] = [performance.now(), Date.now()];
/** The machine's clock goes on, wrong by `errorMs`. */
const ticking = setInterval(() => setSystemTime(realNow + performance.now() - startedAt + errorMs), 20);
afterEach(() => {
  clearInterval(ticking);
  setSystemTime();
});

test('K7: a clock that was ahead and is set right keeps no job waiting', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  errorMs = THREE_HOURS_MS;
  const jobs = scheduler([{ name: 'read-the-chain', everyMs: 100, run }], { logger: silentLogger });
  jobs.start();
  await until('it ran', 10_000, () => runs > 0);
  errorMs = 0;
  const before = runs;
  await until('it ran again', 10_000, () => runs > before);
  await jobs.stop(1_000);
  expect(runs).toBeGreaterThan(before);
});

test('R11: a job that is told of work runs at once, one run at a time, and hears of the stop', async () => {
  const [runs, gates] = [[] as number[], [Promise.withResolvers<void>(), Promise.withResolvers<void>()]];
  let due = (): void => {};
  let isStopping = false;
  const listens = {
    ...{ name: 'follows', everyMs: 3_600_000 },
    listen(wake: () => void, stopping: AbortSignal) {
      due = wake;
      stopping.addEventListener('abort', () => {
        isStopping = true;
      });
    },
    async run() {
      runs.push(performance.now());
      await gates[runs.length - 1]?.promise;
    },
  };
  const jobs = scheduler([listens], { logger: silentLogger });
  due();
  expect(runs.length).toBe(0);
  jobs.start();
  due();
  expect(runs.length).toBe(1);
  for (let times = 0; times < 5; times += 1) due();
  gates[0]?.resolve();
  await Bun.sleep(1);
  expect(runs.length).toBe(2);
  gates[1]?.resolve();
  await jobs.stop(1_000);
  due();
  expect([runs.length, isStopping]).toEqual([2, true]);
});

test('W1: a job that work is handed on to while it runs, runs again at once and not at its next time', async () => {
  const looked: number[] = [];
  let left = 0;
  const first = Promise.withResolvers<void>();
  const jobs = scheduler(
    [
      {
        name: 'takes',
        everyMs: 3_600_000,
        async run() {
          looked.push(left);
          if (looked.length === 1) await first.promise;
        },
      },
      {
        name: 'leaves',
        everyMs: 3_600_000,
        handsOnTo: ['takes'],
        async run() {
          left += 1;
        },
      },
    ],
    { logger: silentLogger },
  );
  jobs.start();
  await until('work was left', 10_000, () => left === 1 && looked.length === 1);
  first.resolve();
  await until('it was taken', 10_000, () => looked.length === 2);
  await jobs.stop(1_000);
  expect(looked).toEqual([0, 1]);
});
