/** The overview's days: nothing is lost between stored sums and what is shown. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  DAY_FIGURES,
  DAY_MS,
  dayOf,
  FIGURE_DAYS_MAX,
  isFigureRange,
  startOfDay,
} from '../../../src/domain/console/day-figure.ts';
import { overviewDays, totalOf } from '../../../src/domain/console/overview.ts';

const sum = fc.record({
  day: fc.integer({ min: 100, max: 110 }),
  figure: fc.constantFrom(...DAY_FIGURES),
  label: fc.constantFrom('usdt_ethereum', 'btc_bitcoin', 'success', 'expired'),
  count: fc.integer({ min: -5, max: 5 }),
  units: fc.bigInt(-(10n ** 30n), 10n ** 30n),
  microUsd: fc.bigInt(-(10n ** 15n), 10n ** 15n),
  feeMicroUsd: fc.bigInt(-(10n ** 15n), 10n ** 15n),
});

describe('the days of an overview', () => {
  test('are one for each day of the range, and lose no fee and no unit', () => {
    fc.assert(
      fc.property(fc.array(sum), (sums) => {
        const days = overviewDays({ first: 100, last: 110 }, sums, []);
        expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 11 }, (_, place) => 100 + place));
        const fees = days.reduce((all, { feesMicroUsd }) => all + feesMicroUsd, 0n);
        expect(fees).toBe(sums.reduce((all, { feeMicroUsd }) => all + feeMicroUsd, 0n));
        const received = totalOf(days.map((day) => day.received));
        for (const { asset, units, count, microUsd } of received) {
          const its = sums.filter(({ figure, label }) => figure === 'received' && label === asset);
          expect(units).toBe(its.reduce((all, one) => all + one.units, 0n));
          expect(microUsd).toBe(its.reduce((all, one) => all + one.microUsd, 0n));
          expect(count).toBe(its.reduce((all, one) => all + one.count, 0));
        }
      }),
    );
  });

  test('count an invoice as paid once it was, whatever was given back, and as open while it may be', () => {
    const sums = (['success', 'paid_over', 'refunded', 'expired', 'cancelled', 'failed'] as const).map(
      (label, place) => ({
        ...{ day: 100, figure: 'invoices', label, count: 10 ** place },
        ...{ units: 0n, microUsd: 0n, feeMicroUsd: 0n },
      }),
    );
    const [day] = overviewDays({ first: 100, last: 100 }, sums, [1_000_000]);
    expect(day).toMatchObject({ created: 1_000_000, paid: 111, expired: 111_000, open: 888_889 });
  });

  test('a day begins at midnight of UTC', () => {
    expect(dayOf(new Date('2026-03-01T00:00:00.000Z'))).toBe(20_513);
    expect(dayOf(new Date('2026-02-28T23:59:59.999Z'))).toBe(20_512);
    expect(startOfDay(20_513)).toEqual(new Date(20_513 * DAY_MS));
  });

  test('a range has at most 400 days, and its last day is not before its first', () => {
    expect(isFigureRange({ first: 1, last: FIGURE_DAYS_MAX })).toBe(true);
    expect(isFigureRange({ first: 1, last: FIGURE_DAYS_MAX + 1 })).toBe(false);
    expect(isFigureRange({ first: 2, last: 1 })).toBe(false);
    expect(isFigureRange({ first: Number.NaN, last: 1 })).toBe(false);
  });
});
