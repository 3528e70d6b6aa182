import { describe, expect, test } from 'bun:test';
import { faults, stageFaults, uniq } from '../../../support/http/body-faults.ts';
import { openHarness } from '../../../support/http/http-harness.ts';

stageFaults();

const EVM_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const TRON_ADDRESS = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
const PAYOUT = { address: EVM_ADDRESS, amount: 1, asset: 'usdt_ethereum' };

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
    ['/api/v2/payouts', { ...PAYOUT, amount: '1 ' }, ['amount']],
    ['/api/v2/payouts', { ...PAYOUT, fiat_currency: '' }, ['fiat_currency']],
    [
      '/api/v2/payouts',
      { ...PAYOUT, amount: -1, address: '', ref: 'x'.repeat(129), fee_bearer: 'x' },
      ['address', 'amount', 'ref', 'fee_bearer'],
    ],
    ['/api/v2/payouts', { ...PAYOUT, asset: 'nope', fiat_currency: 'XXX' }, ['fiat_currency', 'asset']],
    ['/api/v2/payouts', { ...PAYOUT, amount: 0.0000001 }, ['amount']],
    ['/api/v2/payouts', { ...PAYOUT, amount: 0.001, fiat_currency: 'USD' }, ['amount']],
    ['/api/v2/payouts', { ...PAYOUT, amount: 0.001, fiat_currency: 'native' }, []],
    [
      '/api/v2/payouts',
      { ...PAYOUT, address: TRON_ADDRESS, asset: 'usdt', chain: 'tron', fiat_currency: 'USD' },
      [],
    ],
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
      { user_id: 'u', asset: 'usdt', family: 'tron', metadata: [1], notify_url: 'x' },
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

test('the first fault is told in words beside the message that is always the same', async () => {
  const { call } = await openHarness();
  const { json } = await call('POST', '/api/v2/invoices', { body: { amount: 0, extra: 'a b' } });
  expect(json.error).toMatchObject({ message: 'Validation failed', hint: 'amount: must be above 0' });
  const query = await call('GET', '/api/v2/invoices?page=0');
  expect(query.json.error.hint).toBe('page: must be a whole number of at least 1');
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
      const { call, server, liveKey } = await openHarness();
      const list = path.endsWith('/test') ? '[1]' : '[]';
      for (const body of ['{', list, '"x"', 'null', '1', '{"a":1}x', ' ']) {
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
      const { call } = await openHarness();
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
      const { call, server, liveKey } = await openHarness();
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
      const { call } = await openHarness();
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
    const { call, sandboxKey } = await openHarness({
      merchant: { callbackUrl: 'https://shop.example/hook' },
    });
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
    const { call } = await openHarness();
    const answer = await call('POST', '/api/v2/invoices/aaaaaaaaaaaaaaaaaaaaaaaa/notify', {
      body: '{',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(404);
  });
});
