/** Months, and what a line of a statement is. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { startOfDay } from '../../../src/domain/console/day-figure.ts';
import {
  daysOfMonth,
  grossMicroUsd,
  monthFrom,
  monthOf,
  monthText,
  NO_TOTALS,
  type StatementLine,
  statementKind,
  withLines,
} from '../../../src/domain/console/statement.ts';

const line: fc.Arbitrary<StatementLine> = fc.record({
  seq: fc.nat(),
  at: fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
  entry: fc.constantFrom(
    'income',
    'income_reversed',
    'payout_reserved',
    'payout_released',
    'refund',
    'payout_fee_charged',
  ),
  referenceId: fc.constant('a'),
  asset: fc.constant('usdt_tron'),
  units: fc.bigInt(-1_000n, 1_000n),
  feeMicroUsd: fc.bigInt(-1_000n, 1_000n),
  netMicroUsd: fc.bigInt(-1_000n, 1_000n),
});

describe('a month', () => {
  test('is read from its text, and nothing else is', () => {
    expect(monthFrom('2026-03')).toEqual({ year: 2026, month: 3 });
    for (const text of ['2026-3', '2026-00', '2026-13', '26-03', '2026-03-01', '1999-12', ''])
      expect(monthFrom(text)).toBeNull();
  });

  test('has the days of UTC from its first to its last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2000, max: 2099 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        const { first, last } = daysOfMonth({ year, month });
        expect(monthOf(startOfDay(first))).toEqual({ year, month });
        expect(monthOf(startOfDay(last))).toEqual({ year, month });
        expect(monthOf(startOfDay(first - 1))).not.toEqual({ year, month });
        expect(monthOf(startOfDay(last + 1))).not.toEqual({ year, month });
        expect(monthFrom(monthText({ year, month }))).toEqual({ year, month });
      }),
    );
  });
});

describe('the lines of a statement', () => {
  test('add up to its totals, whatever they are read in', () => {
    fc.assert(
      fc.property(fc.array(line), fc.nat(20), (lines, cut) => {
        const totals = withLines(withLines(NO_TOTALS, lines.slice(0, cut)), lines.slice(cut));
        expect(totals).toEqual(withLines(NO_TOTALS, lines));
        const net = totals.reduce((sum, { netMicroUsd }) => sum + netMicroUsd, 0n);
        expect(net).toBe(lines.reduce((sum, { netMicroUsd }) => sum + netMicroUsd, 0n));
        for (const total of totals) expect(total.grossMicroUsd - total.feeMicroUsd).toBe(total.netMicroUsd);
        for (const one of lines) expect(grossMicroUsd(one) - one.feeMicroUsd).toBe(one.netMicroUsd);
      }),
    );
  });

  test('are of kinds that move a balance, and what takes one back is an adjustment', () => {
    for (const entry of ['income_reversed', 'payout_released', 'payout_retaken', 'refund_reversed'] as const)
      expect([entry, statementKind(entry)]).toEqual([entry, 'adjustment']);
    for (const entry of ['payout_fee_returned', 'refund_fee_returned'] as const)
      expect([entry, statementKind(entry)]).toEqual([entry, 'adjustment']);
    for (const entry of ['payout_fee_charged', 'refund_fee_charged'] as const)
      expect([entry, statementKind(entry)]).toEqual([entry, 'network_fee']);
    expect((['income', 'payout_reserved', 'refund'] as const).map(statementKind)).toEqual([
      ...(['income', 'payout', 'refund'] as const),
    ]);
    expect(statementKind('deposit_arrived')).toBeNull();
    expect(statementKind('payout_settled')).toBeNull();
  });
});
