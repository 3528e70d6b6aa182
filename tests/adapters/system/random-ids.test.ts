import { describe, expect, test } from 'bun:test';
import { randomIds } from '../../../src/adapters/system/random-ids.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';

function settableClock(startMs: number) {
  let nowMs = startMs;
  return {
    now: () => new Date(nowMs),
    set: (ms: number) => {
      nowMs = ms;
    },
  };
}

describe('ids', () => {
  test('carry the time of the clock in their first 6 bytes, big-endian', () => {
    const ids = randomIds(settableClock(0x0199_aabb_ccdd));
    expect(ids.id()).toMatch(/^0199aabbccdd[0-9a-f]{12}$/);
  });

  test('strictly increase within one millisecond, across milliseconds and when the clock goes back', () => {
    const clock = settableClock(1_700_000_000_000);
    const ids = randomIds(clock);
    const drawn = Array.from({ length: 20_000 }, (_, index) => {
      if (index === 10_000) clock.set(1_700_000_000_001);
      if (index === 15_000) clock.set(1_600_000_000_000);
      return ids.id();
    });
    for (const [index, id] of drawn.entries()) {
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      if (index > 0) expect(id > drawn[index - 1]!).toBe(true);
    }
  });

  test('of two processes differ in the same millisecond', () => {
    const clock = settableClock(1_700_000_000_000);
    expect(randomIds(clock).id()).not.toBe(randomIds(clock).id());
  });

  test('from the system clock are of this moment', () => {
    const before = systemClock.now().getTime();
    const ms = Number.parseInt(randomIds(systemClock).id().slice(0, 12), 16);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(systemClock.now().getTime());
  });
});

describe('uuids and keys', () => {
  const ids = randomIds(systemClock);

  test('a uuid is of version 4', () => {
    expect(ids.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('checkout ids are uuids of version 4 that share 24 random bits for an hour', () => {
    const clock = settableClock(1_700_000_000_000);
    const drawing = randomIds(clock);
    const drawn = Array.from({ length: 1_000 }, () => drawing.checkoutId());
    clock.set(1_700_003_599_999);
    drawn.push(drawing.checkoutId());
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const id of drawn) expect(id).toMatch(uuid);
    expect(new Set(drawn.map((id) => id.slice(0, 6))).size).toBe(1);
    expect(new Set(drawn.map((id) => id.slice(6))).size).toBe(drawn.length);
    const shared = new Set([drawn[0]!.slice(0, 6)]);
    for (let hour = 1; hour <= 3; hour += 1) {
      clock.set(1_700_000_000_000 + hour * 3_600_000);
      shared.add(drawing.checkoutId().slice(0, 6));
    }
    // Not of the time either: another process draws others.
    clock.set(1_700_000_000_000);
    shared.add(randomIds(clock).checkoutId().slice(0, 6));
    expect(shared.size).toBe(5);
  });

  test('a webhook secret is of 32 bytes and never repeats', () => {
    const secrets = Array.from({ length: 100 }, () => ids.webhookSecret());
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  test.each(['live', 'sandbox'] as const)(
    'a %s key names its environment and never repeats',
    (environment) => {
      const keys = Array.from({ length: 100 }, () => ids.apiKey(environment));
      expect(new Set(keys).size).toBe(100);
      for (const key of keys) expect(key).toMatch(new RegExp(`^sk_${environment}_[0-9a-f]{48}$`));
    },
  );
});
