/** A clock that tests move by hand; it stands still otherwise. */
import type { Clock } from '../../../src/ports/runtime/clock.ts';

export interface TestClock extends Clock {
  advance(seconds: number): void;
}

export function testClock(start = new Date('2026-06-01T12:00:00Z')): TestClock {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    advance(seconds) {
      now += seconds * 1000;
    },
  };
}
