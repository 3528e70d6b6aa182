/** What the TypeScript client tries again, how often, with which keys and after what pauses. */
import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test';
import { Quittance, type QuittanceError } from '../../clients/typescript/src/quittance.ts';

const OK = { ok: true, result: {} };
const LIST = { ok: true, result: [], pagination: { page: 1, pages: 0, per_page: 20, total: 0 } };
const TIMEOUT_MS = 12_345;

type Told = number | 'lost' | 'never' | { status: number; headers?: HeadersInit; body?: unknown };

let pauses: number[] = [];
let timers: Mock<typeof setTimeout>;

/**
 * Pauses are noted and take no time; the time limit of an attempt is over where no answer comes.
 */
beforeEach(() => {
  pauses = [];
  const fire = (run: () => void, milliseconds: number) => {
    if (milliseconds !== TIMEOUT_MS) pauses.push(milliseconds);
    else if (!expectsNothing) return 0;
    queueMicrotask(run);
    return 0;
  };
  timers = spyOn(globalThis, 'setTimeout').mockImplementation(fire as never);
});
afterEach(() => timers.mockRestore());

let expectsNothing = false;

/** A client whose service answers as told, the last for good. */
function facing(...told: readonly Told[]) {
  const requests: { method: string; headers: Headers; body: unknown }[] = [];
  expectsNothing = told.includes('never');
  const quittance = new Quittance({
    ...{ apiKey: 'sk_sandbox_1', baseUrl: 'https://pay.example/', timeoutMs: TIMEOUT_MS },
    async fetch(_, { method = '', headers, body, signal }) {
      const now = told[Math.min(requests.length, told.length - 1)]!;
      requests.push({ method, headers: new Headers(headers), body });
      if (now === 'lost') throw new TypeError('the connection was closed');
      if (now === 'never') {
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      }
      const {
        status,
        headers: answered = {},
        body: text = status < 300 ? OK : refusal(status),
      } = typeof now === 'number' ? { status: now } : now;
      return new Response(typeof text === 'string' ? text : JSON.stringify(text), {
        status,
        headers: answered,
      });
    },
  });
  return { quittance, requests };
}

const refusal = (status: number) => ({
  ok: false,
  error: { code: 'UNAVAILABLE', message: `status ${status}` },
});
const failure = (call: Promise<unknown>): Promise<QuittanceError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );

const PAYOUT = { address: 'a', amount: 1, asset: 'btc_bitcoin' };

describe('the TypeScript client tries again', () => {
  test('after each passing fault, with the same keys and body, until it is answered', async () => {
    for (const fault of ['lost', 'never', 408, 425, 429, 500, 502, 503, 504] as const) {
      const { quittance, requests } = facing(fault, fault, 201);
      await quittance.createPayout(PAYOUT);
      expect(requests, String(fault)).toHaveLength(3);
      for (const name of ['idempotency-key', 'x-uniq-id']) {
        const keys = requests.map(({ headers }) => headers.get(name));
        expect(new Set(keys).size).toBe(1);
        expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
      expect(requests[2]).toEqual(requests[0]!);
    }
  });

  test('with a key of its own for each call, unless one is given', async () => {
    const { quittance, requests } = facing(201);
    const given = { idempotencyKey: 'order-1', uniqId: crypto.randomUUID() };
    for (const options of [{}, {}, given]) await quittance.createPayout(PAYOUT, options);
    const keys = requests.map(({ headers }) => [headers.get('idempotency-key'), headers.get('x-uniq-id')]);
    expect(new Set(keys.slice(0, 2).flat()).size).toBe(4);
    expect(keys[2]).toEqual(Object.values(given));
  });

  test('three times unless told otherwise, with pauses that grow and vary, and tells the last fault', async () => {
    const { quittance, requests } = facing(503);
    expect(await failure(quittance.getBalance())).toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    expect(requests).toHaveLength(4);
    for (const [at, longest] of [500, 1_000, 2_000].entries())
      expect(pauses[at]).toBeWithin(longest / 2, longest + 1);
    await failure(quittance.getBalance({ retries: 0 }));
    expect(requests).toHaveLength(5);
    await failure(quittance.getBalance({ retries: 9 }));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(8_000);
    expect(new Set(pauses).size).toBe(pauses.length);
  });

  test('when Retry-After says, in seconds or as a date, and not where that is long', async () => {
    const after = (value: string) => ({ status: 429, headers: { 'retry-after': value } });
    await facing(after('7'), 200).quittance.getBalance();
    expect(pauses).toEqual([7_000]);
    await facing(after(new Date(Date.now() + 20_000).toUTCString()), 200).quittance.getBalance();
    expect(pauses[1]).toBeWithin(15_000, 20_001);
    const { quittance, requests } = facing(after('61'), 200);
    expect(await failure(quittance.getBalance())).toMatchObject({ status: 429 });
    expect(requests).toHaveLength(1);
  });
});

describe('the TypeScript client tries once', () => {
  test('what another than this API refuses, and says so whatever its words', async () => {
    for (const error of ['upstream', null, 1, [], {}, { message: 'x' }, { code: 1, message: 'x' }]) {
      const { quittance, requests } = facing({ status: 403, body: { ok: false, error } });
      expect(await failure(quittance.getBalance())).toMatchObject({
        ...{ code: 'UNEXPECTED_ANSWER', status: 403, message: expect.stringContaining('403') },
      });
      expect(requests).toHaveLength(1);
    }
  });

  test('what is not idempotent and takes no Idempotency-Key', async () => {
    const calls: ((quittance: Quittance) => Promise<unknown>)[] = [
      (quittance) => quittance.simulateInvoice('1', { status: 'success' }),
      (quittance) => quittance.cancelInvoice('1'),
      (quittance) => quittance.testNotification(),
      (quittance) => quittance.replayNotifications(),
    ];
    for (const call of calls) {
      const { quittance, requests } = facing('lost');
      expect(await failure(call(quittance))).toMatchObject({ code: 'NETWORK', status: 0 });
      expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null]);
    }
  });

  test('what the service refuses for good', async () => {
    for (const status of [301, 400, 401, 403, 404, 409, 422, 501]) {
      const { quittance, requests } = facing(status);
      expect(await failure(quittance.getBalance())).toMatchObject({ status });
      expect(requests).toHaveLength(1);
    }
  });

  test('what is answered as this API never does, and says so', async () => {
    for (const body of ['<html>', 'null', '{}', '[1]', '']) {
      const { quittance, requests } = facing({ status: 200, body, headers: { 'x-request-id': 'r1' } });
      expect(await failure(quittance.getBalance())).toMatchObject({
        ...{ code: 'UNEXPECTED_ANSWER', status: 200, requestId: 'r1' },
      });
      expect(requests).toHaveLength(1);
    }
  });
});

test('a signal ends a call with its reason: before it, during an attempt and in a pause', async () => {
  const reason = new Error('the customer left');
  const before = facing(200);
  expect(await failure(before.quittance.getBalance({ signal: AbortSignal.abort(reason) }))).toBe(
    reason as never,
  );
  expect(before.requests).toHaveLength(0);

  const during = facing('never');
  expectsNothing = false;
  const controller = new AbortController();
  const call = failure(during.quittance.getBalance({ signal: controller.signal }));
  await Promise.resolve();
  controller.abort(reason);
  expect(await call).toBe(reason as never);

  timers.mockImplementation((() => 0) as never);
  const pausing = new AbortController();
  const { quittance, requests } = facing(503);
  const waits = failure(quittance.getBalance({ signal: pausing.signal }));
  while (timers.mock.calls.length < 2) await Promise.resolve();
  pausing.abort(reason);
  expect(await waits).toBe(reason as never);
  expect(requests).toHaveLength(1);
});

test('what is no id is no part of a path: it would lead to another call', async () => {
  const { quittance, requests } = facing(200);
  for (const none of ['', '.', '..'])
    expect(await failure(Promise.try(() => quittance.getInvoice(none)))).toBeInstanceOf(TypeError);
  expect(requests).toEqual([]);
});

test('digits that are no number of JSON are left for the service to read', async () => {
  const { quittance, requests } = facing(201);
  const asked = ['007', '-00.5', '0.10', '12'];
  for (const amount of asked) await quittance.createInvoice({ amount });
  expect(requests.map(({ body }) => body)).toEqual([
    ...['{"amount":"007"}', '{"amount":"-00.5"}', '{"amount":0.10}', '{"amount":12}'],
  ]);
});

test('a query leaves out what is absent, and escapes the rest', async () => {
  const urls: string[] = [];
  const quittance = new Quittance({
    ...{ apiKey: 'k', baseUrl: 'https://pay.example/base/' },
    async fetch(url) {
      urls.push(url);
      return Response.json(LIST);
    },
  });
  await quittance.listInvoices({ date_from: '2026-01-31T10:00:00+01:00', per_page: 5 });
  await quittance.listInvoices();
  expect(urls).toEqual([
    'https://pay.example/base/api/v2/invoices?date_from=2026-01-31T10%3A00%3A00%2B01%3A00&per_page=5',
    'https://pay.example/base/api/v2/invoices',
  ]);
});
