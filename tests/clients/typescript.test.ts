/** The TypeScript client against the real application. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Quittance, QuittanceError, verifyWebhook } from '../../clients/typescript/src/quittance.ts';
import { showWebhookSecret } from '../../src/app/merchants/webhook-secrets.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { startWebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const CLIENT = join(import.meta.dir, '..', '..', 'clients', 'typescript');
const INVOICE = { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' };
const TO = '0x52908400098527886E0F7030069857D2E4169EE7';

let it: TestService;
beforeAll(async () => {
  it = await startTestService({ env: { CHAINS: 'fake' }, chains: [] });
});
afterAll(() => it.stop());

async function aShop() {
  const { id, sandbox: apiKey } = await it.merchant();
  return { id, apiKey, quittance: new Quittance({ apiKey, baseUrl: it.url }) };
}

/**
 * A fetch that loses the answers of the first requests that match: the service has carried them
 * out.
 */
function losing(count: number, method: string) {
  const sent: Headers[] = [];
  return {
    sent,
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const response = await fetch(url, init);
      if (init.method !== method) return response;
      sent.push(new Headers(init.headers));
      if (sent.length <= count) throw new TypeError('the connection was closed');
      return response;
    },
  };
}

/** Pauses between attempts take no time. */
async function withoutPauses<Result>(run: () => Promise<Result>): Promise<Result> {
  const random = spyOn(Math, 'random').mockReturnValue(-1);
  return run().finally(() => random.mockRestore());
}

describe('the TypeScript client', () => {
  test('does what its README shows', async () => {
    const { apiKey } = await aShop();
    const [, example = ''] = /```ts\n(.+?)```/s.exec(readFileSync(join(CLIENT, 'README.md'), 'utf8')) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'quittance-client-'));
    const said: string[] = [];
    const log = spyOn(console, 'log').mockImplementation((text: string) => void said.push(text));
    Object.assign(process.env, { QUITTANCE_API_KEY: apiKey, QUITTANCE_URL: it.url });
    try {
      const file = join(folder, 'example.ts');
      await Bun.write(
        file,
        example.replace("'quittance'", JSON.stringify(join(CLIENT, 'src', 'quittance.ts'))),
      );
      await import(file);
    } finally {
      log.mockRestore();
      delete process.env.QUITTANCE_API_KEY;
      delete process.env.QUITTANCE_URL;
      rmSync(folder, { recursive: true });
    }
    expect(said).toEqual([
      expect.stringMatching(/^pay 25\.25 to T\w{33}, or at http.+\/checkout\/.+/),
      'order-1001 is paid',
      '1: invoice.success',
      'No such invoice.',
    ]);
  });

  test('creates, reads, lists, cancels and simulates invoices, and pays out', async () => {
    const { quittance } = await aShop();
    const [first, second] = [await quittance.createInvoice(INVOICE), await quittance.createInvoice(INVOICE)];
    expect((await quittance.cancelInvoice(second.order_id)).status).toBe('expired');
    const { invoice, webhook } = await quittance.simulateInvoice(first.order_id, {
      status: 'success',
      send_webhook: false,
    });
    expect([invoice.status, invoice.received_amount, webhook]).toEqual(['success', 25.25, null]);
    expect(await quittance.getInvoice(first.order_id)).toEqual({ ...invoice });
    const page = await quittance.listInvoices({ status: 'success', per_page: 1 });
    expect([page.items, page.pagination.total]).toEqual([[invoice], 1]);
    expect((await quittance.getBalance()).available).toBe(25);

    const { order_id } = await quittance.createPayout({ address: TO, amount: 1, asset: 'usdt_ethereum' });
    expect((await quittance.getPayout(order_id)).amount).toBe(1);
    const batch = await quittance.createPayoutBatch({
      items: [{ address: TO, amount: 1_000, asset: 'usdt_ethereum' }],
    });
    expect(batch.items).toEqual([{ order_id: null, status: 'failed', error: expect.any(String) }]);
    const rates: Record<string, string> = (await quittance.getRates({ base: 'EUR' })).rates;
    expect(rates.usdt_tron).toMatch(/^\d/);
  });

  test('goes through lists row by row, the oldest first, and through events after a number', async () => {
    const { apiKey, quittance } = await aShop();
    const made: string[] = [];
    for (const status of ['success', 'paid_over', 'success'] as const) {
      const { order_id } = await quittance.createInvoice(INVOICE);
      await quittance.simulateInvoice(order_id, { status });
      made.push(order_id);
    }
    const small = new Quittance({
      apiKey,
      baseUrl: it.url,
      fetch: (url, init) => fetch(url.replace('=100', '=1'), init),
    });
    const ids: string[] = [];
    for await (const { order_id } of small.allInvoices()) ids.push(order_id);
    expect(ids).toEqual(made);
    const paid: string[] = [];
    for await (const { order_id } of small.allInvoices({ status: 'success', order: 'desc' }))
      paid.push(order_id);
    expect(paid).toEqual([made[2]!, made[0]!]);
    const events: unknown[] = [];
    for await (const { seq, type, data } of small.allEvents({ after: 1 }))
      events.push([seq, type, data.order_id]);
    expect(events).toEqual([
      [2, 'invoice.paid_over', made[1]],
      [3, 'invoice.success', made[2]],
    ]);
  });

  test('repeats and leaves out no row of a list that begins with the youngest while rows are added', async () => {
    const { apiKey, quittance } = await aShop();
    const earn = async (amount: number) => {
      const { order_id } = await quittance.createInvoice({ ...INVOICE, amount: 10 + amount });
      await quittance.simulateInvoice(order_id, { status: 'success', send_webhook: false });
    };
    const bind = (user: number) => quittance.createPermanentAddress({ user_id: `${user}`, family: 'evm' });
    for (const row of [1, 2, 3, 4, 5]) await Promise.all([earn(row), bind(row)]);
    let row = 5;
    const busy = new Quittance({
      ...{ apiKey, baseUrl: it.url },
      async fetch(url, init) {
        const response = await fetch(url.replace('=100', '=2'), init);
        // as many as a page has, and less than that
        for (let added = row % 2; added < 2 && row < 9; added += 1) {
          row += 1;
          await Promise.all([earn(row), bind(row)]);
        }
        return response;
      },
    });
    const users: string[] = [];
    for await (const { user_id } of busy.allPermanentAddresses()) users.push(user_id);
    expect(users).toEqual(['5', '4', '3', '2', '1']);
    row = 5;
    const before = (await quittance.listLedger({ per_page: 100 })).items.map(({ amount }) => amount);
    const amounts: number[] = [];
    for await (const { amount } of busy.allLedger()) amounts.push(amount);
    expect(amounts).toEqual(before);
  });

  test('refuses with the code, the status, the words and the request that the service names', async () => {
    const { quittance } = await aShop();
    const refused = await quittance.createInvoice({ amount: -1 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(QuittanceError);
    expect(refused).toMatchObject({
      ...{ code: 'VALIDATION_ERROR', status: 422, message: 'Validation failed' },
      details: [{ field: 'amount', message: expect.any(String) }],
      requestId: expect.stringMatching(/^[\w-]{1,64}$/),
    });
    const stranger = new Quittance({ apiKey: 'sk_sandbox_none', baseUrl: `${it.url}/` });
    expect(await stranger.listAssets().catch((error: unknown) => error)).toMatchObject({
      ...{ code: 'UNAUTHORIZED', status: 401, hint: null },
    });
  });

  test('makes one invoice and one payout although answers were lost', async () => {
    const { apiKey, quittance } = await aShop();
    const { order_id } = await quittance.createInvoice(INVOICE);
    await quittance.simulateInvoice(order_id, { status: 'success' });
    const net = losing(2, 'POST');
    const unlucky = new Quittance({ apiKey, baseUrl: it.url, fetch: net.fetch });
    const invoice = await withoutPauses(() => unlucky.createInvoice(INVOICE));
    expect((await quittance.listInvoices()).items.map((each) => each.order_id)).toEqual([
      invoice.order_id,
      order_id,
    ]);
    expect(new Set(net.sent.map((headers) => headers.get('idempotency-key'))).size).toBe(1);

    net.sent.length = 0;
    const payout = await withoutPauses(() =>
      unlucky.createPayout({ address: TO, amount: 1, asset: 'usdt_ethereum' }),
    );
    expect((await quittance.listPayouts()).items.map((each) => each.order_id)).toEqual([payout.order_id]);
    expect(new Set(net.sent.map((headers) => headers.get('x-uniq-id'))).size).toBe(1);
    expect(net.sent).toHaveLength(3);
  });

  test('tells amounts as the exact digits that were sent, where asked, and leaves what is the merchant’s own', async () => {
    const { apiKey } = await aShop();
    const exact = new Quittance({ apiKey, baseUrl: it.url, decimals: 'string' });
    expect(String(Number('99999999999999.99'))).not.toBe('99999999999999.99');
    const metadata = { amount: 5, of: { fee: 0.5 }, text: '"amount":1}' };
    const { order_id } = await exact.createInvoice({
      amount: '99999999999999.99',
      metadata,
    });
    const invoice = await exact.getInvoice(order_id);
    const amount: string | null = invoice.initial_fiat_amount;
    expect([amount, invoice.metadata]).toEqual(['99999999999999.99', metadata]);
    expect(invoice.created_at).toBeNumber();
  });

  test('takes a webhook of the service for genuine by its key and by its secret', async () => {
    const { id, apiKey, quittance } = await aShop();
    const shown = await showWebhookSecret(it.service.dependencies)(id, 'sandbox');
    const webhookSecret = shown.ok ? shown.value.secret : '';
    const receiver = startWebhookReceiver();
    const { order_id } = await quittance.createInvoice({ ...INVOICE, notify_url: receiver.url });
    await quittance.simulateInvoice(order_id, { status: 'success' });
    await quittance.testNotification({ url: receiver.url });
    const [{ body, headers } = { body: '', headers: {} }, test] = receiver.received;
    await receiver.stop();
    const event = await verifyWebhook(body, headers, { apiKey, webhookSecret, decimals: 'string' });
    if (event.event === 'test') throw new Error('an invoice was taken for a test');
    const amount: string | null = event.amount;
    expect([event.event, event.order_id, event.status, amount]).toEqual([
      undefined,
      order_id,
      'success',
      '25.25',
    ]);
    const tested = await verifyWebhook(test?.body ?? '', test?.headers ?? {}, { apiKey });
    expect([tested.event, tested.order_id]).toEqual(['test', undefined]);
    const doubtful = await verifyWebhook(body.replace('25', '26'), headers, { apiKey }).catch(
      (error: unknown) => error,
    );
    expect(doubtful).toMatchObject({ name: 'WebhookError', code: 'WRONG_SIGNATURE' });
  });
});
