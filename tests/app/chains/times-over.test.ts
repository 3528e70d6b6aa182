/** What was kept for long enough: by the earlier of the clock and the chains. */
import { expect, test } from 'bun:test';
import { timesOver } from '../../../src/app/chains/times-over.ts';
import { NOW, secondsAfter } from '../../support/builders.ts';

const DAY = 86_400;

test.each<[string, number | null, number | null]>([
  ['without a time by the chains nothing is over', null, null],
  ['a clock that is ahead of the chains counts as they do', -20, -30],
  ['a clock that is behind the chains counts as it does', 20, -10],
])('K7: %s', async (_, chains, before) => {
  const covered = chains === null ? [] : [['ethereum', secondsAfter(chains * DAY)] as const];
  const repositories = { chains: { coveredUntil: async () => new Map(covered) } };
  const over = await timesOver(
    repositories as unknown as Parameters<typeof timesOver>[0],
    { clock: { now: () => NOW } },
    10,
  );
  expect(over?.before ?? null).toEqual(before === null ? null : secondsAfter(before * DAY));
  if (over !== null) expect(over.from < NOW && over.from > new Date(0)).toBe(true);
});
