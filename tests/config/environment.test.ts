/** The environment: defaults, strict parsing, and every fault told at once with its name. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { faults, KEY, loaded } from '../support/configurations.ts';

describe('environment', () => {
  test('an empty environment is the embedded database on port 3000', () => {
    expect(loaded({})).toEqual({
      host: null,
      port: 3000,
      baseUrl: 'http://localhost:3000',
      checkoutUrl: 'http://localhost:3000',
      databaseUrl: null,
      databaseUrlRead: null,
      dataDir: './data',
      masterKey: null,
      role: 'all',
      rateLimitPerMinute: 600,
      retention: { webhookDays: 365, signedDays: 90, unpaidDays: 0 },
      logLevel: 'info',
      webhook: { allowedHosts: [], localAddress: null, proxy: null, headerPrefixes: [] },
      trustedProxies: [],
      mail: null,
      console: { isOn: true, registrationIsOpen: false, approvalAboveMicroUsd: null },
      operators: { mailTo: [], webhook: null },
      fakeChains: false,
      signer: { socket: null, policyFile: null, databaseUrl: null },
      chains: {},
      assets: {},
      ownAssets: [],
      rates: { source: 'http', usd: {}, fiat: {}, creditMaxAgeSeconds: 600 },
      commissionPercent: null,
      payouts: {
        maxUsd: null,
        maxUsdPerDay: null,
        max: {},
        floor: {},
        sweepCostPercent: '2',
        maxFeeFactor: 5,
      },
      treasury: { forward: {} },
      risk: { deny: [], denyFile: null, providerUrl: null },
      checkout: { explorers: {} },
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
      WEBHOOK_HEADER_PREFIXES: 'X-Paw, X-My-Shop2',
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,192.0.2.1',
      ROLE: 'worker',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'debug',
      CHAINS: 'fake',
      SIGNER_SOCKET: '/run/quittance/signer.sock',
      SIGNER_POLICY: 'policy.json',
      DATABASE_URL_SIGNER: 'postgres://signer:s@db.internal/quittance',
      CONSOLE: 'off',
      REGISTRATION: 'open',
      SMTP_URL: 'smtps://mail.example.com',
      MAIL_FROM: 'pay@example.com',
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
        headerPrefixes: ['X-Paw', 'X-My-Shop2'],
      },
      trustedProxies: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'],
      role: 'worker',
      rateLimitPerMinute: 0,
      logLevel: 'debug',
      console: { isOn: false, registrationIsOpen: true },
      fakeChains: true,
      signer: {
        socket: '/run/quittance/signer.sock',
        policyFile: 'policy.json',
        databaseUrl: 'postgres://signer:s@db.internal/quittance',
      },
    });
  });

  test('operators hear of alarms by e-mail and a webhook, and what is missing for that is named', () => {
    const mail = { SMTP_URL: 'smtps://u:p@mail.example', MAIL_FROM: 'pay@shop.example' };
    const hook = 'https://api.telegram.org/bot1:secret/sendMessage?chat_id=-5';
    const env = { OPERATOR_WEBHOOK_URL: hook, OPERATOR_WEBHOOK_FORMAT: 'telegram' };
    const to = { OPERATOR_MAIL_TO: 'ann@shop.example, bob@shop.example' };
    expect(loaded({ ...mail, ...env, ...to }).operators).toEqual({
      mailTo: ['ann@shop.example', 'bob@shop.example'],
      webhook: { url: hook, format: 'telegram' },
    });
    expect(loaded({ OPERATOR_WEBHOOK_URL: 'http://10.0.0.1/hook' }).operators.webhook?.format).toBe('json');
    expect(Object.keys(faults(to))).toEqual(['SMTP_URL']);
    const withoutChat = { ...env, OPERATOR_WEBHOOK_URL: 'https://api.telegram.org/bot1:secret/sendMessage' };
    expect(Object.keys(faults(withoutChat))).toEqual(['OPERATOR_WEBHOOK_URL']);
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
    const replica = { DATABASE_URL_READ: 'postgres://replica/q' };
    expect(Object.keys(faults(replica))).toEqual(['DATABASE_URL']);
    const both = { ...replica, DATABASE_URL: 'postgres://db/q', MASTER_KEY: KEY };
    expect(loaded(both).databaseUrlRead).toBe(replica.DATABASE_URL_READ);
    const pooled = { ...both, DATABASE_URL_READ: 'postgres://pooler/q?sslmode=require&pgbouncer=true' };
    expect(Object.keys(faults(pooled))).toEqual(['DATABASE_URL_READ']);
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

  test('registration sends e-mails, so it needs a mail server', () => {
    expect(faults({ REGISTRATION: 'open' })).toEqual({ SMTP_URL: 'is needed with REGISTRATION=open' });
    expect(loaded({ REGISTRATION: 'closed', CONSOLE: 'on' }).console).toMatchObject({
      isOn: true,
      registrationIsOpen: false,
    });
  });

  const refused: [name: string, values: string[]][] = [
    ['HOST', ['localhost', '0x7f.1', '10.0.0.0/8', '[::1]']],
    ['PORT', ['65536', '-1', '3000.0', '0x10', '1e3', 'http']],
    ['BASE_URL', ['pay.example.com', 'ftp://x', 'https://x/?a=1', 'https://x/#a', 'https://u:p@x', '//x']],
    ['CONSOLE', ['yes', 'ON', '1']],
    ['REGISTRATION', ['on', 'Open']],
    ['CHECKOUT_URL', ['javascript:alert(1)', 'https://']],
    ['WEBHOOK_PROXY', ['egress:3128', 'socks5://egress', 'https://egress', 'http://egress/path']],
    [
      'WEBHOOK_HEADER_PREFIXES',
      [
        'X-Paw,x-paw',
        'X-Paw,',
        'X-',
        '-X',
        'X--A',
        '1X',
        'X Paw',
        'X-Ä',
        'x-service',
        'Webhook',
        'X-CoinPayments',
        'A,B,C,D,E,F',
        `X${'a'.repeat(40)}`,
      ],
    ],
    ['WEBHOOK_LOCAL_ADDRESS', ['localhost', '0x7f.1', '10.0.0.0/8']],
    ['WEBHOOK_ALLOWED_HOSTS', ['http://localhost', 'a:99999', '[::1', '::1:x', 'a,,b', '*.local', 'a b']],
    [
      'TRUSTED_PROXIES',
      ['10.0.0.0/33', '10.0.0.0/', '0x7f.1', 'proxy.local', '10.0.0.1,', '::1/129', '1.2.3'],
    ],
    ['DATABASE_URL', ['mysql://db/q', 'postgres://', 'postgres:///q', 'db', 'postgres://a b/q']],
    ['OPERATOR_WEBHOOK_URL', ['hooks.example', 'ftp://x', 'https://u:p@x/', 'https://x/#a', 'http://x:0/']],
    ['OPERATOR_WEBHOOK_FORMAT', ['discord', 'Slack']],
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

test.each([
  ['0', true],
  ['30', true],
  ['29', false],
  ['-1', false],
  ['36501', false],
])('webhooks that are kept for %s days: %p', (days, isValid) => {
  for (const [name, key] of [
    ['RETENTION_WEBHOOK_DAYS', 'webhookDays'],
    ['RETENTION_UNPAID_DAYS', 'unpaidDays'],
  ] as const) {
    const env = { [name]: days };
    if (isValid) expect(loaded(env).retention[key]).toBe(Number(days));
    else expect(Object.keys(faults(env))).toEqual([name]);
  }
});
