/**
 * Backlogs of the worker: worked off in sets, whatever is in them, and left at once when the
 * service is to stop.
 */

import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { SQL } from 'bun';
import { insertManyInvoices } from '../../support/postgres/many-invoices.ts';
import { directUrl, postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

/** As many as the job takes in one step (app/jobs.ts). */
const STEP = 2_000;
const HOUR = 3_600;

describe.skipIf(!needs('postgres', postgresAvailable()))('a backlog', () => {
  let clock: TestClock;
  let it: TestService;
  let sql: SQL;
  let merchant: { id: string; live: string; sandbox: string };
  let transactions: ReturnType<typeof spyOn<TestService['service']['dependencies']['unitOfWork'], 'run'>>;

  beforeAll(async () => {
    clock = testClock();
    it = await startTestService({ overrides: { clock } });
    sql = new SQL(await directUrl(it.databaseUrl), { max: 1 });
    transactions = spyOn(it.service.dependencies.unitOfWork, 'run');
    merchant = await it.merchant();
  });
  afterAll(async () => {
    await sql.end();
    await it.stop();
  });

  const work = (name: string, stopping?: AbortSignal) => it.run(name, stopping);
  const secondsAgo = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000);
  const rows = async (text: string, parameters: unknown[] = []): Promise<Json[]> => [
    ...(await sql.unsafe(text, parameters)),
  ];
  const invoicesOf = (merchantId: string) =>
    rows(
      `select status, version, count(*)::int as invoices, count(processed_at)::int as processed from invoices
       where merchant_id = $1 group by 1, 2 order by 1`,
      [merchantId],
    );

  test('W3: sandbox payouts that wait are settled in a few transactions, with their entries', async () => {
    const invoice = await it.call(merchant.sandbox, 'POST', '/api/v2/invoices', {
      amount: 100_000,
      asset: 'usdt_tron',
    });
    const path = `/api/v2/invoices/${invoice.body.result.order_id}/simulate`;
    await it.call(merchant.sandbox, 'POST', path, { status: 'success', send_webhook: false });
    const items = Array.from({ length: 200 }, () => ({
      ...{ address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', amount: 1, asset: 'usdt_tron' },
    }));
    for (let batch = 0; batch < 4; batch += 1)
      await it.call(
        merchant.sandbox,
        'POST',
        '/api/v2/payouts/batch',
        { items },
        { 'x-uniq-id': randomUUID() },
      );
    transactions.mockClear();
    await work('settle-sandbox-payouts');
    await work('settle-sandbox-payouts');
    expect(transactions.mock.calls.length).toBeLessThanOrEqual(8);
    const payouts = await rows(
      `select p.status, count(*)::int as payouts, count(distinct p.txid)::int as txids, sum(cardinality(p.tx_hashes))::int as hashes,
         count(e.id)::int as entries
       from payouts p left join ledger_entries e on e.reference_id = p.id and e.kind = 'payout_settled'
       where p.merchant_id = $1 group by 1`,
      [merchant.id],
    );
    expect(payouts).toMatchObject([
      { status: 'success', payouts: 800, txids: 800, hashes: 800, entries: 800 },
    ]);
    expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
  });

  test('W3: invoices that expire together are ended in a few transactions, dust becomes strays, and nobody is told', async () => {
    const { id: merchantId } = await it.merchant({ callbackUrl: 'https://shop.example/unpaid' });
    await insertManyInvoices(await directUrl(it.databaseUrl), {
      ...{ merchantId, count: STEP + 10, status: 'created' },
      expiresAt: secondsAgo(1),
    });
    await sql.unsafe(
      `insert into deposits (id, chain, txid, output, asset, address, units, status, first_seen_at, unexplained, merchant_id, sandbox, invoice_id)
       select substr(id, 1, 23) || 'd', 'ethereum', id, '0', asset, address_to, 7, 'arrived', now(), false, merchant_id, false, id
       from invoices where merchant_id = $1 and seq % 100 = 1`,
      [merchantId],
    );
    transactions.mockClear();
    await work('expire-invoices');
    expect(transactions.mock.calls.length).toBeLessThanOrEqual(4);
    expect(await invoicesOf(merchantId)).toMatchObject([
      { status: 'expired', version: 2, invoices: STEP + 10, processed: STEP + 10 },
    ]);
    expect(
      await rows('select status, count(*)::int as deposits from deposits where merchant_id = $1 group by 1', [
        merchantId,
      ]),
    ).toMatchObject([{ status: 'stray', deposits: 21 }]);
    expect(await rows('select from webhook_deliveries where merchant_id = $1', [merchantId])).toHaveLength(0);
  });

  test('W3: those paid in part are cancelled in a few transactions, each with one webhook in the same one', async () => {
    const [told, silent] = [
      await it.merchant({ callbackUrl: 'https://shop.example/all' }),
      await it.merchant(),
    ];
    const partly = { status: 'partially_paid', expiresAt: secondsAgo(1) } as const;
    const many = async (merchantId: string, count: number, notifyUrl: string | null = null) =>
      insertManyInvoices(await directUrl(it.databaseUrl), { ...partly, merchantId, count, notifyUrl });
    await many(told.id, 600);
    await many(told.id, 10, 'https://shop.example/own');
    await many(silent.id, 10);
    transactions.mockClear();
    await work('expire-invoices');
    expect(transactions.mock.calls.length).toBeLessThanOrEqual(4);
    for (const [{ id }, invoices] of [
      [told, 610],
      [silent, 10],
    ] as const)
      expect(await invoicesOf(id)).toMatchObject([
        { status: 'cancelled', version: 2, invoices, processed: invoices },
      ]);
    const webhooks = await rows(
      `select d.url, d.invoice_version, d.told_status as status, count(*)::int as webhooks,
         count(distinct d.invoice_id)::int as invoices, count(q.delivery_id)::int as queued
       from webhook_deliveries d join webhook_queue q on q.delivery_id = d.id
       where d.merchant_id in ($1, $2) group by 1, 2, 3 order by 1`,
      [told.id, silent.id],
    );
    const each = { invoice_version: 2, status: 'cancelled' };
    expect(webhooks).toMatchObject([
      { url: 'https://shop.example/all', ...each, webhooks: 600, invoices: 600, queued: 600 },
      { url: 'https://shop.example/own', ...each, webhooks: 10, invoices: 10, queued: 10 },
    ]);
    await work('expire-invoices');
    expect(await rows('select from webhook_deliveries where merchant_id = $1', [told.id])).toHaveLength(610);
  });

  test('W3: a stop ends the job after the step that is under way, and the next run goes on', async () => {
    const { id: merchantId } = await it.merchant();
    await insertManyInvoices(await directUrl(it.databaseUrl), {
      ...{ merchantId, count: 2 * STEP, status: 'created' },
      expiresAt: secondsAgo(1),
    });
    const stopping = new AbortController();
    const job = work('expire-invoices', stopping.signal);
    stopping.abort();
    await job;
    const left = async () =>
      (await invoicesOf(merchantId)).find(({ status }) => status === 'created')?.invoices;
    expect(await left()).toBe(STEP);
    await work('expire-invoices', stopping.signal);
    expect(await left()).toBe(STEP);
    await work('expire-invoices');
    expect(await left()).toBeUndefined();
  });

  test('W3: an X-Uniq-Id is refused for two hours, kept for another, and a backlog of them is forgotten in one run', async () => {
    const uniq = randomUUID();
    const send = () =>
      it.call(
        ...([merchant.sandbox, 'POST', '/api/v2/payouts'] as const),
        { address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', amount: 1, asset: 'usdt_tron' },
        { 'x-uniq-id': uniq },
      );
    const kept = async () => (await rows('select from uniq_ids')).length;
    clock.advance(4 * HOUR);
    await work('forget-uniq-ids');
    expect(await kept()).toBe(0);
    const first = await send();
    expect(first.status).toBe(201);
    clock.advance(2 * HOUR - 1);
    const again = await send();
    expect([again.status, again.body.error.code]).toEqual([409, 'DUPLICATE']);
    expect(again.body.error.details).toEqual({ order_id: first.body.result.order_id });
    clock.advance(1);
    const second = await send();
    expect(second.status).toBe(201);
    expect(second.body.result.order_id).not.toBe(first.body.result.order_id);

    await sql.unsafe(
      `insert into uniq_ids (merchant_id, sandbox, uniq_id, expires_at, order_id)
       select $1, true, gen_random_uuid()::text, $2, $3 from generate_series(1, 12000)`,
      [merchant.id, new Date(clock.now().getTime() + 2 * HOUR * 1000), second.body.result.order_id],
    );
    clock.advance(3 * HOUR);
    await work('forget-uniq-ids');
    expect(await kept()).toBe(12_001);
    clock.advance(1);
    const stopping = new AbortController();
    const job = work('forget-uniq-ids', stopping.signal);
    stopping.abort();
    await job;
    expect(await kept()).toBe(7_001);
    await work('forget-uniq-ids');
    expect(await kept()).toBe(0);
    expect((await send()).status).toBe(201);
  });

  test('W3: a backlog of answers to Idempotency-Keys is forgotten in one run, an hour after their 24', async () => {
    await sql.unsafe(
      `insert into stored_answers (merchant_id, sandbox, key, fingerprint, status, body, expires_at)
       select $1, true, n::text, repeat('a', 64), 201, '{}', $2 from generate_series(1, 2500) n`,
      [merchant.id, new Date(clock.now().getTime() + 24 * HOUR * 1000)],
    );
    const kept = async () => (await rows('select from stored_answers')).length;
    clock.advance(25 * HOUR);
    await work('forget-answers');
    expect(await kept()).toBe(2_500);
    clock.advance(1);
    await work('forget-answers');
    expect(await kept()).toBe(0);
  });
});
