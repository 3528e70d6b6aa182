/**
 * An old key that ends soon is told of once, while its merchant has not called with the new one.
 */
import { expect, test } from 'bun:test';
import { tellEndingKeys } from '../../../src/app/merchants/warn-ending-keys.ts';
import type { EndingKey } from '../../../src/ports/merchants/merchant-repository.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const HOUR = 3_600;

test('a key is told of two hours before it ends, once, and again when its end was put off', async () => {
  const clock = testClock();
  const lines: LogLine[] = [];
  const at = (hours: number) => new Date(clock.now().getTime() + hours * HOUR * 1_000);
  let keys: EndingKey[] = [{ merchantId: 'a', environment: 'live', until: at(3) }];
  const merchants = {
    keysEndingUnfollowed: async (now: Date, until: Date) =>
      keys.filter((key) => key.until > now && key.until <= until),
  };
  const look = tellEndingKeys({
    ...{ clock, logger: memoryLogger(lines) },
    unitOfWork: { run: (work) => work({ merchants } as never) },
  });
  await look();
  expect(lines).toEqual([]);
  clock.advance(HOUR);
  for (let time = 0; time < 2; time += 1) await look();
  const told = lines.map(({ event, fields }) => [event, fields]);
  expect(told).toEqual([['merchant.old_key_ends', { ...keys[0] }]]);
  keys = [{ merchantId: 'a', environment: 'live', until: at(1) }];
  await look();
  expect(lines).toHaveLength(2);
});
