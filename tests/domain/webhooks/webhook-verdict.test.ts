import { describe, expect, test } from 'bun:test';
import {
  retryDelaySeconds,
  verdictOf,
  WEBHOOK_ATTEMPTS_MAX,
} from '../../../src/domain/webhooks/webhook-verdict.ts';

describe('an answer of the receiver', () => {
  test('2xx ends the delivery, 4xx but 408, 425 and 429 ends it at once, anything else is retried', () => {
    for (let status = 0; status < 1000; status += 1) {
      const later = status === 408 || status === 425 || status === 429;
      const hundred = Math.floor(status / 100);
      const expected = hundred === 2 ? 'delivered' : hundred === 4 && !later ? 'rejected' : 'retry';
      expect(verdictOf(status)).toBe(expected);
    }
  });

  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [301, 'retry'],
    [302, 'retry'],
    [304, 'retry'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [408, 'retry'],
    [410, 'rejected'],
    [425, 'retry'],
    [429, 'retry'],
    [499, 'rejected'],
    [500, 'retry'],
    [503, 'retry'],
  ] as const)('status %d is %s', (status, verdict) => {
    expect(verdictOf(status)).toBe(verdict);
  });
});

describe('the next attempt', () => {
  test.each([
    [1, 30],
    [2, 60],
    [3, 120],
    [4, 300],
    [5, 600],
    [6, 1200],
    [7, 2400],
    [8, 4800],
    [9, 9600],
    [10, null],
    [11, null],
  ])('after attempt %d is due in %p seconds', (attempt, seconds) => {
    expect(retryDelaySeconds(attempt)).toBe(seconds);
  });

  test('is the last one after about 5 hours', () => {
    let seconds = 0;
    for (let attempt = 1; attempt < WEBHOOK_ATTEMPTS_MAX; attempt += 1)
      seconds += retryDelaySeconds(attempt)!;
    expect(WEBHOOK_ATTEMPTS_MAX).toBe(10);
    expect(seconds).toBe(19_110);
  });

  test.each([0, -1, 1.5, Number.NaN])('attempt %p is a bug', (attempt) => {
    expect(() => retryDelaySeconds(attempt)).toThrow(RangeError);
  });
});
