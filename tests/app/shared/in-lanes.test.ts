import { expect, test } from 'bun:test';
import { inLanes } from '../../../src/app/shared/in-lanes.ts';

test('so many are under way at a time, in their order, and all are done', async () => {
  const begun: number[] = [];
  let [running, most] = [0, 0];
  await inLanes(
    [1, 2, 3, 4, 5],
    async (item) => {
      begun.push(item);
      running += 1;
      most = Math.max(most, running);
      await Bun.sleep(1);
      running -= 1;
    },
    2,
  );
  expect([begun, most, running]).toEqual([[1, 2, 3, 4, 5], 2, 0]);
});

test('a failure begins nothing more, and is told once what is under way has ended', async () => {
  const ended: string[] = [];
  const slow = Promise.withResolvers<void>();
  const works = {
    fails: () => Promise.reject(new Error('this one')),
    slow: () => slow.promise.then(() => void ended.push('slow')),
    later: async () => void ended.push('later'),
  };
  const all = inLanes(['fails', 'slow', 'later'] as const, (name) => works[name](), 2);
  setTimeout(slow.resolve, 5);
  await expect(all).rejects.toThrow('this one');
  expect(ended).toEqual(['slow']);
});
