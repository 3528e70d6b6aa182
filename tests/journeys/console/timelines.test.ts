/** The time lines, search and attention of real payments and payouts, on a fake chain. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { acceptInvoice } from '../../../src/app/console/accept-invoice.ts';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { offerRefund } from '../../../src/app/payouts/refunds/offer-refund.ts';
import type { Timeline } from '../../../src/domain/console/timeline.ts';
import { type ClaimStage, openClaimStage } from '../../support/payouts/claim-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const CUSTOMER = `0x${'c'.repeat(40)}`;
const codes = (timeline: Timeline | null) =>
  timeline?.lines.map((line) => (line.code === 'status' ? `status ${line.status}` : line.code)) ?? [];
/** In order, with others between them. */
const inTurn = (all: readonly string[], wanted: readonly string[]) => {
  let from = 0;
  for (const code of wanted) {
    const place = all.indexOf(code, from);
    expect([code, place >= 0, all]).toEqual([code, true, all]);
    from = place + 1;
  }
};

describe.skipIf(!needs('postgres', postgresAvailable()))('the console reads', () => {
  let stage: ClaimStage;
  let scope: { merchantId: string; sandbox: boolean };
  const read = () => stage.journey.it.service.application.console;
  beforeAll(async () => {
    stage = await openClaimStage();
    scope = { merchantId: stage.journey.merchant.id, sandbox: false };
  });
  afterAll(() => stage.journey.close());

  test('an invoice from its creation to its refund, and nothing of it for anybody else', async () => {
    const invoice = await stage.paid();
    const claim = await stage.offered(invoice);
    await stage.confirmed(claim.id, CUSTOMER);
    await stage.sentAndFinal();
    const id: string = invoice.order_id;
    const timeline = await read().invoiceTimeline(scope, id);
    inTurn(codes(timeline), [
      'created',
      'payment_final',
      'payment_credited',
      'status success',
      'webhook_attempt',
    ]);
    inTurn(codes(timeline), ['refund_offered', 'refund_ordered', 'status refunded']);
    inTurn(codes(timeline), ['refund_ordered', 'refund_ended']);
    expect(codes(timeline)).toContain('payment_seen');
    expect(codes(timeline)).toContain('refund_claim');
    expect(timeline?.unknown).toEqual(['confirmations']);
    expect(await read().invoiceTimeline({ ...scope, sandbox: true }, id)).toBeNull();
    expect(await read().invoiceTimeline({ ...scope, merchantId: '0'.repeat(24) }, id)).toBeNull();
    expect(await read().invoiceTimeline(null, id)).toEqual(timeline);
  });

  test('an unmatched payment at the address of its invoice', async () => {
    const invoice = await stage.journey.create();
    stage.journey.pay(invoice, '7', 'usdc_ethereum');
    await stage.journey.mineToFinality();
    const timeline = await read().invoiceTimeline(scope, invoice.order_id);
    const [line] = timeline?.lines.filter(({ code }) => code === 'payment_unmatched') ?? [];
    expect(line).toMatchObject({ deposit: { asset: 'usdc_ethereum', units: 7_000_000n } });
    const found = await read().searchPayments(scope, '7 usdc');
    expect(found.deposits.map(({ strayReason }) => strayReason)).toEqual(['other_asset']);
    const { rows, total } = await read().attention(scope, 'wrong_asset', { page: 1, perPage: 10 });
    expect({ rows, total }).toMatchObject({ rows: [{ depositId: found.deposits[0]?.id }], total: 1 });
    expect(await read().attentionCounts(scope)).toMatchObject({ wrong_asset: 1, partial: 0 });
  });

  test('a payout from its creation to its block', async () => {
    await stage.paid('25.25');
    const body = { address: CUSTOMER, amount: 5, asset: 'usdt_ethereum' };
    const { merchant, it } = stage.journey;
    const made = await it.call(merchant.live, 'POST', '/api/v2/payouts', body, { 'x-uniq-id': randomUUID() });
    await stage.sentAndFinal();
    const id: string = made.body.result.order_id;
    const timeline = await read().payoutTimeline(scope, id);
    inTurn(codes(timeline), [
      'created',
      'reserved',
      'nonce_taken',
      'signed',
      'broadcast',
      'settled',
      'status success',
    ]);
    expect(timeline?.unknown).toEqual(['mined']);
    expect(await read().payoutTimeline({ ...scope, sandbox: true }, id)).toBeNull();
    expect((await read().searchEverything(id)).payouts.map((payout) => payout.id)).toEqual([id]);
  });

  test('a partly paid invoice that its merchant accepts, until a refund of it is offered', async () => {
    const invoice = await stage.paid('10');
    const id: string = invoice.order_id;
    const accept = () => read().acceptInvoice(scope, id);
    const claim = await stage.offered(invoice);
    expect(await accept()).toMatchObject({ ok: false, error: { code: 'INVALID_TRANSITION' } });
    expect((await stage.call('DELETE', `refunds/${claim.id}`)).ok).toBe(true);
    expect(await accept()).toMatchObject({
      ok: true,
      value: { status: 'success', acceptedUnits: 10_000_000n },
    });
    await stage.journey.it.settle();
    expect(stage.journey.statusesSent(id).at(-1)).toBe('success');
    await stage.journey.booksAreRight();
    inTurn(codes(await read().invoiceTimeline(scope, id)), ['status partially_paid', 'status success']);
    expect(await read().attentionCounts(scope)).toMatchObject({ partial: 0 });
  });

  test('an overview whose money is what the ledger says', async () => {
    const today = Math.floor(stage.journey.clock.now().getTime() / 86_400_000);
    const { days, received, sent, invoices } = await read().overview(scope, {
      first: today - 1,
      last: today,
    });
    expect(days).toHaveLength(2);
    const credited = received.reduce((sum, { microUsd }) => sum + microUsd, 0n);
    const { total_income: income } = await stage.journey.balance();
    expect(Number(credited) / 1e6).toBe(income);
    expect(sent).toMatchObject([{ asset: 'usdt_ethereum', count: 1, units: 5_000_000n }]);
    expect(invoices).toEqual({ created: 1, success: 2, refunded: 1 });
    await expect(read().overview(scope, { first: 5, last: 4 })).rejects.toThrow(RangeError);
  });

  test('an offer that is made while its merchant accepts bars the acceptance: one of two is first', async () => {
    const invoice = await stage.paid('10');
    const deps = stage.journey.it.service.dependencies;
    const claims: Json[] = [];
    const late: typeof deps = {
      ...deps,
      unitOfWork: {
        async run(work) {
          if (claims.length === 0) claims.push(await stage.offered(invoice));
          return deps.unitOfWork.run(work);
        },
      },
    };
    const accepted = await acceptInvoice(late)(scope, invoice.order_id);
    expect(accepted).toMatchObject({ ok: false, error: { code: 'INVALID_TRANSITION' } });
    expect((await stage.call('DELETE', `refunds/${claims[0].id}`)).ok).toBe(true);
  });

  test('an offered refund of another payment to its address does not bar the acceptance', async () => {
    const invoice = await stage.paid('10');
    const deps = stage.journey.it.service.dependencies;
    stage.journey.pay(invoice, '8', 'usdc_ethereum');
    await stage.journey.mineToFinality();
    const { deposits } = await read().searchPayments(scope, '8 usdc');
    const depositId = deposits[0]?.id ?? '';
    expect((await creditStray(deps)(depositId)).ok).toBe(true);
    const offered = await offerRefund(deps)({
      ...{ of: { subject: 'deposit', depositId }, by: { operator: 'ann' }, amount: null },
      ...{ feeBearer: 'client', onCheckout: false, mails: false, days: 14 },
    });
    expect(offered).toMatchObject({ ok: true, value: { invoiceId: invoice.order_id } });
    expect(await read().acceptInvoice(scope, invoice.order_id)).toMatchObject({ ok: true });
    await stage.journey.it.settle();
  });
});
