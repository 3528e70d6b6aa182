/** The signer's policy file: exact amounts, strict reading, every fault at once with its place. */
import { describe, expect, test } from 'bun:test';
import type { ConfigError } from '../../../src/config/config-error.ts';
import { readSigningPolicy } from '../../../src/config/signer-policy.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { type SigningPolicy, UNLIMITED_SIGNING } from '../../../src/domain/sending/signing-policy.ts';

const PAYOUT = '65f0c1d2e3a4b5c6d7e8f901';

function read(content: unknown, catalog = new AssetCatalog()) {
  const faults: ConfigError[] = [];
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const policy = readSigningPolicy('policy.json', { read: () => text }, catalog, faults);
  return { policy, faults: Object.fromEntries(faults.map(({ path, message }) => [path, message])) };
}

function policyOf(content: unknown): SigningPolicy {
  const { policy, faults } = read(content);
  if (policy === null) throw new Error(JSON.stringify(faults));
  return policy;
}

describe('the policy of the signer', () => {
  test('an empty file limits nothing', () => {
    expect(policyOf({})).toEqual(UNLIMITED_SIGNING);
    expect(UNLIMITED_SIGNING.purposes).toEqual(
      new Set(['payout', 'sweep', 'topup', 'gap', 'bump', 'consolidation', 'lend', 'reclaim', 'forward']),
    );
  });

  test('every setting is read, in base units of its coin', () => {
    const policy = policyOf({
      halt: true,
      purposes: ['payout'],
      assets: {
        usdt_ethereum: { per_transaction: '1000.5', per_day: '20000' },
        eth_ethereum: { per_day: '0.000000000000000001', forward_per_day: '2.5' },
        usdt_bsc: { per_transaction: '1' },
      },
      chains: { ethereum: { max_fee: '0.05' }, bsc: {} },
      resign: [PAYOUT],
      cold_addresses: { ethereum: 'one', usdt_ethereum: 'another' },
    });
    expect(policy).toEqual({
      halt: true,
      purposes: new Set(['payout']),
      limits: new Map([
        ['usdt_ethereum', { perTransactionUnits: 1_000_500_000n, perDayUnits: 20_000_000_000n }],
        ['eth_ethereum', { perTransactionUnits: null, perDayUnits: 1n }],
        ['usdt_bsc', { perTransactionUnits: 10n ** 18n, perDayUnits: null }],
      ]),
      maxFeeUnits: new Map([['ethereum', 5n * 10n ** 16n]]),
      resign: new Set([PAYOUT]),
      coldAddresses: new Map([
        ['ethereum', 'one'],
        ['usdt_ethereum', 'another'],
      ]),
      forwardsPerDay: new Map([['eth_ethereum', 25n * 10n ** 17n]]),
    });
  });

  test('amounts follow the decimals that the configuration gives an asset', () => {
    const change = { contract: null, decimals: 2, minAmountUsd: null, enabled: null };
    const catalog = new AssetCatalog({ usdt_ethereum: change });
    const { policy } = read({ assets: { usdt_ethereum: { per_day: '1.25' } } }, catalog);
    expect(policy?.limits.get('usdt_ethereum')?.perDayUnits).toBe(125n);
  });

  test('an empty list of purposes allows none', () => {
    expect(policyOf({ purposes: [] }).purposes.size).toBe(0);
  });

  test('all faults come at once, each with its place', () => {
    const { policy, faults } = read({
      halt: 'yes',
      purposes: ['payout', 'theft'],
      assets: {
        usdt_ethereum: { per_transaction: 5, per_day: '-1', per_week: '1' },
        gold: { per_day: '1' },
      },
      chains: { ethereum: { max_fee: '0' }, atlantis: {} },
      resign: ['x'],
      cold_addresses: { gold: 'one', ethereum: 7 },
      limits: {},
    });
    expect(policy).toBeNull();
    expect(faults).toMatchObject({
      halt: 'must be true or false',
      'purposes.1': 'must be one of payout, sweep, topup, gap, bump, consolidation, lend, reclaim, forward',
      'assets.usdt_ethereum.per_transaction': expect.stringContaining('put the number in quotes ("5")'),
      'assets.usdt_ethereum.per_day': 'must be a decimal above zero, as a string',
      'assets.usdt_ethereum.per_week': expect.stringContaining('is unknown here'),
      'assets.gold': expect.stringContaining('is unknown here'),
      'chains.ethereum.max_fee': 'must be a decimal above zero, as a string',
      'chains.atlantis': expect.stringContaining('is unknown here'),
      'resign.0': 'must be a payout id of 24 hex digits',
      'cold_addresses.gold': expect.stringContaining('is unknown here'),
      'cold_addresses.ethereum': expect.stringContaining('must be text'),
      limits: expect.stringContaining('is unknown here'),
    });
  });

  test('more decimals than the coin has are a fault, not rounded', () => {
    const { policy, faults } = read({
      assets: { usdt_ethereum: { per_day: '0.0000001', per_transaction: '1.0000001' } },
      chains: { ethereum: { max_fee: `0.${'0'.repeat(18)}1` } },
    });
    expect(policy).toBeNull();
    expect(Object.keys(faults)).toEqual([
      'assets.usdt_ethereum.per_transaction',
      'assets.usdt_ethereum.per_day',
      'chains.ethereum.max_fee',
    ]);
  });

  test.each(['', '{"halt": tr', '[]', 'null', '5'])('a file that is %j is one fault', (text) => {
    expect(read(text)).toEqual({ policy: null, faults: { SIGNER_POLICY: expect.any(String) } });
  });
});
