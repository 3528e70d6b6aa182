/**
 * Tokens that CONFIG_FILE adds to the catalog: what a row says, and what is refused with its place.
 */
import { describe, expect, test } from 'bun:test';
import { checksumAddress } from '../../src/adapters/chains/evm/address.ts';
import { catalogFaults, catalogOf } from '../../src/compose/catalog.ts';
import { TOKEN_CHAINS } from '../../src/domain/catalog/chain-rows.ts';
import { RATE_SCALE } from '../../src/domain/rates/rate.ts';
import { fixedRates, sandboxRates } from '../../src/domain/rates/static-rates.ts';
import { faults, loaded } from '../support/configurations.ts';

const LINK = {
  ...{ chain: 'ethereum', contract: '0x514910771AF9Ca656af840dff83E8264EcF986CA', decimals: 18 },
  ...{ symbol: 'LINK', rate: 'LINK' },
};
const configured = (assets: object) => loaded({}, { assets });
const refused = (row: object, key = 'link_ethereum') =>
  faults({}, { assets: { [key]: { ...LINK, ...row } } });

describe('a token of the configuration', () => {
  test('is an asset as those that are built in, behind them', () => {
    const { all } = catalogOf(
      configured({
        link_ethereum: LINK,
        gold_tron: {
          ...{ ...LINK, chain: 'tron', contract: 'TPYmHEhy5n8TCEfYGqW2rPxsghSfzghPDn', decimals: 0 },
          ...{ symbol: 'USD\u20AE0', name: 'Gold, minted', rate: { EUR: '60.5' } },
          ...{ min_amount_usd: '0.5', enabled: false },
        },
      }),
    );
    expect(all.slice(-2)).toEqual([
      {
        ...{ key: 'link_ethereum', ticker: 'link', chain: 'ethereum', family: 'evm', symbol: 'LINK' },
        ...{ name: null, type: 'token', decimals: 18, displayDecimals: 8, contract: LINK.contract },
        ...{ contractSymbol: 'LINK', rate: { ticker: 'LINK' }, enabled: true, onNetwork: true },
        minAmountMicroUsd: { live: 5_000_000n, sandbox: 2_000_000n },
      },
      {
        ...{ key: 'gold_tron', ticker: 'gold', chain: 'tron', family: 'tron', symbol: 'USD\u20AE0' },
        ...{ name: 'Gold, minted', type: 'token', decimals: 0, displayDecimals: 0 },
        ...{
          contract: 'TPYmHEhy5n8TCEfYGqW2rPxsghSfzghPDn',
          contractSymbol: 'USD\u20AE0',
          enabled: false,
          onNetwork: true,
        },
        rate: { currency: 'EUR', amount: '60.5' },
        minAmountMicroUsd: { live: 500_000n, sandbox: 500_000n },
      },
    ]);
  });

  test('is found by its ticker, and may be named wherever an asset is', () => {
    const file = {
      assets: { link_ethereum: LINK },
      rates: { usd: { link_ethereum: '12.5' } },
      payouts: { max: { link_ethereum: '10' }, floor: { link_ethereum: '1' } },
    };
    const config = loaded({}, file);
    expect(config.rates.usd).toEqual({ link_ethereum: '12.5' });
    const catalog = catalogOf(config);
    for (const name of ['link', 'LINK_ERC20', 'link_ethereum'])
      expect(catalog.resolve(name)).toMatchObject({ asset: { key: 'link_ethereum' } });
    expect(Object.keys(faults({}, { ...file, assets: {} })).sort()).toEqual([
      ...['payouts.floor.link_ethereum', 'payouts.max.link_ethereum', 'rates.usd.link_ethereum'],
    ]);
  });

  test('has the price of its peg, or the configured one; in the sandbox every one has some', () => {
    const { all } = catalogOf(
      configured({
        link_ethereum: LINK,
        euro_ethereum: { ...LINK, contract: `0x${'ab'.repeat(20)}`, rate: { EUR: '2' } },
      }),
    );
    const table = { usd: {}, fiat: { EUR: '0.8' } };
    const fixed = fixedRates(all, table).usdPerAssetE18;
    expect([...fixed]).toEqual([['euro_ethereum', (25n * RATE_SCALE) / 10n]]);
    expect(
      fixedRates(all, { ...table, usd: { euro_ethereum: '3' } }).usdPerAssetE18.get('euro_ethereum'),
    ).toBe(3n * RATE_SCALE);
    const sandbox = sandboxRates(all, table).usdPerAssetE18;
    expect([sandbox.get('link_ethereum'), sandbox.size]).toEqual([RATE_SCALE, all.length]);
  });

  test('needs all that tells it, each in its form', () => {
    expect(Object.keys(faults({}, { assets: { link_ethereum: { chain: 'ethereum' } } }))).toEqual(
      ['contract', 'decimals', 'symbol', 'rate'].map((field) => `assets.link_ethereum.${field}`),
    );
    const bad = {
      chain: ['bitcoin', 'xrp', 'gold', 7],
      contract: ['', 7],
      decimals: [-1, 37, 1.5, '18'],
      symbol: ['', 'A B', '<b>', '.A', 'A'.repeat(17), 'A\u202E'],
      name: ['', 'a\nb', 'a\u202Eb', 'a'.repeat(51)],
      rate: ['', 'usdc', 'US DC', 1, {}, { EUR: 1 }, { EUR: '0' }, { XXX: '1' }, { EUR: '1', USD: '1' }],
      enabled: ['yes'],
      min_amount_usd: ['0'],
      colour: ['red'],
    };
    for (const [field, values] of Object.entries(bad))
      for (const value of values)
        for (const path of Object.keys(refused({ [field]: value })))
          expect([value, path]).toEqual([value, expect.stringContaining(`assets.link_ethereum.${field}`)]);
    expect(refused({ chain: 'bitcoin' })['assets.link_ethereum.chain']).toBe(
      `must be a chain with tokens: ${TOKEN_CHAINS.join(', ')}`,
    );
    expect(refused({ rate: 'usdc' })['assets.link_ethereum.rate']).toBe(
      'must be a ticker that price services know, like "USDC", or an amount of one currency, like {"EUR": "1"}',
    );
  });

  test('has a key that ends with its chain, and is no built-in one', () => {
    for (const key of [
      'link',
      'link_bsc',
      'Link_ethereum',
      '_ethereum',
      'a_b_ethereum',
      `${'a'.repeat(17)}_ethereum`,
    ])
      expect(refused({}, key)).toEqual({
        [`assets.${key}`]: 'must have a key of 1 to 16 lower-case letters and digits, and then "_ethereum"',
      });
    expect(refused({}, 'usdt_tron')['assets.usdt_tron.chain']).toContain('is unknown here');
    expect(faults({}, { assets: { usdt_trno: { enabled: false } } })['assets.usdt_trno']).toEndWith(
      'A token of your own needs chain, contract, decimals, symbol and rate',
    );
  });

  test('has a contract of its chain that no other asset has', () => {
    const row = (chain: string, contract: string) => ({ ...LINK, chain, contract });
    const faultsOf = (assets: object, file: object = {}) =>
      Object.fromEntries(
        catalogFaults(loaded({}, { assets, ...file })).map(({ path, message }) => [path, message]),
      );
    expect(
      faultsOf({
        a_ethereum: row('ethereum', '0x514910771af9ca656af840dff83e8264ecf986ca'),
        b_ethereum: row('ethereum', LINK.contract),
        c_ethereum: row('ethereum', LINK.contract.replace('AF9', 'aF9')),
        // The same address on another chain is another contract.
        d_bsc: row('bsc', LINK.contract),
        e_bsc: row('bsc', '0x55D398326f99059fF775485246999027B3197955'.toLowerCase()),
        f_tron: row('tron', 'TPYmHEhy5n8TCEfYGqW2rPxsghSfzghPDm'),
        g_solana: row('solana', 'So1'),
        h_ton: row('ton', `0:${'0'.repeat(64)}`),
        i_ton: row('ton', 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'),
      }),
    ).toEqual({
      'assets.b_ethereum.contract': 'is the contract of a_ethereum already',
      'assets.c_ethereum.contract':
        'must be an address of 40 hex digits behind 0x, its capitals right or none',
      'assets.e_bsc.contract': 'is the contract of usdt_bsc already',
      'assets.f_tron.contract': 'must be an address of tron',
      'assets.g_solana.contract': "must be the address of the token's mint",
      'assets.h_ton.contract': "must be the address of the jetton's master in the user-friendly form, EQ...",
      'assets.i_ton.contract': 'is the contract of usdt_ton already',
    });
    expect(() => catalogOf(configured({ f_tron: row('tron', 'T1') }))).toThrow('assets.f_tron.contract');
  });

  test('that is known already is listed by its key, and no longer among the unlisted', () => {
    const usds = '0xdC035D45d973E3EC169d2276DDab16f1e407384F';
    const row = (contract: string) => ({ ...LINK, contract, symbol: 'USDS' });
    const catalog = catalogOf(configured({ usds_ethereum: row(usds) }));
    expect([catalog.isListed('usds_ethereum'), catalog.isListed('usde_ethereum')]).toEqual([true, false]);
    expect(catalog.unlisted.map(({ key }) => key)).not.toContain('usds_ethereum');
    const refused = (assets: object) => catalogFaults(configured(assets)).map(({ message }) => message);
    expect(refused({ dollar_ethereum: row(usds.toLowerCase()) })).toEqual([
      'is known as usds_ethereum: list it by that key',
    ]);
    expect(refused({ usds_ethereum: row(LINK.contract) })).toEqual([
      'is not the contract that is known as usds_ethereum: take another key',
    ]);
  });

  test('that a built-in asset is laid over is no longer among the unlisted', () => {
    const bridged = '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174';
    for (const contract of [bridged, bridged.toLowerCase()]) {
      const row = { contract, decimals: null, minAmountUsd: null, enabled: null };
      const catalog = catalogOf({ ...configured({}), assets: { usdc_polygon: row } });
      expect(catalog.require('usdc_polygon')).toMatchObject({ contract, enabled: true });
      expect(catalog.get('usdce_polygon')).toBeUndefined();
    }
  });

  test('whose peg no price can hold is refused at the start, and not at each refresh of prices', () => {
    const rate = { EUR: '0.0000000000000000001' };
    expect(Object.keys(refused({ rate }))).toEqual(['assets.link_ethereum.rate.EUR']);
  });
});

describe('tokens that are built in', () => {
  const keysOf = (chain: object, assets: object = {}) => {
    const catalog = catalogOf(
      loaded({}, { chains: { ethereum: { rpc: ['http://node'], ...chain } }, assets }),
    );
    return {
      on: catalog.all.flatMap(({ key, onNetwork }) => (onNetwork && key.endsWith('_ethereum') ? [key] : [])),
      unlisted: catalog.unlisted.filter(({ chain }) => chain === 'ethereum').length,
    };
  };

  test('are there on the main network alone, where no contract is configured, and so are those that are known', () => {
    const main = keysOf({});
    expect(main.on).toContain('pyusd_ethereum');
    expect(main.unlisted).toBeGreaterThan(0);
    expect(keysOf({ chain_id: 1 })).toEqual(main);
    const test = { chain_id: 11_155_111 };
    expect(keysOf(test)).toEqual({ on: ['eth_ethereum'], unlisted: 0 });
    const onTest = (row: object) =>
      catalogOf(
        loaded(
          {},
          { chains: { tron: { rpc: ['http://node'], network: 'test' } }, assets: { usdt_tron: row } },
        ),
      ).require('usdt_tron').onNetwork;
    expect([onTest({ enabled: true }), onTest({ contract: 'T1' })]).toEqual([false, true]);
  });

  test('are told apart from those that are known, which are written right', () => {
    const catalog = catalogOf(loaded({}));
    const all = [...catalog.all, ...catalog.unlisted];
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
    const contracts = all.flatMap(({ chain, contract }) =>
      contract ? [`${chain} ${contract.toLowerCase()}`] : [],
    );
    expect(new Set(contracts).size).toBe(contracts.length);
    for (const { contract, family, key } of all)
      if (contract !== null && family === 'evm')
        expect([key, checksumAddress(contract.slice(2).toLowerCase())]).toEqual([key, contract]);
    expect(catalog.resolve('usdce_polygon')).toHaveProperty('message');
    expect(catalog.resolve('usdt', 'base')).toHaveProperty('message');
    expect(catalog.require('usdce_polygon')).toMatchObject({ enabled: false, symbol: 'USDC.e' });
  });
});
