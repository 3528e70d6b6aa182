import { expect, test } from 'bun:test';
import { askedHourly } from '../../../src/adapters/rates/asked-hourly.ts';
import type { RateQuote } from '../../../src/ports/rates/rate-source.ts';

const quoteOf = (euro: string): RateQuote => ({
  usdPerAsset: new Map(),
  fiatPerUsd: new Map([['EUR', { price: euro, at: null, mark: euro }]]),
});

test('a daily source is asked once an hour, and again at once after a failure', async () => {
  let nowMs = 5;
  let asked = 0;
  let isAway = false;
  const source = askedHourly(
    {
      name: 'daily',
      windowSeconds: 900,
      fetch: async () => {
        asked += 1;
        if (isAway) throw new Error('away');
        return quoteOf(`0.${asked}`);
      },
    },
    () => nowMs,
  );
  expect(source.name).toBe('daily');
  expect(await source.fetch()).toEqual(quoteOf('0.1'));
  nowMs += 3_599_999;
  expect(await source.fetch()).toEqual(quoteOf('0.1'));
  expect(asked).toBe(1);
  nowMs += 1;
  isAway = true;
  await expect(source.fetch()).rejects.toThrow('away');
  await expect(source.fetch()).rejects.toThrow('away');
  isAway = false;
  expect(await source.fetch()).toEqual(quoteOf('0.4'));
  expect(await source.fetch()).toEqual(quoteOf('0.4'));
  expect(asked).toBe(4);
});
