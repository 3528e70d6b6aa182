import { expect, test } from 'bun:test';
import { purgeUniqIds } from '../../../src/app/payouts/purge-used-keys.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { NOW, secondsAfter } from '../../support/builders.ts';

test.each([
  ['an hour after they ended', NOW, -3_600],
  ['by the time of the chains where the own clock is ahead', secondsAfter(-7_200), -10_800],
  ['by the own clock where the chains are ahead', secondsAfter(60), -3_600],
])('K7: used X-Uniq-Ids are deleted %s', async (_, chainTime, seconds) => {
  const asked: Date[] = [];
  const repositories = {
    chains: { coveredUntil: async () => new Map([['ethereum', chainTime]]) },
    payouts: {
      purgeUniqIds: async (expiredBefore: Date) => {
        asked.push(expiredBefore);
        return 3;
      },
    },
  } as unknown as Repositories;
  const unitOfWork = { run: <T>(work: (all: Repositories) => Promise<T>) => work(repositories) };
  expect(await purgeUniqIds({ clock: { now: () => NOW }, unitOfWork })(10)).toBe(3);
  expect(asked).toEqual([secondsAfter(seconds)]);
});
