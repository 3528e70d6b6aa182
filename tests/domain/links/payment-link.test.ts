/** Laws of a payment link's price and state. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ceilToMinor, FIAT_CURRENCIES } from '../../../src/domain/catalog/fiat.ts';
import { linkPrice, linkState } from '../../../src/domain/links/payment-link.ts';

const micros = fc.bigInt({ min: 1n, max: 10n ** 15n });
const currency = fc.constantFrom(...FIAT_CURRENCIES);
const open = { amountMicros: null, leastMicros: null, mostMicros: null };

describe('the price of an order', () => {
  test('is the entered amount and its tip, in whole minor units, the tip rounded up by less than one', () => {
    fc.assert(
      fc.property(micros, currency, fc.bigInt({ min: 1n, max: 100n }), (given, fiatCurrency, tip) => {
        const entered = ceilToMinor(given, fiatCurrency);
        const link = { ...open, fiatCurrency, tips: [tip] };
        const price = linkPrice(link, { enteredMicros: entered, tipPercent: tip });
        if (!price.ok) throw new Error(price.error);
        const { tipMicros } = price.value;
        expect(price.value.micros).toBe(entered + tipMicros);
        expect(ceilToMinor(tipMicros, fiatCurrency)).toBe(tipMicros);
        expect(tipMicros * 100n >= entered * tip).toBe(true);
        expect(ceilToMinor((entered * tip) / 100n, fiatCurrency) - tipMicros <= 0n).toBe(true);
      }),
    );
  });

  test('is within the bounds of the link, or refused', () => {
    fc.assert(
      fc.property(micros, micros, micros, (least, most, enteredMicros) => {
        const link = {
          ...open,
          leastMicros: least,
          mostMicros: most,
          fiatCurrency: 'USD',
          tips: [],
        } as const;
        const price = linkPrice(link, { enteredMicros, tipPercent: 0n });
        expect(price.ok).toBe(least <= enteredMicros && enteredMicros <= most);
      }),
      {
        examples: [
          [5n, 9n, 5n],
          [5n, 9n, 9n],
        ],
      },
    );
  });

  test('of a link with an amount is that amount, whatever was entered', () => {
    fc.assert(
      fc.property(micros, fc.option(micros), (amountMicros, enteredMicros) => {
        const link = { ...open, amountMicros, fiatCurrency: 'USD', tips: [] } as const;
        const price = linkPrice(link, { enteredMicros, tipPercent: 0n });
        expect(price).toEqual({ ok: true, value: { micros: amountMicros, tipMicros: 0n } });
      }),
    );
  });

  test('refuses nothing, less than nothing, and a tip that is not offered', () => {
    const link = { ...open, fiatCurrency: 'USD', tips: [5n] } as const;
    for (const enteredMicros of [null, 0n, -1n])
      expect(linkPrice(link, { enteredMicros, tipPercent: 0n })).toEqual({ ok: false, error: 'amount' });
    for (const tipPercent of [6n, -5n])
      expect(linkPrice(link, { enteredMicros: 1n, tipPercent })).toEqual({ ok: false, error: 'tip' });
  });
});

test('a link is open until it is switched off, its time is over, or its stock is taken', () => {
  const now = new Date('2026-06-01T12:00:00Z');
  const link = { active: true, expiresAt: null, stock: null };
  expect(linkState(link, 1_000_000, now)).toBe('open');
  expect(linkState({ ...link, stock: 2 }, 1, now)).toBe('open');
  expect(linkState({ ...link, stock: 2 }, 2, now)).toBe('sold_out');
  expect(linkState({ ...link, expiresAt: now }, 0, now)).toBe('expired');
  expect(linkState({ ...link, expiresAt: new Date(now.getTime() + 1) }, 0, now)).toBe('open');
  expect(linkState({ ...link, active: false, expiresAt: now, stock: 1 }, 1, now)).toBe('inactive');
});
