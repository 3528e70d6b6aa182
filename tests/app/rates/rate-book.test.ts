/**
 * The age of prices: of each by itself, for new amounts, for credits and for what an old price is
 * good enough for.
 */
import { describe, expect, test } from 'bun:test';
import { rateBook } from '../../../src/app/rates/rate-book.ts';
import type { Rates } from '../../../src/domain/rates/rate.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const rates = (usd: Record<string, bigint>, fiat: Record<string, bigint> = {}): Rates => ({
  usdPerAssetE18: new Map(Object.entries(usd)),
  fiatPerUsdE18: new Map(Object.entries(fiat)),
});
const TABLE = rates({ btc: 1n });
const LIVE = { sandbox: false };
const SANDBOX = { sandbox: true };

function open(options: { fixed?: Rates; creditSeconds?: number } = {}) {
  const clock = testClock();
  const { fixed = null, creditSeconds = 600 } = options;
  return { clock, book: rateBook({ clock, sandboxTable: TABLE, fixed, creditSeconds }) };
}

describe('the rate book', () => {
  test('has nothing before the first prices, but the sandbox its table', () => {
    const { book } = open();
    expect(book.latest()).toEqual({ rates: rates({}), ageSeconds: null });
    expect([book.usable(LIVE), book.crediting(LIVE)]).toEqual([null, rates({})]);
    expect([book.usable(SANDBOX), book.crediting(SANDBOX)]).toEqual([TABLE, TABLE]);
  });

  test('P1: prices serve new amounts for ten minutes, credits as long as configured, and are never forgotten', () => {
    const { book, clock } = open({ creditSeconds: 900 });
    const live = rates({ btc: 7n, eth: 5n }, { EUR: 9n });
    book.put(live);
    for (const [seconds, usable, crediting] of [
      [0, true, true],
      [600, true, true],
      [1, false, true],
      [299, false, true],
      [1, false, false],
      [86_400, false, false],
    ] as const) {
      clock.advance(seconds);
      expect(book.usable(LIVE)).toEqual(usable ? live : null);
      expect(book.usable(SANDBOX)).toEqual(usable ? live : TABLE);
      expect(book.crediting(LIVE)).toEqual(crediting ? live : rates({}));
      expect(book.crediting(SANDBOX)).toEqual(crediting ? live : TABLE);
    }
    expect(book.latest()).toEqual({ rates: live, ageSeconds: 87_301 });
  });

  test('P1: each price has an age of its own: one that a renewal lacks grows old', () => {
    const { book, clock } = open();
    book.put(rates({ btc: 7n, eth: 5n }, { EUR: 9n }));
    clock.advance(400);
    book.put(rates({ btc: 8n }, { EUR: 9n }));
    expect(book.usable(LIVE)).toEqual(rates({ btc: 8n, eth: 5n }, { EUR: 9n }));
    clock.advance(300);
    expect(book.usable(LIVE)).toEqual(rates({ btc: 8n }, { EUR: 9n }));
    expect(book.crediting(LIVE)).toEqual(rates({ btc: 8n }, { EUR: 9n }));
    expect(book.latest()).toEqual({ rates: rates({ btc: 8n, eth: 5n }, { EUR: 9n }), ageSeconds: 300 });
  });

  test('a fixed table is always fresh, and the sandbox keeps its own', () => {
    const fixed = rates({ btc: 3n });
    const { book, clock } = open({ fixed });
    clock.advance(1_000_000);
    expect([book.usable(LIVE), book.crediting(LIVE), book.latest()]).toEqual([
      fixed,
      fixed,
      { rates: fixed, ageSeconds: 0 },
    ]);
    expect([book.usable(SANDBOX), book.crediting(SANDBOX)]).toEqual([TABLE, TABLE]);
  });
});
