/** Working off a backlog: everything once, bounded, overlapping, and an orderly end when a step fails. */
import { describe, expect, test } from 'bun:test';
import { type Pace, type Steps, workOff } from '../../src/app/work-off.ts';

const PACE: Pace = { claim: 10, claimAt: 3, inFlight: 4, record: 5, gather: 3, gatherMs: 1, againMs: 5 };

/** Steps over the numbers 0 .. `count` - 1 that note what they were asked; each is one turn long unless replaced. */
function stepsOver(count: number, replaced: Partial<Steps<number, number>> = {}) {
  const noted = { recorded: [] as number[], started: 0, inFlightMax: 0, unstartedMax: 0, batchMax: 0 };
  let claimed = 0;
  let inFlight = 0;
  const steps: Steps<number, number> = {
    async claim(limit) {
      const jobs = Array.from({ length: Math.min(limit, count - claimed) }, (_, index) => claimed + index);
      claimed += jobs.length;
      noted.unstartedMax = Math.max(noted.unstartedMax, claimed - noted.started);
      return jobs;
    },
    async attempt(job) {
      noted.started++;
      noted.inFlightMax = Math.max(noted.inFlightMax, ++inFlight);
      for (let turn = 0; turn < (job * 7) % 11; turn++) await Promise.resolve();
      await replaced.attempt?.(job);
      inFlight--;
      return job;
    },
    async record(outcomes) {
      await replaced.record?.(outcomes);
      noted.batchMax = Math.max(noted.batchMax, outcomes.length);
      noted.recorded.push(...outcomes);
    },
    ...(replaced.claim ? { claim: replaced.claim } : {}),
  };
  return { steps, noted };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('working off a backlog', () => {
  test.each([0, 1, 9, 10, 11, 57])(
    'of %d attempts and records each job once, within its bounds',
    async (count) => {
      const { steps, noted } = stepsOver(count);
      expect(await workOff(steps, PACE)).toBe(count);
      expect(noted.recorded.toSorted((a, b) => a - b)).toEqual(numbers(count));
      expect(noted.inFlightMax).toBeLessThanOrEqual(PACE.inFlight);
      expect(noted.unstartedMax).toBeLessThanOrEqual(PACE.claim + PACE.claimAt);
      expect(noted.batchMax).toBeLessThanOrEqual(PACE.record);
    },
  );

  test('writes outcomes that come one by one together, and does not keep the last ones back', async () => {
    const batches: number[] = [];
    const { steps, noted } = stepsOver(8, {
      attempt: async (job) => {
        await Bun.sleep(job * 2);
        return job;
      },
      record: async (outcomes) => void batches.push(outcomes.length),
    });
    await workOff(steps, { ...PACE, gatherMs: 60_000 });
    expect(batches).toEqual([3, 3, 2]);
    expect(noted.recorded).toEqual(numbers(8));
  });

  test('writes fewer outcomes than a batch after a while, whatever is still under way', async () => {
    const hanging = Promise.withResolvers<number>();
    const { steps, noted } = stepsOver(2, {
      attempt: (job) => (job === 0 ? hanging.promise : Promise.resolve(job)),
    });
    const working = workOff(steps, { ...PACE, gatherMs: 5 });
    while (noted.recorded.length < 1) await Bun.sleep(0);
    expect(noted.recorded).toEqual([1]);
    hanging.resolve(0);
    expect(await working).toBe(2);
  });

  test('finds new jobs while an old attempt hangs', async () => {
    const hanging = Promise.withResolvers<number>();
    const backlog = [[0], [], [], [7]];
    const { steps, noted } = stepsOver(0, {
      claim: async () => backlog.shift() ?? [],
      attempt: (job) => (job === 0 ? hanging.promise : Promise.resolve(job)),
    });
    const working = workOff(steps, PACE);
    while (!noted.recorded.includes(7)) await Bun.sleep(0);
    hanging.resolve(0);
    expect(await working).toBe(2);
    expect(noted.recorded).toEqual([7, 0]);
  });

  test('goes on with everything else while one attempt hangs', async () => {
    const hanging = Promise.withResolvers<number>();
    const { steps, noted } = stepsOver(40, {
      attempt: (job) => (job === 2 ? hanging.promise : Promise.resolve(job)),
    });
    const working = workOff(steps, PACE);
    while (noted.recorded.length < 39) await Bun.sleep(0);
    expect(noted.recorded).not.toContain(2);
    hanging.resolve(2);
    expect(await working).toBe(40);
    expect(noted.recorded).toContain(2);
  });

  test('starts nothing more after a failed claim, and records what was under way', async () => {
    let claims = 0;
    const { steps, noted } = stepsOver(0, {
      claim: async (limit) => {
        if (++claims === 2) throw new Error('database away');
        return numbers(limit);
      },
    });
    await expect(workOff(steps, PACE)).rejects.toThrow('database away');
    expect(noted.recorded.length).toBe(noted.started);
    expect(noted.started).toBeGreaterThan(0);
    expect(claims).toBe(2);
  });

  test('rejects with the first failure of an attempt or a record once nothing runs any more', async () => {
    const broken = stepsOver(40, {
      attempt: async (job) => {
        if (job === 5) throw new Error('a bug');
        return job;
      },
    });
    await expect(workOff(broken.steps, PACE)).rejects.toThrow('a bug');
    expect(broken.noted.recorded).toHaveLength(broken.noted.started - 1);

    const unwritable = stepsOver(40, { record: () => Promise.reject(new Error('disk full')) });
    await expect(workOff(unwritable.steps, PACE)).rejects.toThrow('disk full');
  });
});
