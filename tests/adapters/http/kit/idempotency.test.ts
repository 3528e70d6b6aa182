/** `Idempotency-Key`: a request may be repeated by whoever does not know what became of it. */
import { describe, expect, test } from 'bun:test';
import { API_ROUTES } from '../../../../src/adapters/http/api.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import type { Answered } from '../../../support/http/called-server.ts';
import { type Harness, harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const INVOICE = { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron', extra: 'order-1' };
const PAYOUT = { address: '0x52908400098527886E0F7030069857D2E4169EE7', amount: 1, asset: 'usdt_ethereum' };
const PERMANENT = { user_id: 'user-1', family: 'tron' };
const DAY = 86_400;

interface Sent {
  /** The Idempotency-Key. */
  readonly key?: string;
  readonly apiKey?: string;
  readonly uniqId?: string;
  readonly from?: string;
}

/**
 * Sends with the sandbox key and the Idempotency-Key `k`, and payouts with a fresh X-Uniq-Id,
 * unless told otherwise.
 */
function sender({ call, sandboxKey }: Harness) {
  return (path: string, body: unknown, given: Sent = {}) => {
    const { key = 'k', apiKey = sandboxKey, uniqId = crypto.randomUUID(), from } = given;
    const headers = { 'idempotency-key': key, 'x-uniq-id': uniqId };
    return call('POST', `/api/v2${path}`, {
      key: apiKey,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(from === undefined ? {} : { from }),
    });
  };
}

/** The very answer of the first request, and that it says so. */
function expectReplay(again: Answered, first: Answered): void {
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
}

const codeOf = ({ status, json }: Answered) => [status, json.error?.code];

async function total({ call, sandboxKey: key }: Harness, list: string): Promise<number> {
  return (await call('GET', `/api/v2/${list}`, { key })).json.pagination.total;
}

describe('a request that is repeated with its Idempotency-Key', () => {
  test('Q1: is answered byte for byte as the first, and makes nothing, although the invoice has changed since', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    const first = await send('/invoices', INVOICE);
    expect(first.status).toBe(201);
    const id = first.json.result.order_id;
    await harness.call('POST', `/api/v2/invoices/${id}/simulate`, {
      key: harness.sandboxKey,
      body: { status: 'success', send_webhook: false },
    });
    expectReplay(await send('/invoices', INVOICE), first);
    expect(await total(harness, 'invoices')).toBe(1);
  });

  test('Q1: and comes at the same moment waits for the first, and is told the same', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    await harness.earn(100, harness.sandboxKey);
    const before = await total(harness, 'invoices');
    for (const [path, body] of [
      ['/invoices', INVOICE],
      ['/payouts', PAYOUT],
      ['/permanent', PERMANENT],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => send(path, body, { key: path })));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
      expect([answers[0]?.status, replayed.length]).toEqual([201, 29]);
    }
    expect([await total(harness, 'invoices'), await total(harness, 'payouts')]).toEqual([before + 1, 1]);
    const { available } = (await harness.call('GET', '/api/v2/balance', { key: harness.sandboxKey })).json
      .result;
    expect(available).toBeGreaterThan(90);
  });

  test('Q1: pays once, whether its X-Uniq-Id is the same or a fresh one', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    await harness.earn(100, harness.sandboxKey);
    const uniqId = crypto.randomUUID();
    const first = await send('/payouts', PAYOUT, { uniqId });
    expectReplay(await send('/payouts', PAYOUT, { uniqId }), first);
    expectReplay(await send('/payouts', PAYOUT), first);
    const batch = await send('/payouts/batch', { items: [PAYOUT, PAYOUT] }, { key: 'b' });
    expectReplay(await send('/payouts/batch', { items: [PAYOUT, PAYOUT] }, { key: 'b' }), batch);
    expect(await total(harness, 'payouts')).toBe(3);
  });

  test('names the permanent address that it was given, although that was deactivated since', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    const first = await send('/permanent', PERMANENT);
    const { id } = first.json.result;
    await harness.call('DELETE', `/api/v2/permanent/${id}`, { key: harness.sandboxKey });
    expectReplay(await send('/permanent', PERMANENT), first);
    expect((await send('/permanent', PERMANENT, { key: 'another' })).json.result.id).not.toBe(id);
    const known = await send('/permanent', PERMANENT, { key: 'a third' });
    expectReplay(await send('/permanent', PERMANENT, { key: 'a third' }), known);
  });

  test('queues a webhook once', async () => {
    const harness = await openHarness({ merchant: { callbackUrl: 'https://shop.example/hook' } });
    const send = sender(harness);
    const { order_id: id } = (await send('/invoices', INVOICE)).json.result;
    const first = await send(`/invoices/${id}/notify`, undefined, { key: 'n' });
    expect(first.status).toBe(200);
    expectReplay(await send(`/invoices/${id.toUpperCase()}/notify`, undefined, { key: 'n' }), first);
    const other = (await send('/invoices', INVOICE, { key: 'other' })).json.result.order_id;
    const mistaken = await send(`/invoices/${other}/notify`, undefined, { key: 'n' });
    expect(codeOf(mistaken)).toEqual([409, 'IDEMPOTENCY_MISMATCH']);
  });

  test('does not come as far as what writes invoices, where the first came', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    const first = await send('/invoices', INVOICE);
    harness.failNext(new StorageUnavailable('away'));
    expectReplay(await send('/invoices', INVOICE), first);
    expect((await send('/invoices', INVOICE, { key: 'fresh' })).status).toBe(503);
  });

  test('but asks for something else is refused, on the same path and on another', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    await send('/invoices', INVOICE);
    for (const [path, body] of [
      ['/invoices', { ...INVOICE, amount: 26 }],
      ['/invoices', `${JSON.stringify(INVOICE)} `],
      ['/permanent', INVOICE],
    ] as const)
      expect(codeOf(await send(path, body))).toEqual([409, 'IDEMPOTENCY_MISMATCH']);
    expect(await total(harness, 'invoices')).toBe(1);
  });

  test('is not stopped by what would refuse it now, and still by its key and address', async () => {
    const harness = await openHarness({ merchant: { allowedSubnets: ['203.0.113.0/24'] } });
    const send = sender(harness);
    await harness.earn(3, harness.sandboxKey);
    const from = '203.0.113.7';
    const invoice = await send('/invoices', INVOICE);
    const payout = await send('/payouts', PAYOUT, { key: 'p', from });
    expect(payout.status).toBe(201);
    const { rateBook } = harness.dependencies;
    const ports = { rateBook: { ...rateBook, usable: () => null, latest: () => rateBook.latest() } };
    const later = await openHarness({ ports });
    const [again, { sandboxKey: apiKey }] = [sender(later), harness];
    expect(codeOf(await again('/invoices', INVOICE, { key: 'fresh', apiKey }))).toEqual([
      503,
      'RATES_UNAVAILABLE',
    ]);
    expectReplay(await again('/invoices', INVOICE, { apiKey }), invoice);
    expectReplay(await again('/payouts', PAYOUT, { key: 'p', from, apiKey }), payout);
    expect(codeOf(await again('/payouts', PAYOUT, { key: 'p', from: '198.51.100.1', apiKey }))).toEqual([
      403,
      'PAYOUTS_DISABLED',
    ]);
  });

  test('after a refusal is a new request', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    const refused = await send('/payouts', PAYOUT);
    expect(refused.json.error.details.rule).toBe('insufficient_balance');
    harness.failNext(new StorageUnavailable('away'));
    expect(codeOf(await send('/payouts', PAYOUT))).toEqual([503, 'UNAVAILABLE']);
    await harness.earn(100, harness.sandboxKey);
    const accepted = await send('/payouts', PAYOUT);
    expect([accepted.status, accepted.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(codeOf(await send('/invoices', { amount: 'x' }, { key: 'i' }))).toEqual([422, 'VALIDATION_ERROR']);
    expect((await send('/invoices', INVOICE, { key: 'i' })).status).toBe(201);
  });
});

describe('an Idempotency-Key', () => {
  test('counts per merchant and environment', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    const other = await harness.addMerchant();
    const keys = [harness.sandboxKey, harness.liveKey, other.sandboxKey];
    const firsts = [];
    for (const apiKey of keys) firsts.push(await send('/invoices', INVOICE, { apiKey }));
    expect(new Set(firsts.map(({ json }) => json.result.order_id)).size).toBe(3);
    for (const [index, apiKey] of keys.entries())
      expectReplay(await send('/invoices', INVOICE, { apiKey }), firsts[index] as Answered);
  });

  test('is free again after 24 hours, and not before', async () => {
    const harness = await openHarness();
    const send = sender(harness);
    const first = await send('/invoices', INVOICE);
    harnessClock.advance(DAY - 1);
    expectReplay(await send('/invoices', INVOICE), first);
    harnessClock.advance(1);
    const second = await send('/invoices', { ...INVOICE, amount: 26 });
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expectReplay(await send('/invoices', { ...INVOICE, amount: 26 }), second);
  });

  test('has 1 to 255 characters of printable ASCII, wherever one is taken', async () => {
    const harness = await openHarness();
    const { call, sandboxKey: key } = harness;
    const routes = API_ROUTES.filter(({ idempotent }) => idempotent);
    expect(routes.map(({ path }) => path)).toEqual([
      '/api/v2/invoices',
      '/api/v2/invoices/:invoice_id/notify',
      '/api/v2/payouts',
      '/api/v2/payouts/batch',
      '/api/v2/permanent',
      '/api/v2/links',
      '/api/v2/invoices/:invoice_id/refunds',
    ]);
    for (const { path, body } of routes) {
      for (const wrong of ['', 'x'.repeat(256), 'café', 'a\tb']) {
        const answer = await call('POST', path.replace(/:\w+/, 'a'.repeat(24)), {
          key,
          headers: { 'idempotency-key': wrong, 'x-uniq-id': crypto.randomUUID() },
          ...(body === undefined ? {} : { body: {} }),
        });
        expect(codeOf(answer)).toEqual([400, 'INVALID_HEADER']);
      }
    }
    const send = sender(harness);
    expect((await send('/invoices', INVOICE, { key: '~'.repeat(255) })).status).toBe(201);
    expect((await send('/invoices', INVOICE, { key: '"a key", with spaces' })).status).toBe(201);
    const ignored = { key, headers: { 'idempotency-key': '' } };
    expect((await call('GET', '/api/v2/invoices', ignored)).status).toBe(200);
  });
});
