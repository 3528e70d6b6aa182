/** Waits between tries: they grow, they are bounded, and they end by themselves. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ADDRESS_RULE,
  FACTOR_RULE,
  NETWORK_RULE,
  networkOf,
  REGISTRATIONS_RULE,
  TALLY_FORGOTTEN_MS,
  type Tally,
  waitMs,
  withTry,
} from '../../../src/domain/accounts/throttle.ts';
import { NOW } from '../../support/builders.ts';

const after = (ms: number) => new Date(NOW.getTime() + ms);
const rules = fc.constantFrom(ADDRESS_RULE, NETWORK_RULE, FACTOR_RULE, REGISTRATIONS_RULE);

describe('throttle', () => {
  test('free tries wait for nothing, then each waits twice as long, up to the longest', () => {
    const waits = Array.from(
      { length: 20 },
      (_, failures) => waitMs({ failures, lastAt: NOW }, ADDRESS_RULE, NOW) / 1_000,
    );
    expect(waits.slice(0, 14)).toEqual([0, 0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 320, 640, 900]);
    expect(new Set(waits.slice(13))).toEqual(new Set([900]));
  });

  test('a wait never exceeds the longest, shrinks with time, ends by itself, and does not overflow', () => {
    fc.assert(
      fc.property(
        rules,
        fc.nat(100_000),
        fc.integer({ min: -TALLY_FORGOTTEN_MS, max: TALLY_FORGOTTEN_MS }),
        (rule, failures, passed) => {
          const tally = { failures, lastAt: NOW };
          const wait = waitMs(tally, rule, after(passed));
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(rule.longestWaitMs);
          expect(waitMs(tally, rule, after(Math.max(0, passed) + wait))).toBe(0);
          expect(waitMs(tally, rule, after(TALLY_FORGOTTEN_MS))).toBe(0);
          expect(waitMs({ failures: failures + 1, lastAt: NOW }, rule, NOW)).toBeGreaterThanOrEqual(
            waitMs(tally, rule, NOW),
          );
        },
      ),
    );
  });

  test('whoever always tries as soon as possible gets few tries a day', () => {
    const triesOfADay = (rule: typeof ADDRESS_RULE, day: number) => {
      let [tally, now, tries]: [Tally, Date, number] = [{ failures: 0, lastAt: NOW }, NOW, 0];
      while (now < after(day * TALLY_FORGOTTEN_MS)) {
        const wait = waitMs(tally, rule, now);
        now = new Date(now.getTime() + wait);
        tally = withTry(tally, now);
        tries += 1;
      }
      return tries;
    };
    expect(triesOfADay(ADDRESS_RULE, 1)).toBeLessThan(115);
    expect(triesOfADay(ADDRESS_RULE, 10)).toBeLessThan(1_000);
    // Of a million codes three are right: under one in ten thousand a day.
    expect(triesOfADay(FACTOR_RULE, 1)).toBeLessThan(36);
  });

  test('a quiet day forgets everything, and less does not', () => {
    const tally = { failures: 40, lastAt: NOW };
    expect(withTry(tally, after(TALLY_FORGOTTEN_MS - 1)).failures).toBe(41);
    expect(withTry(tally, after(TALLY_FORGOTTEN_MS))).toEqual({
      failures: 1,
      lastAt: after(TALLY_FORGOTTEN_MS),
    });
  });

  test.each([
    ['203.0.113.7', '203.0.113'],
    ['203.0.113.250', '203.0.113'],
    ['::ffff:203.0.113.7', '203.0.113'],
    ['2001:db8:1:2::5', '2001:db8:1'],
    ['2001:0DB8:0001:ffff:1:2:3:4', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0'],
    ['::1', '0:0:0'],
    ['fe80::1', 'fe80:0:0'],
    [null, 'unknown'],
    ['a socket', 'a socket'],
  ])('%s is of the network %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });
});
