import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type Decimal,
  formatUnits,
  mulDiv,
  parseDecimal,
  roundToDisplay,
  toUnits,
  withoutNoise,
} from '../../../src/domain/money/decimal.ts';

describe('decimals are exact', () => {
  test('what is formatted is read back to the same units', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
        fc.integer({ min: 0, max: 18 }),
        (units, decimals) => {
          const parsed = parseDecimal(formatUnits(units, decimals));
          expect(parsed === null ? null : toUnits(parsed, decimals)).toBe(units);
        },
      ),
    );
  });

  test.each([
    ['0.1234567890123456789', 19, 1234567890123456789n],
    ['1e3', 0, 1000n],
    ['1.5E-2', 3, 15n],
    ['-2.50', 1, -25n],
    ['100', 6, 100000000n],
    ['1e-18', 18, 1n],
    ['2e30', 0, 2n * 10n ** 30n],
  ])('%s with %p decimals is %p units', (text, decimals, units) => {
    const parsed = parseDecimal(text);
    expect(parsed === null ? null : toUnits(parsed, decimals)).toBe(units);
  });

  test.each(['', ' 1', '1.', '.5', '0x10', 'NaN', 'Infinity', '1e999', '--1', '1,5', '٣'])(
    '%p is not a decimal',
    (text) => {
      expect(parseDecimal(text)).toBeNull();
    },
  );

  test('no zeros trail what is formatted', () => {
    expect([formatUnits(1_500_000n, 6), formatUnits(1_000_000n, 6), formatUnits(100n, 4)]).toEqual([
      '1.5',
      '1',
      '0.01',
    ]);
  });

  test('excess digits are refused, never rounded', () => {
    const parsed = parseDecimal('1.001');
    expect(parsed && toUnits(parsed, 2)).toBeNull();
  });

  test('a division rounds in the named direction, whatever the sign', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        (a, b, divisor) => {
          const floor = mulDiv(a, b, divisor, 'floor');
          const ceil = mulDiv(a, b, divisor, 'ceil');
          expect(floor * divisor <= a * b).toBe(true);
          expect((floor + 1n) * divisor > a * b).toBe(true);
          expect(ceil * divisor >= a * b).toBe(true);
          expect((ceil - 1n) * divisor < a * b).toBe(true);
        },
      ),
    );
  });

  test('display rounding up never lowers, and keeps at most the displayed decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (units) => {
        const shown = roundToDisplay(units, { decimals: 18, displayDecimals: 8 }, 'ceil');
        expect(shown >= units && shown - units < 10n ** 10n && shown % 10n ** 10n === 0n).toBe(true);
      }),
    );
  });
});

describe('the noise of binary floats', () => {
  const read = (text: string) => parseDecimal(text) as Decimal;

  test('is taken away where the value is within 1e-9 of one with the decimals that may be', () => {
    for (const [noisy, decimals, meant] of [
      ['30.000000000000004', 2, '30'],
      ['0.30000000000000004', 2, '0.3'],
      ['19.989999999999998', 2, '19.99'],
      ['-1.1500000000000001', 2, '-1.15'],
      ['434.99999999999994', 0, '435'],
    ] as const)
      expect(withoutNoise(read(noisy), decimals)).toEqual(read(meant));
  });

  test('is not what a person wrote, what has more digits than a float, or what is further away', () => {
    for (const [value, decimals] of [
      ['1.001', 2],
      ['1000000.0001', 2],
      ['1.123456789', 8],
      ['30.00000000000000004', 2],
      ['30.000001000000001', 2],
      ['0.000000000000000012345678901234567', 18],
    ] as const)
      expect(withoutNoise(read(value), decimals)).toBeNull();
  });

  test('is what arithmetic on a double leaves of a value that fits, which itself is never touched', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: -4, max: 4 }),
        (units, decimals, ulps) => {
          const text = formatUnits(units, decimals);
          const value = read(text);
          expect(withoutNoise(value, decimals)).toEqual(value);
          const noisy = read(String(Number(text) * (1 + ulps * Number.EPSILON)));
          if (noisy.digits.toString().length >= 15) expect(withoutNoise(noisy, decimals)).toEqual(value);
        },
      ),
    );
  });

  test('is at most 1e-9 of what was meant, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
        fc.nat(30),
        fc.nat(18),
        (digits, scale, decimals) => {
          const meant = withoutNoise({ digits, scale }, decimals);
          if (meant === null) return;
          expect(meant.scale).toBeLessThanOrEqual(decimals);
          const scaled = meant.digits * 10n ** BigInt(scale - meant.scale);
          const size = (value: bigint) => (value < 0n ? -value : value);
          expect(size(scaled - digits) * 1_000_000_000n <= size(scaled)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
