/** When a session is over, and what it may do. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  isFresh,
  isFreshSignIn,
  isOver,
  SECOND_FACTOR_FRESH_MS,
  SECOND_FACTOR_PATIENCE_MS,
  SESSION_IDLE_MS,
  SESSION_LONGEST_MS,
  stageOf,
} from '../../../src/domain/accounts/session.ts';
import { NOW } from '../../support/builders.ts';

const ago = (ms: number) => new Date(NOW.getTime() - ms);

describe('sessions', () => {
  const when = fc.record({
    age: fc.integer({ min: 0, max: 2 * SESSION_LONGEST_MS }),
    idle: fc.integer({ min: 0, max: 2 * SESSION_IDLE_MS }),
    stage: fc.constantFrom('password' as const, 'enrolling' as const, 'complete' as const),
  });

  test('a session is over by its age, by idleness, or waiting for its second factor, and stays over', () => {
    fc.assert(
      fc.property(when, fc.nat(10 * SESSION_LONGEST_MS), ({ age, idle, stage }, later) => {
        const session = { stage, createdAt: ago(age), lastSeenAt: ago(Math.min(age, idle)) };
        const over = isOver(session, NOW);
        expect(over).toBe(
          age >= SESSION_LONGEST_MS ||
            Math.min(age, idle) >= SESSION_IDLE_MS ||
            (stage === 'password' && age >= SECOND_FACTOR_PATIENCE_MS),
        );
        if (over) expect(isOver(session, new Date(NOW.getTime() + later))).toBe(true);
      }),
    );
  });

  test('whoever has a second factor must have given it, and an operator without one sets it up', () => {
    const stages = [true, false].flatMap((has) =>
      [null, 'viewer' as const].flatMap((operatorRole) =>
        [null, NOW].map((secondFactorAt) => stageOf({ secondFactorAt }, { operatorRole }, has)),
      ),
    );
    expect(stages).toEqual([
      ...(['password', 'complete', 'password', 'complete'] as const),
      ...(['complete', 'complete', 'enrolling', 'enrolling'] as const),
    ]);
  });

  test('a second factor is fresh for a quarter of an hour', () => {
    expect(isFresh({ secondFactorAt: null }, NOW)).toBe(false);
    expect(isFresh({ secondFactorAt: ago(SECOND_FACTOR_FRESH_MS - 1) }, NOW)).toBe(true);
    expect(isFresh({ secondFactorAt: ago(SECOND_FACTOR_FRESH_MS) }, NOW)).toBe(false);
  });

  test('a first second factor is set up within half an hour of the sign-in', () => {
    const halfAnHour = 30 * 60_000;
    expect(isFreshSignIn({ createdAt: ago(halfAnHour - 1) }, NOW)).toBe(true);
    expect(isFreshSignIn({ createdAt: ago(halfAnHour) }, NOW)).toBe(false);
  });
});
