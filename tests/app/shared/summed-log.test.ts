/** Warnings that repeat are one line now and then, and none that is another's is held back. */
import { expect, test } from 'bun:test';
import { summedUp } from '../../../src/app/shared/summed-log.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

test('a chain that cannot be read for two hours is a handful of lines, which count the times between them', () => {
  const [lines, clock] = [[] as LogLine[], testClock()];
  const logger = summedUp(memoryLogger(lines), clock).with({ process: 1 });
  for (let second = 0; second < 7_200; second += 1) {
    logger.warn('chain.unreadable', { chain: 'tron', reason: `try ${second}` });
    clock.advance(1);
  }
  expect(lines.map(({ fields }) => fields.times ?? null)).toEqual([null, 60, 120, 240, 480, 960, 1_920]);
  expect(lines[0]?.fields).toEqual({ process: 1, chain: 'tron', reason: 'try 0' });

  logger.warn('chain.unreadable', { chain: 'ton', reason: 'another chain' });
  logger.warn('chain.unsendable', { chain: 'tron', reason: 'another event' });
  logger.error('chain.late', { chain: 'tron' });
  logger.error('chain.late', { chain: 'tron' });
  expect(lines.slice(7).map(({ event }) => event)).toEqual([
    ...(['chain.unreadable', 'chain.unsendable', 'chain.late', 'chain.late'] as const),
  ]);

  clock.advance(600);
  logger.warn('chain.unreadable', { chain: 'tron', reason: 'again, after a rest' });
  expect(lines.at(-1)?.fields).toEqual({ process: 1, chain: 'tron', reason: 'again, after a rest' });
});
