/** Environment and CONFIG_FILE: defaults, strict parsing, and every fault told at once with its place. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Config, loadConfig } from '../src/config.ts';

const catalog = {
  chains: ['bitcoin', 'ethereum', 'tron'],
  assetKeys: ['btc_bitcoin', 'eth_ethereum', 'usdt_tron'],
  fiats: ['USD', 'EUR', 'GBP'],
};
const KEY = '0123456789abcdef'.repeat(4);

function load(env: Record<string, string | undefined>, file?: unknown) {
  const read = (path: string): string => {
    if (path !== 'quittance.json') throw new Error(`ENOENT: no such file, open '${path}'`);
    return typeof file === 'string' ? file : JSON.stringify(file);
  };
  return loadConfig(file === undefined ? env : { CONFIG_FILE: 'quittance.json', ...env }, { read }, catalog);
}

function loaded(env: Record<string, string | undefined>, file?: unknown): Config {
  const result = load(env, file);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.config;
}

function faults(env: Record<string, string | undefined>, file?: unknown): Record<string, string> {
  const result = load(env, file);
  if (result.ok) throw new Error('the configuration was accepted');
  return Object.fromEntries(result.faults.map(({ path, message }) => [path, message]));
}

describe('environment', () => {
  test('an empty environment is the embedded database on port 3000', () => {
    expect(loaded({})).toEqual({
      port: 3000,
      baseUrl: 'http://localhost:3000',
      checkoutUrl: 'http://localhost:3000',
      databaseUrl: null,
      dataDir: './data',
      masterKey: null,
      role: 'all',
      rateLimitPerMinute: 600,
      logLevel: 'info',
      webhook: { allowedHosts: [], localAddress: null, proxy: null },
      trustedProxies: [],
      fakeChains: false,
      chains: {},
      assets: {},
      rates: { source: 'http', usd: {}, fiat: {} },
      commissionPercent: null,
      risk: { deny: [], denyFile: null, providerUrl: null },
    });
  });

  test('an empty variable counts as absent', () => {
    expect(loaded({ PORT: '', MASTER_KEY: ' ', DATABASE_URL: '', ROLE: '', CONFIG_FILE: '' })).toEqual(
      loaded({}),
    );
  });

  test('every variable is read', () => {
    const config = loaded({
      PORT: '8080',
      BASE_URL: 'https://pay.example.com/gateway/',
      CHECKOUT_URL: 'https://checkout.example.com',
      DATABASE_URL: 'postgres://u:p@db.internal:5432/quittance',
      DATA_DIR: '/var/lib/quittance',
      MASTER_KEY: KEY.toUpperCase(),
      WEBHOOK_ALLOWED_HOSTS: 'Receiver.Local:8080, 127.0.0.1,::1,[::1]:3000',
      WEBHOOK_LOCAL_ADDRESS: '203.0.113.7',
      WEBHOOK_PROXY: 'http://egress:3128',
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,192.0.2.1',
      ROLE: 'worker',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'debug',
      CHAINS: 'fake',
    });
    expect(config).toMatchObject({
      port: 8080,
      baseUrl: 'https://pay.example.com/gateway',
      checkoutUrl: 'https://checkout.example.com',
      databaseUrl: 'postgres://u:p@db.internal:5432/quittance',
      dataDir: '/var/lib/quittance',
      masterKey: KEY,
      webhook: {
        allowedHosts: ['receiver.local:8080', '127.0.0.1', '::1', '[::1]:3000'],
        localAddress: '203.0.113.7',
        proxy: 'http://egress:3128',
      },
      trustedProxies: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'],
      role: 'worker',
      rateLimitPerMinute: 0,
      logLevel: 'debug',
      fakeChains: true,
    });
  });

  test('the checkout is where the base URL is unless it has its own', () => {
    expect(loaded({ BASE_URL: 'https://pay.example.com' }).checkoutUrl).toBe('https://pay.example.com');
    expect(loaded({ PORT: '81' }).checkoutUrl).toBe('http://localhost:81');
  });

  test('the configuration cannot be changed, at any depth', () => {
    const config = loaded({}, { chains: { tron: { rpc: ['http://node'] } } });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.webhook.allowedHosts)).toBe(true);
    expect(Object.isFrozen(config.chains.tron?.rpc)).toBe(true);
  });

  test('a database of the deployer needs a master key of the deployer', () => {
    expect(Object.keys(faults({ DATABASE_URL: 'postgres://db/q' }))).toEqual(['MASTER_KEY']);
    expect(loaded({ DATABASE_URL: 'postgresql://db/q', MASTER_KEY: KEY }).masterKey).toBe(KEY);
    const socket = 'postgres://u@/q?host=/run/postgresql';
    expect(loaded({ DATABASE_URL: socket, MASTER_KEY: KEY }).databaseUrl).toBe(socket);
  });

  test('32 bytes are a master key in hex and in either base64, other lengths are not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const key = Buffer.from(bytes);
        for (const encoding of ['hex', 'base64', 'base64url'] as const) {
          expect(loaded({ MASTER_KEY: key.toString(encoding) }).masterKey).toBe(key.toString('hex'));
        }
      }),
      { numRuns: 50 },
    );
    for (const length of [0, 16, 31, 33, 64]) {
      const text = Buffer.alloc(length, 7).toString('base64');
      if (text !== '') expect(Object.keys(faults({ MASTER_KEY: text }))).toEqual(['MASTER_KEY']);
    }
    expect(Object.keys(faults({ MASTER_KEY: KEY.slice(1) }))).toEqual(['MASTER_KEY']);
  });

  const refused: [name: string, values: string[]][] = [
    ['PORT', ['65536', '-1', '3000.0', '0x10', '1e3', 'http']],
    ['BASE_URL', ['pay.example.com', 'ftp://x', 'https://x/?a=1', 'https://x/#a', 'https://u:p@x', '//x']],
    ['CHECKOUT_URL', ['javascript:alert(1)', 'https://']],
    ['WEBHOOK_PROXY', ['egress:3128', 'socks5://egress', 'https://egress', 'http://egress/path']],
    ['WEBHOOK_LOCAL_ADDRESS', ['localhost', '0x7f.1', '10.0.0.0/8']],
    ['WEBHOOK_ALLOWED_HOSTS', ['http://localhost', 'a:99999', '[::1', '::1:x', 'a,,b', '*.local', 'a b']],
    [
      'TRUSTED_PROXIES',
      ['10.0.0.0/33', '10.0.0.0/', '0x7f.1', 'proxy.local', '10.0.0.1,', '::1/129', '1.2.3'],
    ],
    ['DATABASE_URL', ['mysql://db/q', 'postgres://', 'postgres:///q', 'db', 'postgres://a b/q']],
    ['ROLE', ['API', 'web']],
    ['RATE_LIMIT_PER_MINUTE', ['-1', '600/min', '1000001']],
    ['LOG_LEVEL', ['verbose', 'INFO']],
    ['CHAINS', ['none']],
  ];
  test.each(refused)('%s is parsed strictly', (name, values) => {
    for (const value of values)
      expect([value, ...Object.keys(faults({ MASTER_KEY: KEY, [name]: value }))]).toEqual([value, name]);
  });
});

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
          },
          tron: { rpc: ['http://tron'] },
        },
        assets: { usdt_tron: { contract: 'TXYZ', decimals: 6, min_amount_usd: '0.5', enabled: false } },
        rates: { source: 'static', usd: { btc_bitcoin: '65000.12' }, fiat: { EUR: '0.92' } },
        commission_percent: '0.4',
        risk: { deny: ['0xdead'], deny_file: 'deny.txt', provider_url: 'https://risk.example' },
      },
    );
    expect(config).toMatchObject({
      chains: {
        ethereum: {
          rpc: ['http://user:pass@node:8545', 'https://b.example/key'],
          chainId: 31337,
          confirmations: 2,
          pollMs: 250,
          startHeight: 0,
        },
        tron: {
          rpc: ['http://tron'],
          chainId: null,
          confirmations: null,
          pollMs: null,
          startHeight: null,
        },
      },
      assets: { usdt_tron: { contract: 'TXYZ', decimals: 6, minAmountUsd: '0.5', enabled: false } },
      rates: { source: 'static', usd: { btc_bitcoin: '65000.12' }, fiat: { EUR: '0.92' } },
      commissionPercent: '0.4',
      risk: { deny: ['0xdead'], denyFile: 'deny.txt', providerUrl: 'https://risk.example' },
    });
  });

  test('all faults of environment and file come at once, each with its place', () => {
    const found = faults(
      { PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://db', TRUSTED_PROXIES: 'me' },
      {
        chains: {
          ethereum: { rpc: ['http://ok', 'ftp://no'], confirmations: -1, poll_ms: 1.5, colour: 'red' },
          tron: {},
          bitcoin: { rpc: [] },
          dogecoin: { rpc: ['http://x'] },
        },
        assets: {
          eth_ethereum: { decimals: '18', enabled: 'yes', min_amount_usd: 2 },
          eth_tron: {},
        },
        rates: {
          source: 'guess',
          usd: { btc_bitcoin: 65000, 'a/b~c': '1' },
          fiat: { EUR: '0', USD: '2', XXX: '1' },
        },
        commission_percent: 1,
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
        'chains.bitcoin.rpc',
        'chains.dogecoin',
        'chains.ethereum.colour',
        'chains.ethereum.confirmations',
        'chains.ethereum.poll_ms',
        'chains.ethereum.rpc.1',
        'chains.tron.rpc',
        'colour',
        'commission_percent',
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
    expect(found['rates.usd.btc_bitcoin']).toBe(
      'must be a decimal above zero, as a string: put the number in quotes ("65000")',
    );
    expect(found.commission_percent).toContain('put the number in quotes ("1")');
    expect(found['chains.dogecoin']).toBe('is unknown here; known: bitcoin, ethereum, tron');
    expect(found['chains.tron.rpc']).toBe('must be a list of at least one http(s) URL');
    expect(found['assets.eth_ethereum.decimals']).toBe('must be a whole number, 0 to 36');
    expect(found['rates.source']).toBe('must be "http" or "static"');
  });

  test('a percentage is 0 or more and under 100', () => {
    for (const good of ['0', '0.0', '1', '99.999', '007']) {
      expect(loaded({}, { commission_percent: good }).commissionPercent).toBe(good);
    }
    for (const bad of ['100', '-1', '1e1', '.5', '5.', '1,5', '', 'NaN', '100.5']) {
      expect(Object.keys(faults({}, { commission_percent: bad }))).toEqual(['commission_percent']);
    }
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
