/**
 * Which prices of the sources count, minute by minute: recorded answers, times, and markets that
 * stand still (safety.md P2).
 */
import { describe, expect, spyOn, test } from 'bun:test';
import { refreshRates } from '../../../src/app/rates/refresh-rates.ts';
import { BUILT_IN_ASSETS } from '../../../src/domain/catalog/asset.ts';
import { formatUnits } from '../../../src/domain/money/decimal.ts';
import type { QuotedPrice } from '../../../src/domain/rates/quote-age.ts';
import type { Rates } from '../../../src/domain/rates/rate.ts';
import type { RateSource } from '../../../src/ports/rates/rate-source.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';

const MINUTE = 60;

/** What a source says at an instant, of one coin. */
type Says = (minute: number, clock: TestClock) => QuotedPrice | null;
const untimed = (price: string): QuotedPrice => ({ price, at: null, mark: price });
const frozen: (price: string) => Says = (price) => () => untimed(price);
/** Moves a little each minute. */
const live: (price: number) => Says = (price) => (minute) =>
  untimed((price + (minute % 10) / 1_000).toFixed(3));
const timed =
  (price: string, ageSeconds: (minute: number) => number): Says =>
  (minute, clock) => ({
    price,
    at: new Date(clock.now().getTime() - ageSeconds(minute) * 1000),
    mark: `${price} ${minute}`,
  });

function open(says: readonly Says[], fiat: readonly string[] = []) {
  const clock = testClock();
  let minute = 0;
  const sources = says.map(
    (of, index): RateSource => ({
      name: `source ${index}`,
      windowSeconds: 15 * MINUTE,
      async fetch() {
        const quoted = of(minute, clock);
        if (quoted === null) throw new Error('away');
        const euro = fiat[index];
        return {
          usdPerAsset: new Map([['TON', quoted]]),
          fiatPerUsd: new Map(euro === undefined ? [] : [['EUR', untimed(euro)]]),
        };
      },
    }),
  );
  const put: Rates[] = [];
  const refresh = refreshRates({
    sources,
    assets: BUILT_IN_ASSETS,
    clock,
    logger: silentLogger,
    put: (rates) => put.push(rates),
  });
  return {
    /**
     * Refreshes each minute for so long; answers the price of the last time, or null when none was
     * put.
     */
    async after(minutes: number): Promise<string | null> {
      let renewed = false;
      for (const until = minute + minutes; minute < until; ) {
        renewed = await refresh();
        minute += 1;
        clock.advance(MINUTE);
      }
      const price = put.at(-1)?.usdPerAssetE18.get('ton_ton');
      return renewed && price !== undefined ? formatUnits(price, 18) : null;
    },
    euro: () => put.at(-1)?.fiatPerUsdE18.get('EUR'),
  };
}

describe('prices of sources', () => {
  test('P2: two markets that stand still do not outvote a live one: they stop to count, and one alone is no price', async () => {
    const it = open([live(1.6), frozen('2.31'), frozen('2.30')]);
    // Nobody can tell at first; after the second minute the live one is known to be live.
    await it.after(1);
    for (let minute = 1; minute < 60; minute += 1) expect(await it.after(1)).toBeNull();
  });

  test('P2: a price that says its time is believed from the start, and against those that do not', async () => {
    const it = open([timed('1.60', () => 30), frozen('2.31'), frozen('2.30')]);
    expect(await it.after(1)).toBeNull();
    const agreed = open([timed('1.60', () => 30), timed('1.62', () => 40), frozen('2.31'), frozen('2.30')]);
    expect(await agreed.after(1)).toBe('1.61');
  });

  test('P2: markets that move agree as ever, and what nobody can tell yet counts as long as no proven price contradicts it', async () => {
    const fresh = open([frozen('1.60'), frozen('1.61')]);
    expect(await fresh.after(1)).toBe('1.605');
    expect(await fresh.after(15)).toBe('1.605');
    // A quarter of an hour later they have not moved.
    expect(await fresh.after(1)).toBeNull();
    const moving = open([live(1.6), live(1.61)]);
    expect(await moving.after(120)).not.toBeNull();
    const one = open([timed('1.60', () => 10), frozen('1.61')]);
    expect(await one.after(1)).toBe('1.605');
  });

  test('P2: a price whose time is older than the window does not count, and does again with a new one', async () => {
    const age = (minute: number): number => (minute < 5 ? 20 : 20 * MINUTE);
    const it = open([timed('1.60', age), timed('1.61', () => 5)]);
    expect(await it.after(5)).toBe('1.605');
    expect(await it.after(5)).toBeNull();
    const back = open([timed('1.60', (minute) => (minute < 5 ? 20 * MINUTE : 20)), timed('1.61', () => 5)]);
    expect(await back.after(5)).toBeNull();
    expect(await back.after(1)).toBe('1.605');
  });

  test('P2: rates of currencies stand still for days, over weekends and holidays, and not for a week', async () => {
    const it = open([live(1.6), live(1.61)], ['0.9', '0.9']);
    await it.after(1);
    expect(it.euro()).toBe(900_000_000_000_000_000n);
    const clockless = open([live(1.6), live(1.61)], ['0.9', '0.9']);
    await clockless.after(5 * 24 * 60);
    expect(clockless.euro()).toBe(900_000_000_000_000_000n);
    await clockless.after(2 * 24 * 60);
    expect(clockless.euro()).toBeUndefined();
  });

  test('a source that is away does not matter, and without any nothing is put and that is said', async () => {
    using warned = spyOn(silentLogger, 'warn');
    const it = open([() => null, live(1.6), live(1.61)]);
    expect(await it.after(2)).not.toBeNull();
    const away = warned.mock.calls.filter(([event]) => event === 'rates.source_away');
    expect(away).toHaveLength(2);
    const none = open([() => null, live(1.6)]);
    expect(await none.after(1)).toBeNull();
    expect(warned.mock.calls.map(([event]) => event)).toContain('rates.not_renewed');
  });

  test('an asset that has no price at first is told once', async () => {
    using warned = spyOn(silentLogger, 'warn');
    const it = open([live(1.6), live(1.61)]);
    await it.after(3);
    const told = warned.mock.calls.filter(([event]) => event === 'rates.asset_unpriced');
    expect(told.length).toBe(BUILT_IN_ASSETS.length - 1);
    expect(told[0]?.[1]).toEqual({ asset: 'btc_bitcoin' });
  });

  test('what is pegged to a currency follows its rate, and is as old as the prices of the others', async () => {
    const clock = testClock();
    const put: Rates[] = [];
    let away = false;
    const source = (name: string): RateSource => ({
      ...{ name, windowSeconds: 15 * MINUTE },
      fetch: async () => ({
        usdPerAsset: new Map(away ? [] : [['LINK', untimed('12.5')]]),
        fiatPerUsd: new Map([['EUR', untimed('0.8')]]),
      }),
    });
    const refresh = refreshRates({
      sources: [source('one'), source('other')],
      assets: [
        { key: 'link_ethereum', rate: { ticker: 'LINK' }, enabled: true },
        { key: 'gold_tron', rate: { currency: 'EUR', amount: '60' }, enabled: true },
        { key: 'dollar_tron', rate: { currency: 'USD', amount: '1' }, enabled: true },
        { key: 'lost_tron', rate: { currency: 'ARS', amount: '1' }, enabled: false },
      ],
      ...{ clock, logger: silentLogger, put: (rates: Rates) => put.push(rates) },
    });
    expect(await refresh()).toBe(true);
    expect([...put[0]!.usdPerAssetE18].map(([key, price]) => [key, formatUnits(price, 18)])).toEqual([
      ['link_ethereum', '12.5'],
      ['gold_tron', '75'],
      ['dollar_tron', '1'],
    ]);
    away = true;
    expect(await refresh()).toBe(false);
    expect(put).toHaveLength(1);
  });
});
