/** The itemised price adds up, the rate is the invoice's own, and dust is what wallets round up. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FIAT_CURRENCIES, floorToMinor } from '../../../src/domain/catalog/fiat.ts';
import { dueFiatMicros } from '../../../src/domain/invoices/invoice-terms.ts';
import {
  invoiceRateE12,
  isDust,
  itemisedPrice,
  surplusUnits,
} from '../../../src/domain/invoices/itemised-price.ts';

const priced = fc.record({
  initialFiatMicros: fc.bigInt(1n, 10n ** 15n),
  fiatCurrency: fc.constantFrom(...FIAT_CURRENCIES),
  priceModifierPpm: fc.option(fc.bigInt(-900_000n, 900_000n)),
  feeBearer: fc.constantFrom('merchant' as const, 'client' as const),
  commissionPpm: fc.bigInt(0n, 100_000n),
});

test('order, modifier and fee are whole minor units and add up to the total, which is what is due', () => {
  fc.assert(
    fc.property(priced, (invoice) => {
      const { orderMicros, modifierMicros, feeMicros, totalMicros } = itemisedPrice(invoice);
      expect(orderMicros + modifierMicros + feeMicros).toBe(totalMicros);
      expect(totalMicros).toBe(dueFiatMicros(invoice));
      for (const micros of [orderMicros, totalMicros, feeMicros])
        expect(floorToMinor(micros, invoice.fiatCurrency)).toBe(micros);
      expect(feeMicros >= 0n).toBe(true);
      if (invoice.feeBearer === 'merchant') expect(feeMicros).toBe(0n);
      if ((invoice.priceModifierPpm ?? 0n) <= 0n) expect(modifierMicros <= 0n).toBe(true);
    }),
  );
});

test('a customer who bears one percent of 48.50 sees 48.50, 0.49 and 48.99', () => {
  const invoice = { initialFiatMicros: 48_500_000n, fiatCurrency: 'EUR', priceModifierPpm: null } as const;
  expect(itemisedPrice({ ...invoice, feeBearer: 'client', commissionPpm: 10_000n })).toEqual({
    ...{ orderMicros: 48_500_000n, modifierMicros: 0n, feeMicros: 490_000n, totalMicros: 48_990_000n },
  });
});

test('the rate is the order over its coins, before modifier and fee', () => {
  const price = { asset: 'btc_bitcoin', dueUnits: 60_000n, deferralUnits: 0n };
  const rate = (baseUnits: bigint, originalUnits: bigint | null) =>
    invoiceRateE12(
      { initialFiatMicros: 50_000_000n },
      { ...price, baseUnits, originalUnits },
      { decimals: 8 },
    );
  expect(rate(50_000n, null)).toBe(100_000n * 10n ** 12n);
  expect(rate(55_000n, 50_000n)).toBe(100_000n * 10n ** 12n);
});

describe('dust', () => {
  const paid = (dueUnits: bigint, over: bigint, deferralUnits: bigint) => ({
    price: { asset: 'usdt_tron', dueUnits, baseUnits: dueUnits, originalUnits: null, deferralUnits },
    funds: { pendingUnits: 0n, creditedUnits: dueUnits + over, heldUnits: 0n },
  });

  test('is a surplus below half a percent and below 2 USD', () => {
    expect(isDust(paid(100_000_000n, 499_999n, 2_000_000n))).toBe(true);
    expect(isDust(paid(100_000_000n, 500_000n, 2_000_000n))).toBe(false);
    expect(isDust(paid(1_000_000_000n, 1_999_999n, 2_000_000n))).toBe(true);
    expect(isDust(paid(1_000_000_000n, 2_000_000n, 2_000_000n))).toBe(false);
  });

  test('is none where nothing was paid above the price, or where there is no price', () => {
    for (const over of [0n, -1n]) expect(isDust(paid(100n, over, 50n))).toBe(false);
    expect(isDust({ ...paid(100n, 10n, 50n), price: null })).toBe(false);
    expect(surplusUnits(paid(100n, -1n, 50n))).toBe(0n);
    expect(surplusUnits(paid(100n, 7n, 50n))).toBe(7n);
  });
});
