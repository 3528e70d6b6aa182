/** What merchants and customers meet after an invoice that expired unpaid was removed. */
import { describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const FROM = new Date('2026-01-01T00:00:00Z');

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice that was removed', () => {
  const { stage, merchant } = stageCheckout();
  const call = (method: 'GET', path: string) => stage.it.call(merchant.live, method, `/api/v2/${path}`);
  const page = ({ externalId }: Invoice) => fetch(`${stage.it.url}/checkout/${externalId}`);

  /** It expires, and its days pass. */
  async function remove(invoice: Invoice): Promise<void> {
    stage.clock.advance(400);
    const [now, { unitOfWork }] = [stage.clock.now(), stage.deps];
    await unitOfWork.run((r) => r.invoices.expireUnpaid({ now, coveredUntil: new Map(), limit: 100 }));
    expect(await stage.read(invoice.id)).toMatchObject({ status: 'expired' });
    stage.clock.advance(1);
    const over = { from: FROM, before: stage.clock.now() };
    await unitOfWork.run((r) => r.invoiceRetention.removeUnpaid(over, { after: null, limit: 100 }));
  }

  test('is not found any more, and the page of a customer who keeps its link says so', async () => {
    const first = await merchant.create({ asset: 'usdt_ethereum', ttl: 300 });
    const kept = await merchant.create({ asset: 'usdt_ethereum', ttl: 9_000 });
    expect((await page(first)).status).toBe(200);
    await remove(first);
    expect(await call('GET', `invoices/${first.id}`)).toMatchObject({
      ...{ status: 404, body: { error: { code: 'NOT_FOUND' } } },
    });
    const gone = await page(first);
    expect(gone.status).toBe(404);
    expect(gone.headers.get('content-type')).toContain('text/html');
    const listed = (await call('GET', 'invoices?per_page=1')).body.result as { order_id: string }[];
    expect(listed.map(({ order_id: id }) => id)).toEqual([kept.id]);
  });

  test('answers a repeated order as before, while its Idempotency-Key is kept', async () => {
    const order = { amount: 25, asset: 'usdt_ethereum', ttl: 300 };
    const create = () =>
      stage.it.call(merchant.live, 'POST', '/api/v2/invoices', order, { 'idempotency-key': 'order-1' });
    const first = await create();
    await remove(await stage.read(first.body.result.order_id as string));
    const again = await create();
    expect([again.status, again.body]).toEqual([first.status, first.body]);
  });

  test('A1: is still paid: the money is an unmatched deposit of its merchant, and can be credited', async () => {
    const invoice = await merchant.create({ asset: 'usdt_ethereum', ttl: 300 });
    await remove(invoice);
    const deposit = await stage.sight(invoice);
    expect(deposit).toMatchObject({
      ...{ merchantId: merchant.id, invoiceId: null, units: invoice.price?.dueUnits },
      ...{ strayReason: 'invoice_removed', note: `invoice ${invoice.id}` },
    });
    await stage.finish(deposit);
    await stage.booksAreRight();
    expect(await creditStray(stage.deps)(deposit.id)).toMatchObject({ ok: true });
    const scope = { merchantId: merchant.id, sandbox: false };
    expect((await stage.deps.queries.balance(scope)).incomeMicroUsd).toBeGreaterThan(20_000_000n);
  });

  test('was never one with a late payment: that stays, and so does what it was for', async () => {
    const invoice = await merchant.create({ asset: 'usdt_ethereum', ttl: 300 });
    stage.clock.advance(400);
    const late = await stage.sight(invoice);
    expect(late).toMatchObject({ strayReason: 'invoice_closed' });
    await remove(invoice);
    expect(await stage.read(invoice.id)).toMatchObject({ status: 'expired' });
    await stage.finish(late);
  });
});
