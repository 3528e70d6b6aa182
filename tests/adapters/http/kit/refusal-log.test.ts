import { expect, test } from 'bun:test';
import { RefusalLog } from '../../../../src/adapters/http/kit/refusal-log.ts';
import { type LogLine, memoryLogger } from '../../../support/runtime/memory-logger.ts';
import { until } from '../../../support/runtime/poll.ts';

test('W4: refusals are told by themselves after a while, those of most callers together, and nothing is told twice', async () => {
  const lines: LogLine[] = [];
  const log = new RefusalLog(memoryLogger(lines), 10);
  for (let caller = 0; caller < 5_000; caller += 1) log.count(`caller ${caller}`);
  for (let time = 0; time < 9; time += 1) log.count('caller 7');
  // Came after as many as are counted apart, so that no number of callers takes memory without end.
  for (let time = 0; time < 50; time += 1) log.count('caller 4999');
  await until('the refusals are told', 5_000, () => lines.length > 0);
  log.tell();
  expect(lines).toHaveLength(1);
  const { refused, by_caller: byCaller, by_others: byOthers } = lines[0]?.fields ?? {};
  expect([refused, byOthers]).toEqual([5_059, 5_059 - 29]);
  expect(Object.entries(byCaller as object)).toHaveLength(20);
  expect(Object.entries(byCaller as object)[0]).toEqual(['caller 7', 10]);
  log.count('one more');
  log.tell();
  expect(lines[1]?.fields).toEqual({ refused: 1, by_caller: { 'one more': 1 }, by_others: 0 });
});
