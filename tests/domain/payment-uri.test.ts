import { expect, test } from 'bun:test';
import { AssetCatalog } from '../../src/domain/asset.ts';
import { paymentUri } from '../../src/domain/payment-uri.ts';

const catalog = new AssetCatalog();
const address = '0x52908400098527886E0F7030069857D2E4169EE7';

test('a native coin of an EVM chain is asked for with its chain id and value in wei', () => {
  expect(paymentUri(catalog.require('eth_ethereum'), { address, units: 1_500_000_000_000_000_001n })).toBe(
    `ethereum:${address}@1?value=1500000000000000001`,
  );
  expect(paymentUri(catalog.require('bnb_bsc'), { address, units: 1n })).toBe(
    `ethereum:${address}@56?value=1`,
  );
});

test('a token is asked for as a transfer on its contract', () => {
  expect(paymentUri(catalog.require('usdc_base'), { address, units: 25_250_000n })).toBe(
    `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${address}&uint256=25250000`,
  );
});

test('other families are shown as the plain address', () => {
  for (const key of ['btc_bitcoin', 'usdt_tron', 'xrp_xrp', 'ton_ton', 'usdc_solana']) {
    expect(paymentUri(catalog.require(key), { address: 'an-address', units: 5n })).toBe('an-address');
  }
});
