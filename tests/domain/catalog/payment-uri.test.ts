import { expect, test } from 'bun:test';
import { decode } from 'bip21';
import fc from 'fast-check';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { paymentUri } from '../../../src/domain/catalog/payment-uri.ts';

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

test('on a test network a wallet is told its chain id', () => {
  const payment = { address, units: 1n, chainId: 11_155_111 };
  expect(paymentUri(catalog.require('eth_ethereum'), payment)).toBe(`ethereum:${address}@11155111?value=1`);
});

test('bitcoin and litecoin are asked for with BIP-21 and an exact decimal of whole coins', () => {
  const uri = (key: string, address: string, units: bigint) =>
    paymentUri(catalog.require(key), { address, units });
  const segwit = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu';
  expect(uri('btc_bitcoin', segwit, 150_000n)).toBe(`bitcoin:${segwit}?amount=0.0015`);
  expect(uri('btc_bitcoin', segwit, 1n)).toBe(`bitcoin:${segwit}?amount=0.00000001`);
  expect(uri('btc_bitcoin', segwit, 2_100_000_000_000_000n)).toBe(`bitcoin:${segwit}?amount=21000000`);
  const litecoin = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
  expect(uri('ltc_litecoin', litecoin, 123_456_789n)).toBe(`litecoin:${litecoin}?amount=1.23456789`);
});

test('a cashaddr has its scheme in itself: it is not doubled', () => {
  for (const address of [
    'bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6',
    'bchreg:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6',
  ])
    expect(paymentUri(catalog.require('bch_bitcoincash'), { address, units: 10_050_000n })).toBe(
      `${address}?amount=0.1005`,
    );
});

test('monero is asked for by its own scheme, in whole coins of twelve decimals', () => {
  expect(
    paymentUri(catalog.require('xmr_monero'), { address: '8subaddress', units: 1_000_000_000_001n }),
  ).toBe('monero:8subaddress?tx_amount=1.000000000001');
});

test('solana is asked for as Solana Pay says, in whole coins, a token by its mint', () => {
  const uriOf = (key: string, units: bigint) => paymentUri(catalog.require(key), { address: 'owner', units });
  expect(uriOf('sol_solana', 1_500_000_000n)).toBe('solana:owner?amount=1.5');
  expect(uriOf('sol_solana', 1n)).toBe('solana:owner?amount=0.000000001');
  expect(uriOf('usdc_solana', 25_250_000n)).toBe(
    'solana:owner?amount=25.25&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  );
});

test('a library of BIP-21 reads back the address and the very amount', () => {
  const coins = [
    ['btc_bitcoin', 'bitcoin'],
    ['ltc_litecoin', 'litecoin'],
  ] as const;
  const amounts = fc.bigInt({ min: 1n, max: 2_100_000_000_000_000n });
  fc.assert(
    fc.property(fc.constantFrom(...coins), amounts, ([key, scheme], units) => {
      const uri = paymentUri(catalog.require(key), { address: 'an-address', units });
      expect(uri).toMatch(/\?amount=\d+(\.\d{1,8})?$/);
      const read = decode(uri, scheme);
      expect(read.address).toBe('an-address');
      expect(BigInt(Math.round(Number(read.options.amount) * 1e8))).toBe(units);
    }),
    { numRuns: 1_000 },
  );
});

test('ton is asked for by its own scheme, in base units, jettons by their master contract', () => {
  const payment = { address: 'UQaddress', units: 2_500_000_001n };
  expect(paymentUri(catalog.require('ton_ton'), payment)).toBe('ton://transfer/UQaddress?amount=2500000001');
  expect(paymentUri(catalog.require('usdt_ton'), payment)).toBe(
    'ton://transfer/UQaddress?amount=2500000001&jetton=EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
  );
});

test('XRP is asked for by account and tag, in whole coins, and by the address where a tag is not known', () => {
  const payment = { address: 'an-x-address', units: 12_500_001n };
  const asked = (parts: { account: string; tag: number | null } | null) =>
    paymentUri(catalog.require('xrp_xrp'), { ...payment, parts });
  expect(asked({ account: 'rAccount', tag: 2_718_281_829 })).toBe(
    'ripple:rAccount?amount=12.500001&dt=2718281829',
  );
  expect(asked({ account: 'rAccount', tag: 0 })).toBe('ripple:rAccount?amount=12.500001&dt=0');
  for (const parts of [{ account: 'rAccount', tag: null }, null]) expect(asked(parts)).toBe('an-x-address');
});

test('other families are shown as the plain address', () => {
  for (const key of ['usdt_tron', 'xrp_xrp']) {
    expect(paymentUri(catalog.require(key), { address: 'an-address', units: 5n })).toBe('an-address');
  }
});
