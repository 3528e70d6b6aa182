import { describe, expect, test } from 'bun:test';
import { API_ROUTES } from '../../../../src/adapters/http/api.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import type { CallOptions } from '../../../support/http/called-server.ts';
import { openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const UNIQ_ID = '0b9f7f0e-9d0a-4d0e-8d69-5f5b2b8c6a11';
const MISSING_ID = 'aaaaaaaaaaaaaaaaaaaaaaaa';
const PAYOUT = { address: '0x52908400098527886E0F7030069857D2E4169EE7', amount: 1, asset: 'usdt_ethereum' };

function code(answer: { json: { error?: { code: string } } | null }): string | undefined {
  return answer.json?.error?.code;
}

describe('every endpoint', () => {
  for (const { method, path, idName } of API_ROUTES) {
    const at = path.replace(/:\w+/, MISSING_ID);

    test(`${method} ${path} needs a key, before anything else`, async () => {
      const { call } = await openHarness();
      for (const key of [null, '', 'sk_live_wrong', 'x'.repeat(1_000)]) {
        const answer = await call(method, at, { key, ...(method === 'POST' ? { body: '{' } : {}) });
        expect(answer.status).toBe(401);
        expect(code(answer)).toBe('UNAUTHORIZED');
      }
    });

    test(`${method} ${path} is closed to a paused merchant's live key, and open to its sandbox key`, async () => {
      const { call, sandboxKey } = await openHarness({ merchant: { status: 'paused' } });
      const live = await call(method, at);
      expect(live.status).toBe(403);
      expect(live.json.error).toMatchObject({
        code: 'MERCHANT_INACTIVE',
        details: { status: 'paused', kyc: 'approved' },
      });
      expect((await call(method, at, { key: sandboxKey })).status).not.toBe(403);
    });

    if (idName !== null) {
      test(`${method} ${path} refuses what is no id, before its body`, async () => {
        const { call, sandboxKey } = await openHarness();
        for (const id of [
          'x',
          'aaaaaaaaaaaaaaaaaaaaaaa',
          'aaaaaaaaaaaaaaaaaaaaaaaaa',
          'zzzzzzzzzzzzzzzzzzzzzzzz',
          '%00',
          '%E0%A4%A',
        ]) {
          const answer = await call(method, path.replace(/:\w+/, id), {
            key: sandboxKey,
            ...(method === 'POST' ? { body: '{' } : {}),
          });
          expect([answer.status, code(answer)], id).toEqual([400, 'INVALID_ID']);
        }
      });
    }
  }
});

describe('the merchant gates', () => {
  const cases = [
    [{ status: 'pending_verification' }, 'MERCHANT_INACTIVE', 200],
    [{ status: 'rejected' }, 'MERCHANT_INACTIVE', 403],
    [{ kyc: 'pending' }, 'KYC_REQUIRED', 200],
    [{ kyc: 'rejected' }, 'KYC_REQUIRED', 200],
    [{ status: 'rejected', kyc: 'rejected' }, 'MERCHANT_INACTIVE', 403],
  ] as const;
  for (const [merchant, expected, sandboxStatus] of cases) {
    test(`${JSON.stringify(merchant)} answers ${expected} on live and ${sandboxStatus} on the sandbox`, async () => {
      const { call, sandboxKey } = await openHarness({ merchant });
      const live = await call('GET', '/api/v2/balance');
      expect([live.status, code(live)]).toEqual([403, expected]);
      expect((await call('GET', '/api/v2/balance', { key: sandboxKey })).status).toBe(sandboxStatus);
    });
  }
});

describe('payouts go through their gates in order', () => {
  const paths = [
    ['/api/v2/payouts', PAYOUT],
    ['/api/v2/payouts/batch', { items: [PAYOUT] }],
  ] as const;
  for (const [path, body] of paths) {
    test(`${path}: key, status, address, header, body, duplicate, rule`, async () => {
      const harness = await openHarness({ merchant: { allowedSubnets: ['203.0.113.0/24'] } });
      await harness.earn(100);
      const outside: CallOptions = { body: '{', from: '198.51.100.1' };
      const inside: CallOptions = { body: '{', from: '203.0.113.7' };
      const steps: readonly [options: CallOptions, status: number, code: string][] = [
        [{ ...outside, key: null }, 401, 'UNAUTHORIZED'],
        [outside, 403, 'PAYOUTS_DISABLED'],
        [{ ...outside, from: null }, 403, 'PAYOUTS_DISABLED'],
        [{ ...outside, headers: { 'x-forwarded-for': '203.0.113.7' } }, 403, 'PAYOUTS_DISABLED'],
        [inside, 400, 'MISSING_HEADER'],
        [{ ...inside, headers: { 'x-uniq-id': 'x' } }, 400, 'INVALID_HEADER'],
        [
          { ...inside, headers: { 'x-uniq-id': '0b9f7f0e-9d0a-1d0e-8d69-5f5b2b8c6a11' } },
          400,
          'INVALID_HEADER',
        ],
        [{ ...inside, headers: { 'x-uniq-id': UNIQ_ID } }, 400, 'INVALID_JSON'],
        [{ ...inside, headers: { 'x-uniq-id': UNIQ_ID }, body: {} }, 422, 'VALIDATION_ERROR'],
      ];
      for (const [options, status, expected] of steps) {
        const answer = await harness.call('POST', path, options);
        expect([answer.status, code(answer)]).toEqual([status, expected]);
      }
      const accepted = await harness.call('POST', path, {
        ...inside,
        headers: { 'x-uniq-id': UNIQ_ID },
        body,
      });
      expect(accepted.status).toBe(201);
      const again = { ...inside, headers: { 'x-uniq-id': UNIQ_ID.toUpperCase() }, body };
      const duplicate = await harness.call('POST', path, again);
      expect([duplicate.status, code(duplicate)]).toEqual([409, 'DUPLICATE']);
      const { order_id, batch_id } = accepted.json.result;
      expect(duplicate.json.error.details).toEqual(batch_id === undefined ? { order_id } : { batch_id });
      const what = batch_id === undefined ? `payout ${order_id}` : `batch ${batch_id}`;
      expect(duplicate.json.error.message).toBe(
        `This X-Uniq-Id was used within the last 2 hours: it created ${what}.`,
      );
      const malformed = await harness.call('POST', path, { ...again, body: '{' });
      expect(malformed.status).toBe(400);
    });
  }

  test('an empty list of subnets lets nobody in, the sandbox neither', async () => {
    const { call, sandboxKey } = await openHarness({ merchant: { allowedSubnets: [] } });
    for (const key of [undefined, sandboxKey]) {
      const answer = await call('POST', '/api/v2/payouts', {
        ...(key === undefined ? {} : { key }),
        body: PAYOUT,
        headers: { 'x-uniq-id': UNIQ_ID },
      });
      expect([answer.status, code(answer)]).toEqual([403, 'PAYOUTS_DISABLED']);
    }
  });

  test('behind a trusted proxy the forwarded address decides', async () => {
    const { call, earn } = await openHarness({
      config: { trustedProxies: ['10.0.0.0/8'] },
      merchant: { allowedSubnets: ['203.0.113.0/24'] },
    });
    await earn(100);
    const via = (forwarded: string) =>
      call('POST', '/api/v2/payouts', {
        body: PAYOUT,
        from: '::ffff:10.0.0.1',
        headers: { 'x-uniq-id': crypto.randomUUID(), 'x-forwarded-for': forwarded },
      });
    expect((await via('203.0.113.7')).status).toBe(201);
    expect((await via('203.0.113.7, 198.51.100.1')).status).toBe(403);
    expect((await via('203.0.113.7, nonsense')).status).toBe(403);
  });

  test('reading payouts needs no address', async () => {
    const { call } = await openHarness({ merchant: { allowedSubnets: [] } });
    expect((await call('GET', '/api/v2/payouts', { from: '198.51.100.1' })).status).toBe(200);
  });

  test('the id of the path comes before the query', async () => {
    const { call } = await openHarness();
    expect(code(await call('GET', '/api/v2/invoices/x?page=x'))).toBe('INVALID_ID');
  });
});

describe('paths and methods', () => {
  test('an unknown path is 401 without a key and 404 in the envelope with one', async () => {
    const { call } = await openHarness();
    for (const path of ['/api/v2', '/api/v2/', '/api/v2/nothing', '/api/v2/invoices/x/y/z']) {
      expect((await call('GET', path, { key: null })).status, path).toBe(401);
      const known = await call('GET', path);
      expect([known.status, code(known)], path).toEqual([404, 'NOT_FOUND']);
    }
    const outside = await call('GET', '/elsewhere', { key: null });
    expect([outside.status, code(outside)]).toEqual([404, 'NOT_FOUND']);
  });

  test('a wrong method is 405 and names the right ones', async () => {
    const { call } = await openHarness();
    const cases = [
      ['PUT', '/api/v2/invoices', 'POST, GET'],
      ['DELETE', '/api/v2/balance', 'GET'],
      ['GET', '/api/v2/invoices/x/notify', 'POST'],
      ['PATCH', `/api/v2/permanent/${MISSING_ID}`, 'GET, DELETE'],
      ['POST', '/health', 'GET'],
    ] as const;
    for (const [method, path, allow] of cases) {
      const answer = await call(method, path);
      expect([answer.status, code(answer), answer.headers.get('allow')]).toEqual([
        405,
        'METHOD_NOT_ALLOWED',
        allow,
      ]);
    }
    expect((await call('PUT', '/api/v2/invoices', { key: null })).status).toBe(401);
  });

  test('HEAD answers like GET without a body', async () => {
    const { call } = await openHarness();
    const head = await call('HEAD', '/api/v2/balance');
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await call('HEAD', '/api/v2/balance', { key: null })).status).toBe(401);
    expect((await call('HEAD', '/api/v2/payouts/batch')).status).toBe(400);
  });

  test('a slash at the end changes nothing', async () => {
    const { call } = await openHarness();
    expect((await call('GET', '/api/v2/balance/')).status).toBe(200);
  });
});

describe('request ids and logs', () => {
  test('a well-formed X-Request-Id is taken over, another one is replaced', async () => {
    const { call } = await openHarness();
    const given = async (id: string) =>
      (await call('GET', '/api/v2/balance', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await given('my-request_1')).toBe('my-request_1');
    expect(await given('x'.repeat(64))).toBe('x'.repeat(64));
    for (const bad of ['', 'x'.repeat(65), 'a b', 'a;b']) expect(await given(bad)).toMatch(/^10000000-/);
  });

  test('one line per request says what happened and holds no key, body or id of the path', async () => {
    const { call, logs, merchant, liveKey } = await openHarness();
    const secret = 'customer@example.com';
    await call('POST', '/api/v2/invoices', { body: { amount: 5, payer_info: { email: secret } } });
    await call('GET', `/api/v2/invoices/${MISSING_ID}?order_ids=secret`);
    await call('GET', '/api/v2/balance', { key: null });
    const lines = logs.filter(
      ({ event, fields }) => event === 'http.request' && fields.route !== '/openapi.json',
    );
    expect(
      lines.map(({ fields }) => [fields.method, fields.route, fields.status, fields.merchant_id]),
    ).toEqual([
      ['POST', '/api/v2/invoices', 201, merchant.id],
      ['GET', '/api/v2/invoices/:invoice_id', 404, merchant.id],
      ['GET', '/api/v2/balance', 401, null],
    ]);
    expect(
      lines.every(
        ({ fields }) => typeof fields.duration_ms === 'number' && typeof fields.request_id === 'string',
      ),
    ).toBe(true);
    const text = JSON.stringify(logs);
    for (const hidden of [liveKey, secret, MISSING_ID]) expect(text).not.toContain(hidden);
  });
});

describe('failures', () => {
  test('storage that is away is 503 with Retry-After, on every endpoint that reads it', async () => {
    for (const path of [
      '/api/v2/invoices',
      '/api/v2/payouts',
      '/api/v2/permanent',
      '/api/v2/balance',
      '/api/v2/ledger',
      '/api/v2/notifications',
      '/api/v2/events',
    ]) {
      const { call, failNext } = await openHarness();
      failNext(new StorageUnavailable('connection refused at 10.0.0.5'));
      const answer = await call('GET', path);
      expect([answer.status, code(answer), answer.headers.get('retry-after')]).toEqual([
        503,
        'UNAVAILABLE',
        '5',
      ]);
      expect(answer.text).not.toContain('10.0.0.5');
    }
  });

  test('a bug is 500 with nothing but the request id, and its stack is logged', async () => {
    const { call, failNext, logs } = await openHarness();
    failNext(new Error('secret internals'));
    const answer = await call('POST', '/api/v2/invoices', {
      body: { amount: 5 },
      headers: { 'x-request-id': 'req-1' },
    });
    expect(answer.status).toBe(500);
    expect(answer.json.error).toMatchObject({ code: 'INTERNAL_ERROR', details: { request_id: 'req-1' } });
    expect(answer.text).not.toContain('secret internals');
    const line = logs.find(({ level }) => level === 'error');
    expect(line?.fields).toMatchObject({ request_id: 'req-1' });
    expect(String(line?.fields.error)).toContain('secret internals');
  });
});
