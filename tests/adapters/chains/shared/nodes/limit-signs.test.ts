/** The words of real providers for "too often", and words of theirs that mean something else. */
import { describe, expect, test } from 'bun:test';
import { limitIn, limitInError } from '../../../../../src/adapters/chains/shared/nodes/limit-signs.ts';

const answer = (status: number, body: unknown, retryAfter: string | null = null) => ({
  status,
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  retryAfter,
  date: 'Sun, 22 Nov 2026 10:00:00 GMT',
});
const SUSPENDED = 'The key exceeds the frequency limit(15), and the query server is suspended for';

describe('what a provider says of its limit', () => {
  test.each([
    ['a 429 without more', answer(429, '<html>Too many requests</html>'), { afterMs: null, ofDay: false }],
    ['Retry-After in seconds', answer(429, '', '7'), { afterMs: 7_000, ofDay: false }],
    ["TronGrid's suspension", answer(403, { Error: `${SUSPENDED} 27 s` }), { afterMs: 27_000 }],
    [
      'the same with 429 and no blank',
      answer(429, { Error: `${SUSPENDED} 30s` }),
      { afterMs: 30_000, ofDay: false },
    ],
    ['the same with 200', answer(200, { Error: `${SUSPENDED} 3 s` }), { afterMs: 3_000 }],
    [
      "Infura's second",
      answer(429, {
        error: {
          code: -32005,
          message: 'daily request count exceeded, request rate limited',
          data: { rate: { backoff_seconds: 30 } },
        },
      }),
      { afterMs: 30_000, ofDay: false },
    ],
    ['a day without more', answer(429, 'daily request limit reached'), { afterMs: null, ofDay: true }],
    ['402: the credits are gone', answer(402, ''), { afterMs: null, ofDay: true }],
    ['a gateway that is too busy', answer(503, 'rate limit exceeded', '2'), { afterMs: 2_000 }],
  ])('R7: is understood: %s', (_, given, meant) => {
    expect(limitIn(given)).toEqual(meant);
  });

  test("R7: a date in Retry-After counts from the answer's own", () => {
    expect(limitIn(answer(429, '', 'Sun, 22 Nov 2026 10:01:05 GMT'))?.afterMs).toBe(65_000);
    expect(limitIn(answer(429, '', 'Sun, 22 Nov 2026 09:00:00 GMT'))?.afterMs).toBe(0);
    expect(limitIn(answer(429, '', 'soon'))?.afterMs).toBeNull();
  });

  test.each([
    ['an answer', answer(200, { result: 'the rate limit of this page' })],
    ['a broken gateway', answer(502, 'Bad gateway')],
    ['a key that is wrong', answer(403, { message: 'Forbidden' })],
    [
      'a big answer that has the words in it',
      answer(200, `"suspended for 3 s, rate limit" ${' '.repeat(3_000)}`),
    ],
  ])('is not read into %s', (_, given) => {
    expect(limitIn(given)).toBeNull();
  });

  test.each([
    [429, 'Your app has exceeded its compute units per second capacity.'],
    [-32005, 'project ID request rate exceeded'],
    [-32005, 'limit exceeded'],
    [
      -32007,
      '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
    ],
    [-32429, 'rate limited'],
    [0, 'Ratelimit exceed'],
  ])('R7: code %d is a limit: %s', (code, message) => {
    expect(limitInError({ code, message })).not.toBeNull();
  });

  test.each([
    [-32005, 'query returned more than 10000 results'],
    [-32602, 'block range is too wide'],
    [-32600, 'debug_traceBlockByHash is not available on the Free tier'],
    [-32000, 'header not found'],
    [-32005, 'Node is behind by 42 slots'],
    [-32007, 'Slot 10 was skipped, or missing due to ledger jump to recent snapshot'],
    [3, 'execution reverted'],
  ])('code %d is none: %s', (code, message) => {
    expect(limitInError({ code, message })).toBeNull();
  });
});
