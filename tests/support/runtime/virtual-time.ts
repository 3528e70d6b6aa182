/**
 * A clock and timers that jump from one timer to the next: hours of waiting in milliseconds, and
 * the same order every time.
 */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/ports/runtime/clock.ts';
import type { Timers } from '../../../src/ports/runtime/timers.ts';

export interface VirtualTime extends Clock {
  readonly timers: Timers;
  /** Milliseconds since the beginning. */
  elapsedMs(): number;
  /** Lets `ms` pass, with everything that is due in it. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the promise is settled, at most `mostMs`. */
  until<T>(promise: Promise<T>, mostMs?: number): Promise<T>;
}

const IDLE_ROUNDS = 20_000;
const BEGAN_AT = Date.parse('2026-06-01T12:00:00Z');

export function virtualTime(): VirtualTime {
  /** In the order of their times; those of one time in the order of their making. */
  const pending: { readonly at: number; readonly nth: number; readonly work: () => void }[] = [];
  let now = 0;
  let made = 0;

  function place(at: number, nth: number): number {
    let [low, high] = [0, pending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { at: there, nth: other } = pending[middle] ?? { at: 0, nth: 0 };
      if (there < at || (there === at && other < nth)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async function runDue(end: number, isOver: () => boolean): Promise<void> {
    await setImmediate();
    for (let next = pending[0]; next !== undefined && next.at <= end && !isOver(); next = pending[0]) {
      now = next.at;
      // What is due at one moment happens at one moment.
      while (pending[0]?.at === now) pending.shift()?.work();
      await setImmediate();
    }
  }

  return {
    now: () => new Date(BEGAN_AT + now),
    elapsedMs: () => now,
    timers: {
      after(ms, work) {
        made += 1;
        const timer = { at: now + Math.max(0, ms), nth: made, work };
        pending.splice(place(timer.at, timer.nth), 0, timer);
        return () => {
          const index = pending.indexOf(timer);
          if (index !== -1) pending.splice(index, 1);
        };
      },
    },

    async pass(ms) {
      const end = now + ms;
      await runDue(end, () => false);
      now = end;
    },

    async until(promise, mostMs = 3_600_000) {
      let settled = false;
      const watched = promise.finally(() => {
        settled = true;
      });
      watched.catch(() => undefined);
      const end = now + mostMs;
      await runDue(end, () => settled);
      // Long work that gives way to others meanwhile waits for no timer.
      for (let idle = 0; !settled && pending.length === 0 && idle < IDLE_ROUNDS; idle++)
        await runDue(end, () => settled);
      if (!settled) throw new Error(`nothing happened within ${mostMs} ms`);
      return watched;
    },
  };
}
