/** CONFIG_FILE: every setting, and every fault told at once with its place. */
import { describe, expect, test } from 'bun:test';
import { forwardRules, payoutLimits } from '../../src/compose/limits.ts';
import { AssetCatalog } from '../../src/domain/catalog/asset.ts';
import { UNLIMITED_PAYOUTS } from '../../src/domain/payouts/payout-limits.ts';
import { faults, loaded, NO_PAYOUT_SETTINGS } from '../support/configurations.ts';

describe('CONFIG_FILE', () => {
  test('every setting is read', () => {
    const config = loaded(
      {},
      {
        chains: {
          ethereum: {
            rpc: ['http://user:pass@node:8545/', 'https://b.example/key'],
            chain_id: 31337,
            confirmations: 2,
            poll_ms: 250,
            start_height: 0,
            stuck_ms: 5_000,
            fee_ceiling: '300.5',
          },
          tron: {
            api_key: 'of all',
            behind_after_seconds: 900,
            rpc: [
              'http://tron',
              {
                url: 'https://own.example/',
                api_key: 'of one',
                headers: { 'x-plan': 'free' },
                max_rps: 2.5,
                max_per_day: 100_000,
                priority: 2,
                price_per_million_calls: '0.5',
              },
            ],
          },
          bitcoin: { rpc: ['http://bitcoin'], network: 'regtest' },
        },
        assets: { usdt_tron: { contract: 'TXYZ', decimals: 6, min_amount_usd: '0.5', enabled: false } },
        rates: {
          source: 'static',
          usd: { btc_bitcoin: '65000.12' },
          fiat: { EUR: '0.92' },
          credit_max_age_seconds: 900,
        },
        commission_percent: '0.4',
        payouts: {
          max_usd: '1000',
          max_usd_per_day: '2500.5',
          max: { usdt_tron: '900.25' },
          floor: { btc_bitcoin: '0.1', usdt_tron: '50' },
          sweep_cost_percent: '0.5',
        },
        treasury: { forward: { usdt_tron: { above: '10000', keep: '2000.5' } } },
        risk: { deny: ['0xdead'], deny_file: 'deny.txt', provider_url: 'https://risk.example' },
      },
    );
    expect(config).toMatchObject({
      chains: {
        ethereum: {
          rpc: [
            { url: 'http://user:pass@node:8545', apiKey: null, headers: {}, priority: 1 },
            { url: 'https://b.example/key', maxRps: null, maxPerDay: null },
          ],
          chainId: 31337,
          confirmations: 2,
          pollMs: 250,
          startHeight: 0,
          stuckMs: 5_000,
          feeCeiling: '300.5',
        },
        tron: {
          rpc: [
            { url: 'http://tron', apiKey: 'of all' },
            {
              url: 'https://own.example',
              apiKey: 'of one',
              headers: { 'x-plan': 'free' },
              maxRps: 2.5,
              maxPerDay: 100_000,
              priority: 2,
              pricePerMillionCalls: '0.5',
            },
          ],
          chainId: null,
          confirmations: null,
          pollMs: null,
          startHeight: null,
          behindAfterSeconds: 900,
        },
        bitcoin: { rpc: [{ url: 'http://bitcoin' }], esplora: [], network: 'regtest' },
      },
      assets: { usdt_tron: { contract: 'TXYZ', decimals: 6, minAmountUsd: '0.5', enabled: false } },
      rates: {
        source: 'static',
        usd: { btc_bitcoin: '65000.12' },
        fiat: { EUR: '0.92' },
        creditMaxAgeSeconds: 900,
      },
      commissionPercent: '0.4',
      payouts: {
        maxUsd: '1000',
        maxUsdPerDay: '2500.5',
        max: { usdt_tron: '900.25' },
        floor: { btc_bitcoin: '0.1', usdt_tron: '50' },
        sweepCostPercent: '0.5',
      },
      treasury: { forward: { usdt_tron: { above: '10000', keep: '2000.5' } } },
      risk: { deny: ['0xdead'], denyFile: 'deny.txt', providerUrl: 'https://risk.example' },
    });
  });

  test('thresholds of forwards need both, in whole coins, and room between them', () => {
    const forward = (rule: unknown) => ({ treasury: { forward: { usdt_tron: rule } } });
    const place = 'treasury.forward.usdt_tron';
    loaded({}, forward({ above: '10', keep: '9.999999' }));
    for (const keep of ['10', '10.0', '11'])
      expect(faults({}, forward({ above: '10', keep }))).toEqual({
        [`${place}.keep`]: 'must be less than `above`',
      });
    expect(Object.keys(faults({}, forward({ above: '10' })))).toEqual([`${place}.keep`]);
    expect(Object.keys(faults({}, forward({ above: 10, keep: '1' })))).toEqual([`${place}.above`]);
    const unknown = { treasury: { forward: { gold: { above: '2', keep: '1' } } } };
    expect(Object.keys(faults({}, unknown))).toEqual(['treasury.forward.gold']);
    const rules = (keep: string) =>
      forwardRules(loaded({}, forward({ above: '10', keep })), new AssetCatalog());
    expect(rules('2.5').get('usdt_tron')).toEqual({ aboveUnits: 10_000_000n, keepUnits: 2_500_000n });
    expect(() => rules('1.0000001')).toThrow(`${place}.keep`);
  });

  test('all faults of environment and file come at once, each with its place', () => {
    const found = faults(
      { PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://db', TRUSTED_PROXIES: 'me' },
      {
        chains: {
          ethereum: { rpc: ['http://ok', 'ftp://no'], confirmations: -1, poll_ms: 1.5, colour: 'red' },
          tron: { network: 'regtest' },
          bitcoin: { rpc: [], network: 'signet' },
          dogecoin: { rpc: ['http://x'] },
        },
        assets: {
          eth_ethereum: { decimals: '18', enabled: 'yes', min_amount_usd: 2 },
          eth_tron: {},
        },
        rates: {
          credit_max_age_seconds: 30,
          source: 'guess',
          usd: { btc_bitcoin: 65000, 'a/b~c': '1' },
          fiat: { EUR: '0', USD: '2', XXX: '1' },
        },
        commission_percent: 1,
        payouts: {
          max_usd: 1000,
          max_usd_per_day: '0',
          max: { usdt_tron: '-1', eth_tron: '1' },
          floor: { btc_bitcoin: '1e3' },
          sweep_cost_percent: '100',
          colour: 'red',
        },
        risk: { deny: ['0xdead', 7], provider_url: 'risk.example' },
        colour: 'red',
      },
    );
    expect(Object.keys(found).sort()).toEqual(
      [
        'DATABASE_URL',
        'LOG_LEVEL',
        'MASTER_KEY',
        'PORT',
        'TRUSTED_PROXIES',
        'assets.eth_ethereum.decimals',
        'assets.eth_ethereum.enabled',
        'assets.eth_ethereum.min_amount_usd',
        'assets.eth_tron',
        'chains.bitcoin.network',
        'chains.bitcoin.rpc',
        'chains.dogecoin',
        'chains.ethereum.colour',
        'chains.ethereum.confirmations',
        'chains.ethereum.poll_ms',
        'chains.ethereum.rpc.1',
        'chains.tron.network',
        'chains.tron.rpc',
        'colour',
        'commission_percent',
        'payouts.colour',
        'payouts.floor.btc_bitcoin',
        'payouts.max.eth_tron',
        'payouts.max.usdt_tron',
        'payouts.max_usd',
        'payouts.max_usd_per_day',
        'payouts.sweep_cost_percent',
        'rates.credit_max_age_seconds',
        'rates.fiat.EUR',
        'rates.fiat.USD',
        'rates.fiat.XXX',
        'rates.source',
        'rates.usd.a/b~c',
        'rates.usd.btc_bitcoin',
        'risk.deny.1',
        'risk.provider_url',
      ].sort(),
    );
    expect(found['chains.bitcoin.network']).toBe('must be "main" or "test" or "regtest"');
    expect(found['rates.usd.btc_bitcoin']).toBe(
      'must be a decimal above zero, as a string: put the number in quotes ("65000")',
    );
    expect(found.commission_percent).toContain('put the number in quotes ("1")');
    expect(found['chains.dogecoin']).toBe(
      'is unknown here; known: bitcoin, ethereum, tron, solana, xrp, ton',
    );
    expect(found['chains.tron.rpc']).toBe('must be a list of at least one http(s) URL');
    expect(found['assets.eth_ethereum.decimals']).toBe('must be a whole number, 0 to 36');
    expect(found['rates.source']).toBe('must be "http" or "static"');
  });

  test('a ceiling of fees below what any node relays is a fault on a UTXO chain, since nothing could ever be sent', () => {
    const withCeiling = (fee_ceiling: string) => ({
      chains: {
        bitcoin: { rpc: ['http://node'], fee_ceiling },
        ethereum: { rpc: ['http://node'], fee_ceiling },
      },
    });
    for (const good of ['1', '1.0', '01.5', '500', '0100'])
      expect(loaded({}, withCeiling(good)).chains.bitcoin).toMatchObject({ feeCeiling: good });
    for (const bad of ['0.5', '0.999', '00.9'])
      expect(faults({}, withCeiling(bad))).toEqual({
        'chains.bitcoin.fee_ceiling':
          'must be a decimal of at least 1 with at most three places, as a string',
      });
  });

  test('a percentage is 0 or more and under 100', () => {
    for (const good of ['0', '0.0', '1', '99.999', '007']) {
      expect(loaded({}, { commission_percent: good }).commissionPercent).toBe(good);
    }
    for (const bad of ['100', '-1', '1e1', '.5', '5.', '1,5', '', 'NaN', '100.5']) {
      expect(Object.keys(faults({}, { commission_percent: bad }))).toEqual(['commission_percent']);
    }
  });

  test('limits are exact in base units; one finer than its asset is refused and not rounded', () => {
    const assets = new AssetCatalog();
    const limits = (payouts: Record<string, unknown>) =>
      payoutLimits({ payouts: { ...NO_PAYOUT_SETTINGS, ...payouts } }, assets);
    expect(limits({})).toEqual(UNLIMITED_PAYOUTS);
    const given = { maxUsd: '1000', maxUsdPerDay: '2500.000001', max: { usdt_tron: '900.25' } };
    expect(limits({ ...given, floor: { eth_ethereum: '0.000000000000000001' } })).toEqual({
      eachMicroUsd: 1_000_000_000n,
      dayMicroUsd: 2_500_000_001n,
      eachUnits: new Map([['usdt_tron', 900_250_000n]]),
      floorUnits: new Map([['eth_ethereum', 1n]]),
    });
    expect(() => limits({ max: { usdt_tron: '1.0000001' } })).toThrow('payouts.max.usdt_tron');
    expect(() => limits({ maxUsd: '0.0000001' })).toThrow('payouts.max_usd');
  });

  test('static rates need their prices', () => {
    expect(Object.keys(faults({}, { rates: { source: 'static' } }))).toEqual(['rates.usd']);
  });

  test('a file that is missing, not JSON or not an object is one fault beside those of the environment', () => {
    expect(faults({ CONFIG_FILE: 'absent.json', ROLE: 'x' })).toMatchObject({
      CONFIG_FILE: expect.stringContaining('absent.json cannot be read'),
      ROLE: 'must be one of api, worker, all',
    });
    expect(faults({}, '{"chains":')).toMatchObject({ CONFIG_FILE: expect.stringContaining('is not JSON') });
    for (const value of ['[]', 'null', '7', '"x"']) {
      expect(faults({}, value)).toEqual({ CONFIG_FILE: 'must be an object' });
    }
  });
});
