/** How well a chain is followed, whatever its nodes, its blocks and our clock say. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type HealthFacts, healthOf, isLate, isToBeTold } from '../../../src/domain/chains/chain-health.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const before = (seconds: number, at = NOW): Date => new Date(at.getTime() - seconds * 1000);

/** Read to a tip of just now, unless more is said. */
const facts = (given: Partial<HealthFacts> = {}): HealthFacts => ({
  ...{ read: { height: 100, time: NOW }, tip: { height: 100, time: NOW }, answeredAt: NOW },
  ...{ now: NOW, chainNow: NOW, restSeconds: 0, boundSeconds: 600 },
  ...given,
});
const unread = (blocks: number, seconds: number): Partial<HealthFacts> => ({
  read: { height: 100 - blocks, time: before(seconds) },
});

const place = fc.record({
  height: fc.integer({ min: 0, max: 1_000_000 }),
  time: fc.integer({ min: 0, max: 2_000_000 }).map((seconds) => before(seconds)),
});
const anyFacts: fc.Arbitrary<HealthFacts> = fc.record({
  read: fc.option(place),
  tip: fc.option(place),
  answeredAt: fc.option(fc.integer({ min: -5_000, max: 2_000_000 }).map((seconds) => before(seconds))),
  now: fc.constant(NOW),
  chainNow: fc.integer({ min: -5_000, max: 5_000 }).map((seconds) => before(seconds)),
  restSeconds: fc.option(fc.integer({ min: 0, max: 20_000 })),
  boundSeconds: fc.integer({ min: 60, max: 604_800 }),
});

describe('a chain', () => {
  test('is ok at the tip, catching up or behind by the age of what is unread, and away when no node answers', () => {
    const states = [
      facts(),
      facts(unread(5, 60)),
      facts(unread(50, 61)),
      facts(unread(500, 600)),
      facts(unread(500, 601)),
      facts({ answeredAt: before(120) }),
      facts({ answeredAt: before(121) }),
      facts({ read: null }),
    ].map((each) => healthOf(each).state);
    expect(states.join(' ')).toBe('ok ok catching_up catching_up behind ok away never_reached');
  });

  test('is behind when the tip of its nodes is old, unless its blocks come when they like', () => {
    const old = { tip: { height: 100, time: before(700) } };
    expect(healthOf(facts(old))).toEqual({ state: 'behind', lagBlocks: 0, lagSeconds: 700 });
    expect(healthOf(facts({ ...old, restSeconds: 10_800 })).state).toBe('ok');
    expect(healthOf(facts({ ...old, restSeconds: null })).state).toBe('ok');
    // By the other chains it is not old at all: our clock is ahead.
    expect(healthOf(facts({ ...old, chainNow: before(690) })).state).toBe('ok');
  });

  test('R10: is not late because one machine lags: a tip below what was read is no lag', () => {
    const lagging = { tip: { height: 90, time: before(5) } };
    expect(healthOf(facts(lagging))).toEqual({ state: 'ok', lagBlocks: 0, lagSeconds: 0 });
  });

  test('has a lag in whole numbers, never below zero, and is late exactly above the bound', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const health = healthOf(given);
        expect(health.lagBlocks).toBeGreaterThanOrEqual(0);
        expect(health.lagSeconds).toBeGreaterThanOrEqual(0);
        expect(Number.isInteger(health.lagSeconds)).toBe(true);
        const late = isLate(health, given.boundSeconds);
        expect(late).toBe(given.read === null || health.lagSeconds > given.boundSeconds);
        if (health.state === 'ok' || health.state === 'catching_up') expect(late).toBe(false);
        if (health.state === 'behind') expect(late).toBe(true);
      }),
    );
  });

  test('gets no better by silence', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 0, max: 100_000 }), (given, seconds) => {
        const later = { ...given, now: before(-seconds) };
        expect(healthOf(later).lagSeconds).toBeGreaterThanOrEqual(healthOf(given).lagSeconds);
      }),
    );
  });

  test('K7: is the same by any clock of ours that runs evenly, where other chains tell the time', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: -100_000, max: 100_000 }), (given, seconds) => {
        fc.pre(given.answeredAt !== null);
        const answeredAt = before(-seconds, given.answeredAt ?? NOW);
        expect(healthOf({ ...given, answeredAt, now: before(-seconds) })).toEqual(healthOf(given));
      }),
    );
  });
});

describe('an alarm', () => {
  test('is raised at once, again after an hour, and then after twice as long, at most a day', () => {
    const due = (times: number, hours: number) => isToBeTold({ at: before(hours * 3_600), times }, NOW);
    expect(isToBeTold(null, NOW)).toBe(true);
    expect([due(1, 0.99), due(1, 1), due(2, 1.99), due(2, 2), due(9, 23.9), due(9, 24)]).toEqual([
      ...[false, true, false, true, false, true],
    ]);
  });
});
