/**
 * Working off a backlog: everything once, bounded, overlapping, and an orderly end when a step
 * fails or it is told to stop.
 */
import { describe, expect, test } from 'bun:test';
import {
  type ClaimAbout,
  type Pace,
  runPipeline,
  type Steps,
} from '../../../src/app/shared/batch-pipeline.ts';
import { virtualTime } from '../../support/runtime/virtual-time.ts';

const PACE: Pace = {
  begin: { most: 3, more: 2, everyMs: 5 },
  ...{ tickMs: 25, claimAt: 3, lookEvery: 4, record: 5, gather: 3, graceMs: 500 },
};
/** Jobs that may be under way at once, and how many are claimed. */
const PLACES = 4;

/** Steps over the numbers 0 .. `count` - 1 that note what they were asked. */
function stepsOver(count: number, replaced: Partial<Steps<number, number>> = {}) {
  const time = virtualTime();
  const noted = {
    recorded: [] as number[],
    batches: [] as number[][],
    started: [] as number[],
    left: [] as number[],
    mostUnderWay: 0,
  };
  const asked: ClaimAbout[] = [];
  let claimed = 0;
  let ended = 0;
  const steps: Steps<number, number> = {
    async claim(about) {
      asked.push(about);
      if (replaced.claim) return replaced.claim(about);
      const jobs = numbers(Math.min(PLACES - (claimed - ended), count - claimed)).map(
        (index) => claimed + index,
      );
      claimed += jobs.length;
      return jobs;
    },
    waiting: replaced.waiting ?? (() => claimed < count),
    async attempt(job) {
      noted.started.push(job);
      noted.mostUnderWay = Math.max(noted.mostUnderWay, noted.started.length - ended);
      await replaced.attempt?.(job);
      ended += 1;
      return job;
    },
    leave(jobs) {
      noted.left.push(...jobs);
    },
    async record(outcomes) {
      await replaced.record?.(outcomes);
      noted.batches.push([...outcomes]);
      noted.recorded.push(...outcomes);
    },
  };
  const stop = new AbortController();
  const run = () => runPipeline(steps, PACE, { clock: time, timers: time.timers, stop: stop.signal });
  const takes = (ms: number) => new Promise<number>((resolve) => time.timers.after(ms, () => resolve(0)));
  return { time, noted, asked, stop, run, takes };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const never = () => new Promise<number>(() => undefined);

describe('working off a backlog', () => {
  test.each([0, 1, 9, 10, 57])(
    'of %d attempts and records each job once, within its bounds',
    async (count) => {
      const it = stepsOver(count, { attempt: (job) => it.takes((job * 7) % 110) });
      expect(await it.time.until(it.run())).toBe(count);
      expect(it.noted.recorded.toSorted((a, b) => a - b)).toEqual(numbers(count));
      expect(it.noted.mostUnderWay).toBeLessThanOrEqual(PLACES);
      expect(Math.max(0, ...it.noted.batches.map((batch) => batch.length))).toBeLessThanOrEqual(PACE.record);
    },
  );

  test('writes outcomes that come one by one together, within two ticks, and does not keep the last ones back', async () => {
    const ends = [10, 11, 12, 100, 260];
    const it = stepsOver(0, {
      waiting: () => false,
      claim: async ({ look }) => (look && it.noted.started.length === 0 ? numbers(ends.length) : []),
      attempt: (job) => it.takes(ends[job] ?? 0),
    });
    await it.time.until(it.run());
    expect(it.noted.batches).toEqual([[0, 1, 2], [3], [4]]);
  });

  test('goes on with everything else while one attempt hangs', async () => {
    const hanging = Promise.withResolvers<number>();
    const it = stepsOver(40, { attempt: (job) => (job === 2 ? hanging.promise : it.takes(5)) });
    const working = it.run();
    await it.time.pass(2_000);
    expect(it.noted.recorded.toSorted((a, b) => a - b)).toEqual(numbers(40).filter((job) => job !== 2));
    hanging.resolve(2);
    expect(await it.time.until(working)).toBe(40);
    expect(it.noted.recorded).toContain(2);
  });

  /**
   * All jobs are claimed at once; answers how many had begun after each millisecond, and the most
   * that were under way.
   */
  async function begunAtOnce(count: number, took: (job: number) => number) {
    let backlog = [...numbers(count)];
    let underWay = 0;
    let most = 0;
    const it = stepsOver(0, {
      waiting: () => false,
      claim: async () => backlog.splice(0),
      async attempt(job) {
        underWay += 1;
        most = Math.max(most, underWay);
        await it.takes(took(job));
        underWay -= 1;
        return job;
      },
    });
    const working = it.run();
    const begun: number[] = [];
    for (let ms = 0; ms < 20; ms++) {
      await it.time.pass(1);
      begun.push(it.noted.started.length);
    }
    backlog = [];
    expect(await it.time.until(working)).toBe(count);
    return { begun, most };
  }

  test('begins what it claimed a few at a time where attempts end soon, in the order of the claim', async () => {
    const { most } = await begunAtOnce(60, () => 1);
    expect(most).toBe(PACE.begin.most);
  });

  test('begins more at each step beside attempts that take their time, so that they hold nobody up', async () => {
    const { begun } = await begunAtOnce(60, () => 1_000);
    expect([begun[3], begun[6], begun[11], begun[16]]).toEqual([3, 5, 7, 9]);
    const beside = await begunAtOnce(60, (job) => (job < PACE.begin.most ? 1_000 : 1));
    expect(beside.begun[19]).toBeGreaterThan(20);
  });

  test('looks for new jobs while an old attempt hangs, and not more often than it is to', async () => {
    const hanging = Promise.withResolvers<number>();
    const backlog = [[0], [], [], [7]];
    const it = stepsOver(0, {
      waiting: () => false,
      claim: async () => backlog.shift() ?? [],
      attempt: (job) => (job === 0 ? hanging.promise : it.takes(5)),
    });
    const working = it.run();
    await it.time.pass(1_000);
    expect(it.noted.recorded).toEqual([7]);
    expect(it.asked.length).toBeLessThanOrEqual(1 + 1_000 / (PACE.tickMs * PACE.lookEvery));
    hanging.resolve(0);
    expect(await it.time.until(working)).toBe(2);
    expect(it.noted.recorded).toEqual([7, 0]);
  });

  test('says how late its ticks come', async () => {
    const time = virtualTime();
    const late = { after: (ms: number, work: () => void) => time.timers.after(ms + 70, work) };
    const asked: number[] = [];
    const steps: Steps<number, number> = {
      async claim({ lateMs }) {
        asked.push(lateMs);
        return [];
      },
      waiting: () => asked.length < 3,
      attempt: async (job) => job,
      leave: () => undefined,
      record: async () => undefined,
    };
    await time.until(runPipeline(steps, PACE, { clock: time, timers: late }));
    expect(asked).toEqual([0, 70, 70]);
  });

  test('starts nothing more after a failed claim, and records what was under way', async () => {
    let claims = 0;
    const it = stepsOver(0, {
      waiting: () => true,
      claim: async () => {
        claims += 1;
        if (claims === 2) throw new Error('database away');
        return numbers(PLACES);
      },
      attempt: () => it.takes(200),
    });
    await expect(it.time.until(it.run())).rejects.toThrow('database away');
    expect(it.noted.recorded).toEqual(numbers(PLACES));
    expect(claims).toBe(2);
  });

  test('rejects with the first failure of an attempt or a record once nothing runs any more', async () => {
    const broken = stepsOver(40, {
      attempt: async (job) => {
        if (job === 5) throw new Error('a bug');
        return job;
      },
    });
    await expect(broken.time.until(broken.run())).rejects.toThrow('a bug');
    expect(broken.noted.recorded).toHaveLength(broken.noted.started.length - 1);

    const unwritable = stepsOver(40, { record: () => Promise.reject(new Error('disk full')) });
    await expect(unwritable.time.until(unwritable.run())).rejects.toThrow('disk full');
  });

  test('begins nothing that it claimed once it failed, and gives it back', async () => {
    const it = stepsOver(0, {
      waiting: () => false,
      claim: async ({ look }) => (look && it.noted.started.length === 0 ? numbers(20) : []),
      attempt: (job) => (job === 0 ? Promise.reject(new Error('a bug')) : it.takes(50)),
    });
    await expect(it.time.until(it.run())).rejects.toThrow('a bug');
    expect(it.noted.started).toEqual(numbers(PACE.begin.most));
    expect(it.noted.recorded).toEqual([1, 2]);
    expect(it.noted.left).toEqual(numbers(20).slice(PACE.begin.most));
  });

  test('told to stop, records what ends within its time, and leaves the rest to itself', async () => {
    const it = stepsOver(40, { attempt: (job) => (job === 0 ? it.takes(300) : never()) });
    const working = it.run();
    await it.time.pass(10);
    it.stop.abort();
    expect(await it.time.until(working)).toBe(PLACES);
    expect(it.noted.recorded).toEqual([0]);
    expect(it.time.elapsedMs()).toBeLessThanOrEqual(10 + PACE.graceMs + PACE.tickMs);
  });
});
