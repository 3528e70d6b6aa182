/**
 * When a payment was made, whatever time the clock says it is: what is older than an invoice is
 * never that invoice's.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  isOlderThan,
  type PaymentTime,
  timeOfPayment,
  waitsAt,
} from '../../../src/domain/chains/payment-time.ts';

const DAY = 86_400;
const NOW = 1_800_000_000;
const dateOf = (seconds: number): Date => new Date(seconds * 1000);
/** By how many seconds the clock is ahead. */
const ERROR = fc.integer({ min: -DAY, max: DAY });
const AHEAD = fc.integer({ min: 0, max: DAY });
const SECONDS = fc.integer({ min: 0, max: 2 * DAY });
/** The newest block is up to a minute old. */
const TIP_AGE = fc.integer({ min: 0, max: 60 });

/** A payment so many seconds ago in a block that is read now. */
function paid(
  of: { ago: number; error: number; tipAge: number },
  family: 'evm' | 'bitcoin' = 'evm',
): PaymentTime {
  const now = { tipTime: NOW - of.tipAge, at: dateOf(NOW + of.error) };
  return timeOfPayment(family, NOW - of.ago, now);
}
const madeAgo = (seconds: number, error: number): Date => dateOf(NOW - seconds + error);

describe('a payment that was made', () => {
  test('K6: before an invoice is older than it, also by a clock that is ahead, from three minutes on', () => {
    fc.assert(
      fc.property(AHEAD, TIP_AGE, SECONDS, SECONDS, (error, tipAge, ago, before) => {
        const payment = paid({ ago: ago + 181 + before, error, tipAge });
        expect(isOlderThan(payment, madeAgo(ago, error))).toBe(true);
      }),
    );
  });

  test('K6: after an invoice is never older than it, however late it is read, unless the clock was ahead and no longer is', () => {
    fc.assert(
      fc.property(ERROR, ERROR, TIP_AGE, SECONDS, SECONDS, (atFirst, error, tipAge, ago, after) => {
        fc.pre(atFirst <= Math.max(0, error));
        const payment = paid({ ago: Math.max(tipAge, ago - after), error, tipAge });
        expect(isOlderThan(payment, madeAgo(Math.max(tipAge, ago), atFirst))).toBe(false);
      }),
    );
  });

  test('K6: after an invoice is never older than it when it is read within a minute, whatever the clock said or says', () => {
    fc.assert(
      fc.property(ERROR, ERROR, TIP_AGE, SECONDS, (atFirst, error, tipAge, ago) => {
        const payment = paid({ ago: 60, error, tipAge });
        expect(isOlderThan(payment, madeAgo(60 + ago, atFirst))).toBe(false);
      }),
    );
  });

  test('K6: a little before an invoice by its block is not older: a minute or two, and two hours where miners name the time', () => {
    const right = { error: 0, tipAge: 0 };
    expect(isOlderThan(paid({ ago: 1_120, ...right }), madeAgo(1_000, 0))).toBe(false);
    expect(isOlderThan(paid({ ago: 1_121, ...right }), madeAgo(1_000, 0))).toBe(true);
    expect(isOlderThan(paid({ ago: 8_200, ...right }, 'bitcoin'), madeAgo(1_000, 0))).toBe(false);
    expect(isOlderThan(paid({ ago: 8_201, ...right }, 'bitcoin'), madeAgo(1_000, 0))).toBe(true);
    expect(isOlderThan(waitsAt(dateOf(NOW)), madeAgo(-DAY, 0))).toBe(false);
  });

  test('K7: in time by its chain or by our clock is seen in time', () => {
    fc.assert(
      fc.property(ERROR, TIP_AGE, SECONDS, (error, tipAge, ago) => {
        const { seenAt } = paid({ ago: tipAge + ago, error, tipAge });
        const byUs = NOW + error - ago;
        expect(seenAt).toEqual(dateOf(Math.min(NOW - tipAge - ago, byUs)));
      }),
    );
  });
});
