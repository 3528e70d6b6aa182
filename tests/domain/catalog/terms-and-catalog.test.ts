import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { CHAINS } from '../../../src/domain/catalog/chain.ts';
import {
  dueFiatMicros,
  initialFiatMicros,
  type PricingRequest,
  termsIn,
} from '../../../src/domain/invoices/invoice-terms.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { fiatForUnits, priceE18, unitsForFiat } from '../../../src/domain/rates/rate.ts';
import { sandboxRates } from '../../../src/domain/rates/static-rates.ts';

const catalog = new AssetCatalog();
const rates = sandboxRates(catalog.all, { usd: {}, fiat: {} });
const request = (change: Partial<PricingRequest> = {}): PricingRequest => ({
  requested: { in: 'fiat', micros: 25_000_000n },
  fiatCurrency: 'USD',
  priceModifierPpm: null,
  feeBearer: 'merchant',
  commissionPpm: 10_000n,
  ...change,
});

describe('terms', () => {
  test('the client pays the commission on top, the merchant does not show it', () => {
    const usdt = catalog.require('usdt_tron');
    expect(termsIn(usdt, request(), rates)?.dueUnits).toBe(25_000_000n);
    expect(termsIn(usdt, request({ feeBearer: 'client' }), rates)?.dueUnits).toBe(25_250_000n);
  });

  test('without a modifier there is no original amount', () => {
    expect(termsIn(catalog.require('usdt_tron'), request(), rates)?.originalUnits).toBeNull();
  });

  test('payments together worth less than 2 USD are deferred', () => {
    expect(termsIn(catalog.require('usdt_tron'), request(), rates)?.deferralUnits).toBe(2_000_000n);
    const btc = termsIn(catalog.require('btc_bitcoin'), request(), rates);
    expect(btc?.deferralUnits).toBe(2_000n);
  });

  test('what the commission makes of an amount is shown with at most 8 decimals, rounded up', () => {
    const eth = catalog.require('eth_ethereum');
    const asked = request({
      requested: { in: 'asset', units: unitsOf('0.123456789012345678', 18) },
      feeBearer: 'client',
    });
    expect(termsIn(eth, asked, rates)?.dueUnits).toBe(unitsOf('0.12469136', 18));
  });

  test('in fiat, modifier and commission included, is rounded up to the minor unit', () => {
    const of = (change: Partial<PricingRequest>) =>
      dueFiatMicros({ ...request(change), initialFiatMicros: 10_010_000n });
    expect(of({})).toBe(10_010_000n);
    expect(of({ feeBearer: 'client' })).toBe(10_120_000n);
    expect(of({ priceModifierPpm: 100_000n })).toBe(11_020_000n);
    expect(of({ feeBearer: 'client', fiatCurrency: 'JPY' })).toBe(11_000_000n);
  });

  test('of an invoice in its asset are valued in fiat, rounded down to the minor unit', () => {
    const usdt = catalog.require('usdt_tron');
    const asked = request({ requested: { in: 'asset', units: 10_019_999n } });
    expect(initialFiatMicros(asked, usdt, rates)).toBe(10_010_000n);
    expect(initialFiatMicros({ ...asked, fiatCurrency: 'EUR' }, usdt, rates)).toBe(9_010_000n);
    expect(initialFiatMicros(asked, null, rates)).toBeNull();
    expect(initialFiatMicros(request(), null, rates)).toBe(25_000_000n);
  });

  test('a price modifier changes the base and keeps the original amount', () => {
    const terms = termsIn(catalog.require('usdt_tron'), request({ priceModifierPpm: -100_000n }), rates);
    expect([terms?.baseUnits, terms?.originalUnits]).toEqual([22_500_000n, 25_000_000n]);
  });

  test('an amount given in the asset keeps every digit of it', () => {
    const eth = catalog.require('eth_ethereum');
    const units = unitsOf('0.123456789012345678', 18);
    expect(termsIn(eth, request({ requested: { in: 'asset', units } }), rates)?.dueUnits).toBe(units);
  });

  test('what a customer owes is worth at least what was asked for, by less than one displayed unit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...catalog.all),
        fc.bigInt({ min: 10_000n, max: 10n ** 13n }),
        (asset, micros) => {
          const terms = termsIn(asset, request({ requested: { in: 'fiat', micros } }), rates);
          const price = priceE18(rates, asset, 'USD');
          if (!terms || price === null) throw new Error('the static table prices every asset');
          const step = 10n ** BigInt(asset.decimals - asset.displayDecimals);
          expect(fiatForUnits(terms.dueUnits, price, asset, 'ceil') >= micros).toBe(true);
          expect(terms.dueUnits % step).toBe(0n);
          expect(fiatForUnits(terms.dueUnits - step, price, asset, 'floor') <= micros).toBe(true);
        },
      ),
    );
  });
});

describe('values', () => {
  test('of a third of a unit are rounded as the caller says', () => {
    const usdt = catalog.require('usdt_tron');
    const third = 10n ** 18n / 3n;
    expect([fiatForUnits(1n, third, usdt, 'floor'), fiatForUnits(1n, third, usdt, 'ceil')]).toEqual([0n, 1n]);
    expect([unitsForFiat(1n, third, usdt, 'floor'), unitsForFiat(1n, third, usdt, 'ceil')]).toEqual([3n, 4n]);
  });

  test('in another currency go by its units per dollar', () => {
    const btc = catalog.require('btc_bitcoin');
    expect(priceE18(rates, btc, 'EUR')).toBe(90_000n * 10n ** 18n);
    expect(priceE18(rates, btc, 'JPY')).toBe(15_000_000n * 10n ** 18n);
  });
});

describe('asset names', () => {
  test.each([
    ['usdt_tron', undefined, 'usdt_tron'],
    ['USDT_TRC20', undefined, 'usdt_tron'],
    ['usdt_erc20', undefined, 'usdt_ethereum'],
    ['usdt_eth', undefined, 'usdt_ethereum'],
    ['usdt_bep20', undefined, 'usdt_bsc'],
    ['usdc_eth', undefined, 'usdc_ethereum'],
    ['usdt', 'tron', 'usdt_tron'],
    ['btc', undefined, 'btc_bitcoin'],
    ['xmr', undefined, 'xmr_monero'],
    ['eth', 'base', 'eth_base'],
  ])('%s with chain %p is %s', (name, chain, key) => {
    const found = catalog.resolve(name, chain);
    expect('asset' in found && found.asset.key).toBe(key);
  });

  test('an ambiguous name is refused with its candidates', () => {
    const found = catalog.resolve('usdc');
    expect('message' in found && found.message).toContain('usdc_ethereum, usdc_bsc, usdc_polygon,');
  });

  test.each(['', 'doge', 'usdt_doge', '__proto__', 'constructor', 'usdt_'])('%p is no asset', (name) => {
    expect(catalog.resolve(name)).toHaveProperty('message');
  });

  test('every name of a chain means one chain', () => {
    const names = CHAINS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
  });

  test('a token and its chain must fit', () => {
    expect(catalog.resolve('usdt_tron', 'ton')).toHaveProperty('message');
  });
});
