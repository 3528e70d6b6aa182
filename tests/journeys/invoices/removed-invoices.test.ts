/** What merchants and customers meet after an invoice that expired unpaid was removed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { offerRefund } from '../../../src/app/payouts/refunds/offer-refund.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import { anAddress } from '../../support/builders.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { type ClaimStage, openClaimStage } from '../../support/payouts/claim-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { TestClock } from '../../support/runtime/test-clock.ts';

const FROM = new Date('2026-01-01T00:00:00Z');

/** What is unpaid now expires, and its days pass. */
async function removeUnpaid({ unitOfWork }: { readonly unitOfWork: UnitOfWork }, clock: TestClock) {
  clock.advance(400);
  const now = clock.now();
  await unitOfWork.run((r) =>
    r.invoices.expireUnpaid({ now, coveredUntil: new Map(), limit: 100, among: null }),
  );
  clock.advance(1);
  const over = { from: FROM, before: clock.now() };
  await unitOfWork.run(async ({ invoiceRetention }) => {
    const set = await invoiceRetention.expiredUnpaid(over, { after: null, limit: 100 });
    await invoiceRetention.removeUnpaid(set.map(({ id }) => id));
  });
}

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice that was removed', () => {
  const { stage, merchant } = stageCheckout();
  const call = (method: 'GET', path: string) => stage.it.call(merchant.live, method, `/api/v2/${path}`);
  const page = ({ externalId }: Invoice) => fetch(`${stage.it.url}/checkout/${externalId}`);

  const remove = () => removeUnpaid(stage.deps, stage.clock);

  test('is not found any more, and the page of a customer who keeps its link says so', async () => {
    const first = await merchant.create({ asset: 'usdt_ethereum', ttl: 300 });
    const kept = await merchant.create({ asset: 'usdt_ethereum', ttl: 9_000 });
    expect((await page(first)).status).toBe(200);
    await remove();
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
    await remove();
    const again = await create();
    expect([again.status, again.body]).toEqual([first.status, first.body]);
  });

  test('A1: is still paid: the money is an unmatched deposit of its merchant, and can be credited', async () => {
    const invoice = await merchant.create({ asset: 'usdt_ethereum', ttl: 300 });
    await remove();
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
    await remove();
    expect(await stage.read(invoice.id)).toMatchObject({ status: 'expired' });
    await stage.finish(late);
  });
});

describe.skipIf(!needs('postgres', postgresAvailable()))('a payment to an invoice that was removed', () => {
  let on: ClaimStage;
  beforeAll(async () => {
    on = await openClaimStage();
  });
  afterAll(() => on.journey.close());

  test('L2: once it is credited its refund is offered, claimed and paid out', async () => {
    const invoice = await on.journey.create({ ttl: 300 });
    await removeUnpaid(on.deps, on.journey.clock);
    expect(await on.deps.unitOfWork.run((r) => r.invoices.find(invoice.order_id))).toBeNull();
    on.journey.pay(invoice, '25.25');
    await on.journey.mineToFinality();
    const [stray] = await on.deps.operatorQueries.deposits({
      ...{ statuses: ['stray'], sandbox: false, limit: 9 },
    });
    const depositId = stray?.id ?? '';
    expect(stray).toMatchObject({ invoiceId: null, strayReason: 'invoice_removed' });
    expect(await creditStray(on.deps)(depositId)).toMatchObject({ ok: true });

    const offer = await offerRefund(on.deps)({
      ...{ of: { subject: 'deposit', depositId }, by: { operator: 'ann' }, amount: null },
      ...{ feeBearer: 'merchant', onCheckout: true, mails: true, days: 14 },
    });
    if (!offer.ok) throw new Error(offer.error.message);
    const { id, invoiceId, units } = offer.value;
    expect([invoiceId, units]).toEqual([null, usdt('24.9975')]);
    const to = anAddress();
    await on.confirmed(id, to);
    await on.sentAndFinal();
    expect(on.received(to)).toBe(units);
    expect(await on.claim(id)).toMatchObject({ status: 'paid', txid: expect.any(String) });
    await on.journey.booksAreRight();
  });
});
