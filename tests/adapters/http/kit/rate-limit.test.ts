import { describe, expect, test } from 'bun:test';
import { RateLimiter } from '../../../../src/adapters/http/kit/rate-limit.ts';
import { harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

describe('the bucket', () => {
  test('takes a minute’s worth at once, then refuses until the named wait is over', () => {
    const limiter = new RateLimiter(5);
    for (let at = 0; at < 5; at += 1) expect(limiter.take('a', 0)).toBeNull();
    expect(limiter.take('a', 0)).toBe(12);
    expect(limiter.take('a', 11_999)).toBe(1);
    expect(limiter.take('a', 12_000)).toBeNull();
    expect(limiter.take('a', 12_000)).toBe(12);
  });

  test('keeps callers apart, never grows beyond its bound, and survives a clock that steps back', () => {
    const limiter = new RateLimiter(1, 100);
    expect(limiter.take('a', 1_000)).toBeNull();
    expect(limiter.take('b', 1_000)).toBeNull();
    expect(limiter.take('a', 0)).not.toBeNull();
    for (let caller = 0; caller < 1_000; caller += 1) limiter.take(`caller ${caller}`, 2_000);
    expect(limiter.size).toBe(100);
  });

  test('0 switches it off', () => {
    const limiter = new RateLimiter(0);
    for (let at = 0; at < 1_000; at += 1) expect(limiter.take('a', 0)).toBeNull();
    expect(limiter.size).toBe(0);
  });
});

describe('the API', () => {
  test('refuses a key that is used too often with 429 and Retry-After, also when its requests fail', async () => {
    const { call, sandboxKey } = await openHarness({ config: { rateLimitPerMinute: 3 } });
    expect((await call('GET', '/api/v2/balance')).status).toBe(200);
    expect((await call('POST', '/api/v2/invoices', { body: {} })).status).toBe(422);
    expect((await call('GET', '/api/v2/nothing')).status).toBe(404);
    const refused = await call('GET', '/api/v2/balance');
    expect(refused.status).toBe(429);
    expect(refused.json.error.code).toBe('RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toBe('20');
    expect((await call('GET', '/api/v2/balance', { key: sandboxKey })).status).toBe(200);
    harnessClock.advance(20);
    expect((await call('GET', '/api/v2/balance')).status).toBe(200);
  });

  test('counts requests without a valid key by address, and does not touch good keys on the same address', async () => {
    const { call } = await openHarness({ config: { rateLimitPerMinute: 2 } });
    expect((await call('GET', '/api/v2/balance', { key: null })).status).toBe(401);
    expect((await call('GET', '/api/v2/balance', { key: 'sk_live_wrong' })).status).toBe(401);
    expect((await call('GET', '/api/v2/balance', { key: null })).status).toBe(429);
    expect((await call('GET', '/api/v2/balance', { key: null, from: '203.0.113.9' })).status).toBe(401);
    expect((await call('GET', '/api/v2/balance')).status).toBe(200);
  });

  test('limits the checkout by address, with a page', async () => {
    const { call } = await openHarness({ config: { rateLimitPerMinute: 1 } });
    const path = '/checkout/00000000-0000-4000-8000-000000000000';
    expect((await call('GET', path)).status).toBe(404);
    const refused = await call('GET', path);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.text).toContain('Too many requests');
  });
});
