/** What collecting a deposit costs, and the least invoices that follow from it. */
import { describe, expect, test } from 'bun:test';
import { AssetCatalog, BUILT_IN_ASSETS, leastInvoiceMicroUsd } from '../../../src/domain/catalog/asset.ts';
import { usualCostMicroUsd } from '../../../src/domain/catalog/collecting-cost.ts';
import { collectingUnits } from '../../../src/domain/rates/collecting-units.ts';
import { priceE18, unitsForFiat } from '../../../src/domain/rates/rate.ts';
import { sandboxRates } from '../../../src/domain/rates/static-rates.ts';

const TWO_USD = 2_000_000n;
const catalog = new AssetCatalog();
const rates = sandboxRates(catalog.all, { usd: {}, fiat: {} });
const nativeOf = (chain: string) =>
  catalog.all.find((asset) => asset.chain === chain && asset.type === 'native')!;

describe('the least invoice', () => {
  test('G10: covers what collecting it costs at usual fees and a quarter more; the sandbox keeps 2 USD', () => {
    for (const asset of BUILT_IN_ASSETS) {
      const cost = usualCostMicroUsd(asset);
      const live = leastInvoiceMicroUsd(asset, false);
      expect([asset.key, live * 4n >= cost * 5n, live >= TWO_USD]).toEqual([asset.key, true, true]);
      // In whole dollars, and no more of them than it takes.
      expect(live % 1_000_000n).toBe(0n);
      expect(live === TWO_USD || (live - 1_000_000n) * 4n < cost * 5n).toBe(true);
      expect(leastInvoiceMicroUsd(asset, true)).toBe(TWO_USD);
    }
    const dollars = (key: string) => leastInvoiceMicroUsd(catalog.require(key), false) / 1_000_000n;
    expect(['usdt_ethereum', 'eth_ethereum', 'usdt_tron', 'btc_bitcoin', 'usdt_solana'].map(dollars)).toEqual(
      [5n, 2n, 3n, 2n, 2n],
    );
  });

  test('G10: is the configured one in both environments, where there is one', () => {
    const configured = { contract: null, decimals: null, enabled: null, minAmountUsd: '0.5' };
    const asset = new AssetCatalog({ usdt_ethereum: configured }).require('usdt_ethereum');
    expect([leastInvoiceMicroUsd(asset, false), leastInvoiceMicroUsd(asset, true)]).toEqual([
      500_000n,
      500_000n,
    ]);
  });

  test('G10: what collecting costs is told in units of the asset, at the prices of the moment', () => {
    for (const asset of BUILT_IN_ASSETS) {
      const units = collectingUnits(asset, nativeOf(asset.chain), rates)!;
      const price = priceE18(rates, asset, 'USD')!;
      const expected = unitsForFiat(usualCostMicroUsd(asset), price, asset, 'ceil');
      const off = units > expected ? units - expected : expected - units;
      // The figure in USD is rounded to a millionth.
      expect([asset.key, off <= unitsForFiat(2n, price, asset, 'ceil')]).toEqual([asset.key, true]);
    }
    const none = { usdPerAssetE18: new Map(), fiatPerUsdE18: rates.fiatPerUsdE18 };
    const usdt = catalog.require('usdt_ethereum');
    expect(collectingUnits(usdt, nativeOf('ethereum'), none)).toBeNull();
    expect(collectingUnits(nativeOf('ethereum'), nativeOf('ethereum'), none)).toBe(210_000_000_000_000n);
  });
});
