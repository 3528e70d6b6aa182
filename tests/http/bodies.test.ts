import { describe, expect, test } from 'bun:test';
import { openHarness } from '../support/http-harness.ts';

const INVOICE = { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' };
const PAYOUT = { address: 'somewhere', amount: 1, asset: 'usdt_ethereum' };

function uniq() {
  return { headers: { 'x-uniq-id': crypto.randomUUID() } };
}

/** Field names of a 422, in order. */
async function faults(path: string, body: unknown): Promise<string[]> {
  const { call, sandboxKey } = openHarness();
  const created = await call('POST', '/api/v2/invoices', { key: sandboxKey, body: INVOICE });
  const at = path.replace(':id', created.json.result.order_id);
  const answer = await call('POST', at, { key: sandboxKey, body, ...uniq() });
  if (answer.status < 300) return [];
  expect([answer.status, answer.json.error.code, answer.json.error.message], answer.text).toEqual([
    422,
    'VALIDATION_ERROR',
    'Validation failed',
  ]);
  return answer.json.error.details.map(({ field }: { field: string }) => field);
}

describe('POST /invoices refuses, field by field,', () => {
  const long = (length: number) => 'x'.repeat(length);
  const cases: readonly (readonly [field: string, values: readonly unknown[]])[] = [
    ['amount', [undefined, null, '25', 0, -1, true, [], {}, 25.005, 1e15 + 2]],
    ['fiat_currency', ['XXX', '', 5, 'USDT', ['USD'], long(17)]],
    ['asset', ['nope', '', 5, long(65), 'usdt', 'eth', 'usdt_bitcoin', '__proto__', 'toString']],
    ['extra', ['', long(65), 'a b', 'ä', 5, 'a\n']],
    [
      'notify_url',
      [
        '',
        'x',
        'ftp://h',
        '//evil.example',
        'https:\\\\evil',
        'javascript:alert(1)',
        'data:text/html,x',
        'http://',
        `https://h/${long(500)}`,
        5,
      ],
    ],
    [
      'on_paid_url',
      [
        '',
        'javascript:alert(1)',
        'data:text/html,x',
        '//evil.example',
        'https:\\\\evil',
        'https:/evil',
        ' https://h',
        `https://h/${long(500)}`,
      ],
    ],
    ['on_cancel_url', ['JavaScript:alert(1)', 'vbscript:x', 'mailto:a@b.c']],
    ['ttl', [299, 86_401, 300.5, '3600', 1e20, -1]],
    ['metadata', [[], 'x', 5, 1.5, { a: long(16_400) }]],
    ['payer_info', [[], 'x', 5, { a: long(16_400) }]],
    ['payer_info.email', [{}]],
    ['title', [long(151), 5, {}]],
    ['description', [long(501), 5]],
    ['underpay_tolerance', [-0.1, 10.1, '1', 1.00001]],
    ['price_modifier', [-90.1, 90.1, '1', 1.00001]],
    ['accepted_coins', ['btc', {}, Array(101).fill('btc')]],
    [
      'accepted_coins.1',
      [
        ['btc', 'nope'],
        ['btc', 5],
        ['btc', 'usdt'],
      ],
    ],
    ['excluded_coins.0', [['nope'], [''], [null]]],
    ['billing_type', ['static', 'X', 5, '']],
    ['fee_bearer', ['nobody', 5]],
    ['permanent_address', ['true', 1]],
    ['user_id', ['', long(129), 5]],
    ['webhook_format', ['native', 5, 'native_v3']],
  ];
  for (const [field, values] of cases) {
    for (const value of values) {
      const shown = JSON.stringify(value)?.slice(0, 60) ?? 'nothing';
      test(`${field}: ${shown}`, async () => {
        const inner =
          field === 'payer_info.email'
            ? { payer_info: { email: 5 } }
            : { [field.split('.')[0] ?? '']: value };
        expect(await faults('/api/v2/invoices', { ...INVOICE, ...inner })).toContain(field);
      });
    }
  }

  test('all failing fields at once, those beyond the schema included', async () => {
    const body = {
      amount: 'x',
      asset: 'nope',
      ttl: 1,
      notify_url: 'ftp://h',
      accepted_coins: ['zzz'],
      extra: 'a b',
    };
    expect((await faults('/api/v2/invoices', body)).toSorted()).toEqual([
      'accepted_coins.0',
      'amount',
      'asset',
      'extra',
      'notify_url',
      'ttl',
    ]);
  });

  test('a chain that is unknown, alone, or not the asset’s', async () => {
    expect(await faults('/api/v2/invoices', { amount: 1, chain: 'tron' })).toEqual(['chain']);
    expect(await faults('/api/v2/invoices', { amount: 1, asset: 'usdt', chain: 'nope' })).toEqual(['asset']);
    expect(await faults('/api/v2/invoices', { amount: 1, asset: 'usdt_tron', chain: 'ethereum' })).toEqual([
      'chain',
    ]);
  });

  test('a permanent address without VARY or a user', async () => {
    const body = { ...INVOICE, permanent_address: true };
    expect(await faults('/api/v2/invoices', body)).toEqual(['billing_type', 'user_id']);
    expect(await faults('/api/v2/invoices', { ...body, billing_type: 'STATIC', user_id: 'u' })).toEqual([
      'billing_type',
    ]);
  });

  test('an amount with more decimals than its currency has', async () => {
    const cases = [
      [{ amount: 0.001 }, ['amount']],
      [{ amount: 10.55, fiat_currency: 'JPY' }, ['amount']],
      [{ amount: 10.55, fiat_currency: 'EUR' }, []],
      [{ amount: 10.1234567, asset: 'usdt_tron' }, ['amount']],
      [{ amount: 10.123456, asset: 'usdt_tron' }, []],
      [{ amount: 10.123456, asset: 'usdt_tron', fiat_currency: 'USD' }, ['amount']],
      [{ amount: 1.123456789, asset: 'btc' }, ['amount']],
    ] as const;
    for (const [body, expected] of cases)
      expect(await faults('/api/v2/invoices', body), JSON.stringify(body)).toEqual([...expected]);
    const eighteen = (digits: string) =>
      faults('/api/v2/invoices', `{"amount":${digits},"asset":"eth_base"}`);
    expect(await eighteen('0.123456789012345678')).toEqual([]);
    expect(await eighteen('0.1234567890123456789')).toEqual(['amount']);
    expect(await eighteen('1e3')).toEqual([]);
    expect(await eighteen('1.50')).toEqual([]);
    expect(await eighteen('1e16')).toEqual(['amount']);
    expect(await eighteen('1e400')).toEqual(['amount']);
    expect(await eighteen(`1${'0'.repeat(90)}`)).toEqual(['amount']);
  });
});

describe('POST /invoices takes', () => {
  test('what the bounds allow, to the last character', async () => {
    const body = {
      ...INVOICE,
      extra: 'x'.repeat(64),
      title: '\u{1f600}'.repeat(150),
      description: 'x'.repeat(500),
      ttl: 300,
      underpay_tolerance: 10,
      price_modifier: -90,
      user_id: 'u'.repeat(128),
      notify_url: `https://h.example/${'x'.repeat(482)}`,
      metadata: { a: 'x'.repeat(16_376) },
      accepted_coins: [],
    };
    expect(await faults('/api/v2/invoices', body)).toEqual([]);
  });

  test('null for what may be left out, and fields it does not know', async () => {
    const { call } = openHarness();
    const answer = await call('POST', '/api/v2/invoices', {
      body: {
        amount: 5,
        asset: null,
        ttl: null,
        metadata: null,
        title: null,
        unknown: { deep: [1] },
        accepted_coins: null,
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.json.result).toMatchObject({
      asset: null,
      fiat_currency: 'USD',
      initial_fiat_amount: 5,
      accepted_coins: null,
    });
  });

  test('short names, and answers full keys', async () => {
    const { call } = openHarness();
    const names = [
      [{ asset: 'btc' }, 'btc_bitcoin'],
      [{ asset: 'usdt_trc20' }, 'usdt_tron'],
      [{ asset: 'usdt', chain: 'tron' }, 'usdt_tron'],
      [{ asset: 'USDT', chain: 'ERC20' }, 'usdt_ethereum'],
    ] as const;
    for (const [name, key] of names) {
      const answer = await call('POST', '/api/v2/invoices', {
        body: { ...name, amount: 5, fiat_currency: 'eur', accepted_coins: ['xmr', 'bnb'] },
      });
      expect(answer.json.result).toMatchObject({
        asset: key,
        accepted_coins: ['xmr_monero', 'bnb_bsc'],
        fiat_currency: 'EUR',
      });
    }
  });

  test('metadata and payer_info with their exact numbers, both ways', async () => {
    const { call, application } = openHarness();
    const body =
      '{"amount":5,"metadata":{"a":0.1234567890123456789,"b":[1.50,1e3]},"payer_info":{"name":"Ä","n":12345678901234567890}}';
    const answer = await call('POST', '/api/v2/invoices', { body });
    expect(answer.text).toContain('"metadata":{"a":0.1234567890123456789,"b":[1.50,1e3]}');
    expect(answer.text).toContain('"payer_info":{"name":"Ä","n":12345678901234567890}');
    expect(application.tables.invoices).toHaveLength(1);
  });

  test('no other webhook format than its own so far', async () => {
    const { call } = openHarness();
    const answer = await call('POST', '/api/v2/invoices', {
      body: { ...INVOICE, webhook_format: 'cryptomus' },
    });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'INVOICE_REJECTED']);
    expect(answer.json.error.message).toContain('native_v2');
    expect(
      (await call('POST', '/api/v2/invoices', { body: { ...INVOICE, webhook_format: 'native_v2' } })).status,
    ).toBe(201);
  });
});

describe('other bodies refuse, field by field,', () => {
  const cases: readonly [path: string, body: unknown, expected: readonly string[]][] = [
    ['/api/v2/invoices/:id/simulate', {}, ['status']],
    ['/api/v2/invoices/:id/simulate', { status: 'created' }, ['status']],
    [
      '/api/v2/invoices/:id/simulate',
      { status: 'confirming', send_webhook: 'no', notify_url: 'x' },
      ['status', 'send_webhook', 'notify_url'],
    ],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: 0 }, ['paid_amount']],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: 'ten' }, ['paid_amount']],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: '-1' }, ['paid_amount']],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: '1.1234567' }, ['paid_amount']],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: true }, ['paid_amount']],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: '12.5' }, []],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: 12.5, notify_url: null }, []],
    ['/api/v2/invoices/:id/simulate', { status: 'success', paid_amount: null, send_webhook: false }, []],
    ['/api/v2/payouts', {}, ['address', 'amount', 'asset']],
    ['/api/v2/payouts', { ...PAYOUT, amount: '1' }, ['amount']],
    [
      '/api/v2/payouts',
      { ...PAYOUT, amount: -1, address: '', ref: 'x'.repeat(129), fee_bearer: 'x' },
      ['address', 'amount', 'ref', 'fee_bearer'],
    ],
    ['/api/v2/payouts', { ...PAYOUT, asset: 'nope', fiat_currency: 'XXX' }, ['fiat_currency', 'asset']],
    ['/api/v2/payouts', { ...PAYOUT, amount: 0.0000001 }, ['amount']],
    ['/api/v2/payouts', { ...PAYOUT, amount: 0.001, fiat_currency: 'USD' }, ['amount']],
    ['/api/v2/payouts', { ...PAYOUT, amount: 0.001, fiat_currency: 'native' }, []],
    ['/api/v2/payouts', { ...PAYOUT, asset: 'usdt', chain: 'tron', fiat_currency: 'USD' }, []],
    ['/api/v2/payouts', '{"address":"a","amount":1,"amount":1000,"asset":"btc"}', ['amount']],
    ['/api/v2/payouts', '{"address":"a","amount":1,"asset":"btc","\\u0061ddress":"b"}', ['address']],
    ['/api/v2/payouts/batch', {}, ['items']],
    ['/api/v2/payouts/batch', { items: [] }, ['items']],
    ['/api/v2/payouts/batch', { items: Array(201).fill(PAYOUT) }, ['items']],
    [
      '/api/v2/payouts/batch',
      { items: [PAYOUT, 5, { ...PAYOUT, amount: 'x', asset: 'zzz' }] },
      ['items.1', 'items.2.amount', 'items.2.asset'],
    ],
    ['/api/v2/payouts/batch', { items: [1.5] }, ['items.0']],
    [
      '/api/v2/payouts/batch',
      '{"items":[{"address":"a","amount":1,"asset":"btc","amount":2}]}',
      ['items.0.amount'],
    ],
    ['/api/v2/payouts/batch', { items: Array(200).fill({ ...PAYOUT, ref: null }) }, []],
    ['/api/v2/permanent', {}, ['user_id', 'family']],
    ['/api/v2/permanent', { user_id: '', family: 'x' }, ['user_id', 'family']],
    ['/api/v2/permanent', { user_id: 'u', family: 'monero' }, ['family']],
    ['/api/v2/permanent', { user_id: 'u', asset: 'xmr' }, ['asset']],
    ['/api/v2/permanent', { user_id: 'u', asset: 'usdt' }, ['family']],
    ['/api/v2/permanent', { user_id: 'u', asset: 'nope' }, ['asset']],
    ['/api/v2/permanent', { user_id: 'u', asset: 'usdt_tron', family: 'evm' }, ['asset']],
    [
      '/api/v2/permanent',
      { user_id: 'u', asset: 'usdt', family: 'tron', metadata: [], notify_url: 'x' },
      ['metadata', 'notify_url'],
    ],
    ['/api/v2/permanent', { user_id: 'u', asset: 'eth' }, []],
    ['/api/v2/permanent', { user_id: 'u', asset: 'usdt_trc20', family: 'tron' }, []],
    ['/api/v2/notifications/test', { url: 'x' }, ['url']],
    ['/api/v2/notifications/test', { url: 5 }, ['url']],
  ];
  for (const [path, body, expected] of cases) {
    const shown = typeof body === 'string' ? body : JSON.stringify(body).slice(0, 90);
    test(`${path} ${shown}: ${expected.length === 0 ? 'nothing' : expected.join(', ')}`, async () => {
      expect((await faults(path, body)).toSorted()).toEqual([...new Set(expected)].toSorted());
    });
  }
});

describe('whatever the endpoint, a body', () => {
  const bodyPaths = [
    '/api/v2/invoices',
    '/api/v2/payouts',
    '/api/v2/payouts/batch',
    '/api/v2/permanent',
    '/api/v2/notifications/test',
  ];
  for (const path of bodyPaths) {
    test(`of ${path} must be one JSON object in UTF-8`, async () => {
      const { call, server, liveKey } = openHarness();
      for (const body of ['{', '[]', '"x"', 'null', '1', '{"a":1}x', ' ']) {
        const answer = await call('POST', path, { body, ...uniq() });
        expect([answer.status, answer.json.error.code], body).toEqual([400, 'INVALID_JSON']);
      }
      const headers = {
        'x-api-key': liveKey,
        'content-type': 'application/json',
        'x-test-socket': '127.0.0.1',
        'x-uniq-id': crypto.randomUUID(),
      };
      const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
      const invalid = await server.handle(
        new Request(`http://localhost${path}`, { method: 'POST', headers, body: bytes }),
      );
      expect(invalid.status).toBe(400);
    });

    test(`of ${path} must be called application/json`, async () => {
      const { call } = openHarness();
      const wrong = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'application/json; charset=utf-16',
        'x',
      ];
      for (const type of wrong) {
        const answer = await call('POST', path, {
          body: {},
          headers: { ...uniq().headers, 'content-type': type },
        });
        expect([answer.status, answer.json.error.code], type).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      }
      const zipped = await call('POST', path, {
        body: {},
        headers: { ...uniq().headers, 'content-encoding': 'gzip' },
      });
      expect(zipped.status).toBe(415);
      for (const type of [
        'Application/JSON',
        'application/json;charset=UTF-8',
        'application/json; charset="utf-8"',
      ]) {
        const answer = await call('POST', path, {
          body: {},
          headers: { ...uniq().headers, 'content-type': type },
        });
        expect(answer.status, type).not.toBe(415);
      }
    });

    test(`of ${path} is bounded, declared or chunked`, async () => {
      const { call, server, liveKey } = openHarness();
      const limit = path.endsWith('/batch') ? 1024 * 1024 : 256 * 1024;
      const padded = (length: number) => `{"unknown":"${'x'.repeat(length - 14)}"}`;
      const over = await call('POST', path, { body: padded(limit + 1), ...uniq() });
      expect([over.status, over.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      const fits = await call('POST', path, { body: padded(limit), ...uniq() });
      expect(fits.status).not.toBe(413);
      let sent = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
      const headers = {
        'x-api-key': liveKey,
        'content-type': 'application/json',
        'x-test-socket': '127.0.0.1',
        ...uniq().headers,
      };
      const cut = await server.handle(
        new Request(`http://localhost${path}`, { method: 'POST', headers, body: endless }),
      );
      expect(cut.status).toBe(413);
      expect(sent).toBeLessThan(limit + 4 * 65_536);
    });

    test(`of ${path} holds no NUL, no half characters and no deep nests`, async () => {
      const { call } = openHarness();
      const cases = [
        ['{"x":"a\\u0000b"}', 'x'],
        ['{"metadata":{"k":["\\ud800"]}}', 'metadata.k.0'],
        [`{"x":${'['.repeat(20)}${']'.repeat(20)}}`, 'body'],
        [`{"x":${'['.repeat(30_000)}`, 'body'],
      ] as const;
      for (const [body, field] of cases) {
        const answer = await call('POST', path, { body, ...uniq() });
        expect([answer.status, answer.json.error.details[0].field]).toEqual([422, field]);
      }
    });
  }

  test('is needed where something must be given, and may be missing where nothing must', async () => {
    const { call, sandboxKey } = openHarness({ merchant: { callbackUrl: 'https://shop.example/hook' } });
    for (const path of [
      '/api/v2/invoices',
      '/api/v2/payouts',
      '/api/v2/permanent',
      '/api/v2/invoices/aaaaaaaaaaaaaaaaaaaaaaaa/simulate',
    ]) {
      const answer = await call('POST', path, { key: sandboxKey, ...uniq() });
      expect([answer.status, answer.json.error.code], path).toEqual([400, 'INVALID_JSON']);
    }
    expect((await call('POST', '/api/v2/notifications/test')).status).toBe(200);
    expect((await call('POST', '/api/v2/notifications/test', { body: '' })).status).toBe(200);
  });

  test('is not looked at where the endpoint takes none', async () => {
    const { call } = openHarness();
    const answer = await call('POST', '/api/v2/invoices/aaaaaaaaaaaaaaaaaaaaaaaa/notify', {
      body: '{',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(404);
  });
});
