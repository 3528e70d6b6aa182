import { describe, expect, test } from 'bun:test';
import { type Harness, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const TRON_ADDRESS = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
const MISSING_ID = 'ffffffffffffffffffffffff';

/** One of everything, on the sandbox of the harness's merchant. */
async function furnished() {
  const harness = await openHarness();
  const { call, sandboxKey: key } = harness;
  await harness.earn(100, key);
  const invoice = await call('POST', '/api/v2/invoices', {
    key,
    body: { amount: 20, asset: 'usdt_tron', notify_url: 'https://shop.example/hook' },
  });
  const payout = await call('POST', '/api/v2/payouts', {
    key,
    headers: { 'x-uniq-id': crypto.randomUUID() },
    body: { address: TRON_ADDRESS, amount: 1, asset: 'usdt_tron' },
  });
  const address = await call('POST', '/api/v2/permanent', { key, body: { user_id: 'u', family: 'evm' } });
  const invoiceId: string = invoice.json.result.order_id;
  await call('POST', `/api/v2/invoices/${invoiceId}/simulate`, { key, body: { status: 'success' } });
  const stranger = await harness.addMerchant();
  return {
    ...harness,
    ids: {
      invoice: invoiceId,
      payout: payout.json.result.order_id as string,
      address: address.json.result.id as string,
    },
    strangers: [harness.liveKey, stranger.sandboxKey, stranger.liveKey],
  };
}

describe('what is another merchant’s, or of the other environment, does not exist', () => {
  const singles = [
    ['GET', '/api/v2/invoices/:id', 'invoice', undefined],
    ['POST', '/api/v2/invoices/:id/notify', 'invoice', undefined],
    ['POST', '/api/v2/invoices/:id/simulate', 'invoice', { status: 'success' }],
    ['GET', '/api/v2/payouts/:id', 'payout', undefined],
    ['GET', '/api/v2/permanent/:id', 'address', undefined],
    ['DELETE', '/api/v2/permanent/:id', 'address', undefined],
  ] as const;
  for (const [method, path, kind, body] of singles) {
    test(`${method} ${path} answers byte for byte as for a missing id`, async () => {
      const { call, ids, strangers, sandboxKey } = await furnished();
      for (const key of strangers) {
        const options = { key, ...(body === undefined ? {} : { body }), headers: { 'x-request-id': 'same' } };
        const foreign = await call(method, path.replace(':id', ids[kind]), options);
        const missing = await call(method, path.replace(':id', MISSING_ID), options);
        expect(foreign.status).toBe(404);
        expect(foreign.text).toBe(missing.text);
        expect([...foreign.headers]).toEqual([...missing.headers]);
      }
      const own = await call(method, path.replace(':id', ids[kind]), {
        key: sandboxKey,
        ...(body === undefined ? {} : { body }),
      });
      expect(own.status).toBe(200);
    });
  }

  const lists = (ids: Awaited<ReturnType<typeof furnished>>['ids']) => [
    '/api/v2/invoices',
    `/api/v2/invoices?order_ids=${ids.invoice}`,
    '/api/v2/invoices?asset=usdt_tron&status=success',
    '/api/v2/payouts',
    `/api/v2/payouts?order_ids=${ids.payout}`,
    '/api/v2/permanent?family=evm',
    '/api/v2/permanent?user_id=u&active=true',
    '/api/v2/ledger',
    '/api/v2/ledger?type=payout',
    '/api/v2/notifications',
    `/api/v2/notifications?invoice_id=${ids.invoice}`,
  ];
  test('and is in no list, whatever the filter', async () => {
    const { call, ids, strangers, sandboxKey } = await furnished();
    for (const path of lists(ids)) {
      expect((await call('GET', path, { key: sandboxKey })).json.pagination.total, path).toBeGreaterThan(0);
      for (const key of strangers)
        expect((await call('GET', path, { key })).json.pagination.total, path).toBe(0);
    }
  });

  test('an X-Uniq-Id used by one environment is fresh in the other', async () => {
    const { call, earn, liveKey, sandboxKey } = await openHarness();
    for (const key of [liveKey, sandboxKey]) await earn(10, key);
    const send = (key: string) =>
      call('POST', '/api/v2/payouts', {
        key,
        headers: { 'x-uniq-id': '0b9f7f0e-9d0a-4d0e-8d69-5f5b2b8c6a11' },
        body: { address: TRON_ADDRESS, amount: 1, asset: 'usdt_tron' },
      });
    expect((await send(liveKey)).status).toBe(201);
    expect((await send(sandboxKey)).status).toBe(201);
    expect((await send(sandboxKey)).status).toBe(409);
  });
});

describe('external_id', () => {
  async function created(harness: Harness) {
    const answer = await harness.call('POST', '/api/v2/invoices', {
      key: harness.sandboxKey,
      body: { amount: 20, asset: 'usdt_tron' },
    });
    return answer.json.result;
  }

  test('is told once, by the create answer, and leads to the checkout', async () => {
    const harness = await openHarness({ config: { checkoutUrl: 'https://pay.example/x' } });
    const invoice = await created(harness);
    expect(invoice.external_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(invoice.payment_url).toBe(`https://pay.example/x/checkout/${invoice.external_id}`);
    const key = harness.sandboxKey;
    const read = await harness.call('GET', `/api/v2/invoices/${invoice.order_id}`, { key });
    expect(read.json.result.external_id).toBeNull();
    const list = await harness.call('GET', '/api/v2/invoices', { key });
    expect(list.json.result[0].external_id).toBeNull();
    const simulated = await harness.call('POST', `/api/v2/invoices/${invoice.order_id}/simulate`, {
      key,
      body: { status: 'success' },
    });
    expect(simulated.json.result.invoice.external_id).toBeNull();
  });
});
