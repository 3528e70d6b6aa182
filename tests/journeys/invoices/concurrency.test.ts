/**
 * Many requests at once over HTTP against two instances on one database: nothing is made twice,
 * nothing is spent twice.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import { type Answer, type Json, startTestService, type TestService } from '../../support/test-service.ts';

const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';

describe.skipIf(!needs('postgres', postgresAvailable()))('many requests at once', () => {
  let it: TestService;
  let other: TestService;
  let data: Awaited<ReturnType<typeof temporaryDirectory>>;
  let merchant: { id: string; live: string; sandbox: string };

  beforeAll(async () => {
    data = await temporaryDirectory();
    it = await startTestService({ env: { CHAINS: 'fake' }, dataDir: data.path });
    other = await startTestService({
      env: { CHAINS: 'fake' },
      dataDir: data.path,
      databaseUrl: it.databaseUrl,
    });
  });
  beforeEach(async () => {
    merchant = await it.merchant();
  });
  afterAll(async () => {
    await other.stop();
    await it.stop();
    await data.remove();
  });

  /** Every second one goes to the other instance. */
  const atOnce = (
    count: number,
    request: (call: TestService['call'], index: number) => Promise<Answer>,
  ): Promise<readonly Answer[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => request(index % 2 === 0 ? it.call : other.call, index)),
    );
  const statuses = (answers: readonly Answer[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const payout = (call: TestService['call'], uniqId: string) =>
    call(
      merchant.sandbox,
      'POST',
      '/api/v2/payouts',
      { address: RECIPIENT, amount: 10, asset: 'usdt_ethereum', fee_bearer: 'client' },
      { 'x-uniq-id': uniqId },
    );
  async function get(path: string, key = merchant.sandbox): Promise<Json> {
    return (await it.call(key, 'GET', `/api/v2/${path}`)).body;
  }
  /** Gives the merchant's sandbox exactly this many USD. */
  async function fund(usd: number): Promise<void> {
    const invoice = await it.call(merchant.sandbox, 'POST', '/api/v2/invoices', {
      amount: usd,
      fiat_currency: 'USD',
      asset: 'usdt_ethereum',
    });
    const path = `/api/v2/invoices/${invoice.body.result.order_id}/simulate`;
    await it.call(merchant.sandbox, 'POST', path, { status: 'success', send_webhook: false });
    expect((await get('balance')).result.available).toBe(usd);
  }
  const booksAreRight = async () =>
    expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);

  for (const environment of ['live', 'sandbox'] as const) {
    test(`50 times get-or-create of one user's permanent address is one row (${environment})`, async () => {
      const key = merchant[environment];
      const answers = await atOnce(50, (call) =>
        call(key, 'POST', '/api/v2/permanent', { user_id: 'user-1', family: 'evm' }),
      );
      expect(statuses(answers)).toEqual({ 201: 50 });
      expect(new Set(answers.map(({ body }) => JSON.stringify(body.result))).size).toBe(1);
      const list = await get('permanent?user_id=user-1', key);
      expect(list.pagination.total).toBe(1);
      expect(list.result[0]).toMatchObject({ id: answers[0]?.body.result.id, active: true });
      await booksAreRight();
    });
  }

  test('50 users at once have 50 addresses', async () => {
    const answers = await atOnce(50, (call, index) =>
      call(merchant.live, 'POST', '/api/v2/permanent', { user_id: `user-${index}`, family: 'evm' }),
    );
    expect(new Set(answers.map(({ body }) => body.result.address)).size).toBe(50);
    expect((await get('permanent', merchant.live)).pagination.total).toBe(50);
  });

  test('30 payouts with one X-Uniq-Id are one payout, and the others are told which', async () => {
    await fund(1_000);
    const uniqId = crypto.randomUUID();
    const answers = await atOnce(30, (call) => payout(call, uniqId));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 29 });
    const orderId = answers.find(({ status }) => status === 201)?.body.result.order_id;
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      expect(body.error).toMatchObject({ code: 'DUPLICATE', details: { order_id: orderId } });
    }
    expect((await get('payouts')).pagination.total).toBe(1);
    expect((await get('balance')).result).toMatchObject({ available: 990, total_payouts: 10 });
    await booksAreRight();
  });

  test('50 payouts against a balance that covers 10 are exactly 10', async () => {
    await fund(100);
    const answers = await atOnce(50, (call) => payout(call, crypto.randomUUID()));
    expect(statuses(answers)).toEqual({ 201: 10, 400: 40 });
    for (const { body } of answers.filter(({ status }) => status === 400)) {
      expect(body.error).toMatchObject({
        code: 'PAYOUT_REJECTED',
        details: { rule: 'insufficient_balance' },
      });
    }
    expect((await get('balance')).result).toMatchObject({ available: 0, total_payouts: 100 });
    await it.settle();
    const list = await get('payouts?per_page=100');
    expect(list.pagination.total).toBe(10);
    expect(new Set(list.result.map((each: Json) => each.status))).toEqual(new Set(['success']));
    await booksAreRight();
  });

  test('20 batches of 5 against a balance that covers 10 payouts pay out exactly 10', async () => {
    await fund(100);
    const item = { address: RECIPIENT, amount: 10, asset: 'usdt_ethereum', fee_bearer: 'client' };
    const answers = await atOnce(20, (call) =>
      call(
        merchant.sandbox,
        'POST',
        '/api/v2/payouts/batch',
        { items: Array.from({ length: 5 }, () => item) },
        { 'x-uniq-id': crypto.randomUUID() },
      ),
    );
    expect(statuses(answers)).toEqual({ 201: 20 });
    const items = answers.flatMap(({ body }) => body.result.items);
    expect(items.filter((each: Json) => each.order_id !== null)).toHaveLength(10);
    expect((await get('balance')).result.available).toBe(0);
    expect((await get('payouts')).pagination.total).toBe(10);
    await booksAreRight();
  });

  test('100 invoices at once have 100 addresses and a dense list', async () => {
    const answers = await atOnce(100, (call) =>
      call(merchant.live, 'POST', '/api/v2/invoices', { amount: 5, asset: 'eth_ethereum' }),
    );
    expect(statuses(answers)).toEqual({ 201: 100 });
    const made = answers.map(({ body }) => body.result);
    for (const field of ['address_to', 'order_id', 'external_id']) {
      expect(new Set(made.map((invoice: Json) => invoice[field])).size).toBe(100);
    }
    const pages = [];
    for (const page of [1, 2, 3, 4]) {
      const answer = await get(`invoices?per_page=30&page=${page}&order=asc`, merchant.live);
      expect(answer.pagination).toEqual({ page, pages: 4, per_page: 30, total: 100 });
      pages.push(answer.result.map((invoice: Json) => invoice.order_id));
    }
    expect(pages.map((page) => page.length)).toEqual([30, 30, 30, 10]);
    expect(new Set(pages.flat())).toEqual(new Set(made.map((invoice: Json) => invoice.order_id)));
    await booksAreRight();
  });

  test('one payment simulated 10 times at once is credited as one', async () => {
    const invoice = await it.call(merchant.sandbox, 'POST', '/api/v2/invoices', {
      amount: 40,
      asset: 'usdt_tron',
    });
    const path = `/api/v2/invoices/${invoice.body.result.order_id}/simulate`;
    const answers = await atOnce(10, (call) =>
      call(merchant.sandbox, 'POST', path, { status: 'success', send_webhook: false }),
    );
    expect(statuses(answers)).toEqual({ 200: 10 });
    expect((await get('balance')).result.available).toBe(40);
    await booksAreRight();
  });
});
