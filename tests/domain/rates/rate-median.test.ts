import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { agreedPrice, combineQuotes } from '../../../src/domain/rates/rate-median.ts';

const E18 = 10n ** 18n;
const usd = (cents: number) => (BigInt(cents) * E18) / 100n;
const quote = (usdPerAsset: Record<string, string>, fiatPerUsd: Record<string, string> = {}) => ({
  usdPerAsset: new Map(Object.entries(usdPerAsset)),
  fiatPerUsd: new Map(Object.entries(fiatPerUsd)),
});

describe('the agreed price', () => {
  test.each<[string, readonly number[], number | null]>([
    ['of nobody is none', [], null],
    ['of one source is none', [100_00], null],
    ['of two that agree is their middle', [100_00, 104_00], 102_00],
    ['of two exactly 5 % apart is their middle', [100_00, 105_00], 102_50],
    ['of two more than 5 % apart is none', [100_00, 105_01], null],
    ['of three is the middle one', [101_00, 99_00, 100_00], 100_00],
    ['of three drops the one that is far', [100_00, 101_00, 200_00], 100_50],
    ['of three that all disagree is none', [100_00, 200_00, 300_00], null],
    ['of four drops the one that is far', [100_00, 1, 102_00, 101_00], 101_00],
    ['of two pairs that disagree is none', [100_00, 100_00, 200_00, 200_00], null],
    ['of four with both sides far is the middle of the inner two', [50_00, 100_00, 101_00, 200_00], 100_50],
    ['of five with two that are far', [100_00, 1, 101_00, 102_00, 900_00], 101_00],
  ])('%s', (_, prices, expected) => {
    expect(agreedPrice(prices.map(usd), 2)).toBe(expected === null ? null : usd(expected));
  });

  test('of one source counts when one is enough, but two that disagree still give none', () => {
    expect(agreedPrice([usd(100)], 1)).toBe(usd(100));
    expect(agreedPrice([usd(100), usd(200)], 1)).toBeNull();
    expect(agreedPrice([usd(100), usd(200), usd(300)], 1)).toBeNull();
  });

  test('needs as many sources as configured, after the far ones are dropped', () => {
    expect(agreedPrice([usd(100), usd(100)], 3)).toBeNull();
    expect(agreedPrice([usd(100), usd(100), usd(900)], 3)).toBeNull();
    expect(agreedPrice([usd(100), usd(100), usd(101)], 3)).toBe(usd(100));
  });
});

describe('combined quotes', () => {
  test('hold each coin and currency that enough sources agree on, exactly', () => {
    const combined = combineQuotes([
      quote({ BTC: '85176.7', XMR: '378', SOL: '100' }, { EUR: '0.868', NGN: '1450' }),
      quote({ BTC: '85190.0123456789012345', SOL: '150' }, { EUR: '0.87' }),
      quote({ BTC: '85181.4' }, { EUR: '0.869', USD: '1.5' }),
    ]);
    expect(combined.usdPerAsset).toEqual(new Map([['BTC', 85_181_400_000_000_000_000_000n]]));
    expect(combined.fiatPerUsd).toEqual(
      new Map([
        ['EUR', 869_000_000_000_000_000n],
        ['USD', E18],
      ]),
    );
  });

  test('count a source that says nonsense as one that says nothing', () => {
    for (const nonsense of ['0', '-5', 'NaN', '', '1e99', 'abc', '0.0000000000000000001']) {
      const sources = [quote({ BTC: '100' }), quote({ BTC: nonsense })];
      expect(combineQuotes(sources).usdPerAsset.size).toBe(0);
      expect(combineQuotes(sources, { minimumSources: 1 }).usdPerAsset.get('BTC')).toBe(100n * E18);
    }
  });

  test('of nobody know that a dollar is a dollar', () => {
    expect(combineQuotes([])).toEqual({ usdPerAsset: new Map(), fiatPerUsd: new Map([['USD', E18]]) });
  });

  test('are rounded down to 18 decimals', () => {
    const combined = combineQuotes([quote({ A: '1.0000000000000000019' })], { minimumSources: 1 });
    expect(combined.usdPerAsset.get('A')).toBe(E18 + 1n);
  });
});

describe('laws of the median', () => {
  const price = fc.bigInt({ min: 1n, max: 10n ** 30n });
  const minimum = fc.integer({ min: 1, max: 4 });

  test('the order of the sources does not matter', () => {
    fc.assert(
      fc.property(
        fc
          .array(price, { maxLength: 8 })
          .chain((prices) =>
            fc.tuple(
              fc.constant(prices),
              fc.shuffledSubarray(prices, { minLength: prices.length, maxLength: prices.length }),
              minimum,
            ),
          ),
        ([prices, shuffled, needed]) => {
          expect(agreedPrice(shuffled, needed)).toBe(agreedPrice(prices, needed));
        },
      ),
    );
  });

  test('a price lies between the lowest and the highest quote', () => {
    const close = fc.bigInt({ min: 1_000n, max: 1_100n });
    fc.assert(
      fc.property(fc.array(fc.oneof(price, close), { maxLength: 8 }), minimum, (prices, needed) => {
        const agreed = agreedPrice(prices, needed);
        if (agreed === null) return;
        const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
        expect(agreed >= sorted[0]! && agreed <= sorted.at(-1)!).toBe(true);
      }),
    );
  });

  test('among three or more sources, one wild one neither moves the price out of the honest range nor prevents it', () => {
    const honest = fc
      .bigInt({ min: 10n ** 6n, max: 10n ** 30n })
      .chain((base) =>
        fc.array(fc.bigInt({ min: base, max: base + base / 20n }), { minLength: 2, maxLength: 7 }),
      );
    const nearby = (prices: readonly bigint[]) =>
      fc.oneof(price, fc.bigInt({ min: prices[0]! / 2n, max: prices[0]! * 2n }));
    fc.assert(
      fc.property(
        honest.chain((prices) =>
          fc.tuple(fc.constant(prices), nearby(prices), fc.nat({ max: prices.length })),
        ),
        ([prices, wild, place]) => {
          const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
          const agreed = agreedPrice(prices.toSpliced(place, 0, wild), 2);
          expect(agreed).not.toBeNull();
          expect(agreed! >= sorted[0]! && agreed! <= sorted.at(-1)!).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
