/** Claims to refunds between merchants, operators and time: what ends them, and what does not. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { quoteRefund } from '../../../src/app/payouts/refunds/confirm-refund.ts';
import { expireClaims } from '../../../src/app/payouts/refunds/follow-claim.ts';
import { offerRefund, withdrawRefund } from '../../../src/app/payouts/refunds/offer-refund.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { cancelPayout, holdPayout } from '../../../src/app/sending/operate-payouts.ts';
import { insertBatches } from '../../../src/app/sending/payout-dispatch.ts';
import { holdBack } from '../../../src/app/sending/restart/hold-back.ts';
import { startGate } from '../../../src/app/sending/restart/start-gate.ts';
import { parseDecimal } from '../../../src/domain/money/decimal.ts';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import { anAddress } from '../../support/builders.ts';
import { type ClaimStage, openClaimStage } from '../../support/payouts/claim-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a claim to a refund', () => {
  let on: ClaimStage;

  beforeAll(async () => {
    on = await openClaimStage();
  });
  beforeEach(() => on.journey.it.settle());
  afterAll(() => on.journey.close());

  test('what an operator held is not changed by the customer', async () => {
    const refund = await on.offered(await on.paid());
    const done = await on.confirm(refund.id, anAddress());
    if (!done.ok) throw new Error(done.error.why);
    await holdPayout(on.deps)(done.value.payout?.id ?? '', 'looks odd');
    expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('sent');
  });

  test('L2: a payout that has a nonce is not replaced, though nothing is signed yet', async () => {
    const [refund, to] = [await on.offered(await on.paid()), anAddress()];
    const done = await on.confirm(refund.id, to);
    const sending = on.journey.it.service.sending.chains.get('ethereum');
    if (!done.ok || done.value.payout === null || sending === undefined) throw new Error('no payout');
    const { payout } = done.value;
    const atLeast = await sending.sender.nextNonce(on.hotWallet);
    await on.deps.unitOfWork.run((r) => insertBatches(on.deps, r, sending, [[payout]], { atLeast }));
    expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('sent');
    await on.sentAndFinal();
    expect(on.received(to) > 0n).toBe(true);
  });

  test('an operator who cancels the payout opens the claim again', async () => {
    const invoice = await on.paid();
    const refund = await on.offered(invoice);
    const done = await on.confirm(refund.id, anAddress());
    if (!done.ok) throw new Error(done.error.why);
    expect(await cancelPayout(on.deps)(done.value.payout?.id ?? '')).toMatchObject({ ok: true });
    expect(await on.claim(refund.id)).toMatchObject({ status: 'open' });
    expect(await on.statusOf(invoice)).toBe('success');
    await on.journey.booksAreRight();
  });

  test('G7: what the merchant offered waits while the merchant is barred; what an operator offered does not', async () => {
    const [mine, theirs] = [await on.paid(), await on.paid()];
    const refund = await on.offered(mine);
    const operators = await offerRefund(on.deps)({
      of: { subject: 'invoice', invoiceId: theirs.order_id },
      ...{
        amount: null,
        feeBearer: 'client',
        onCheckout: false,
        mails: false,
        days: 14,
        by: { operator: 'ann' },
      },
    });
    if (!operators.ok) throw new Error(operators.error.message);
    const waiting = await on.offered(await on.paid());
    await on.confirmed(waiting.id, anAddress());
    await changeMerchant(on.deps)(on.journey.merchant.id, { status: 'paused' });
    try {
      expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('later');
      const to = anAddress();
      await on.confirmed(operators.value.id, to);
      await on.sentAndFinal();
      expect(on.received(to) > 0n).toBe(true);
      const found = await on.deps.queries.anyRefundClaim(waiting.id);
      expect(found?.payout).toMatchObject({ status: 'pending', waiting: { code: 'merchant' } });
    } finally {
      await changeMerchant(on.deps)(on.journey.merchant.id, { status: 'active' });
    }
    await on.sentAndFinal();
    expect(await on.claim(waiting.id)).toMatchObject({ status: 'paid' });
    await on.journey.booksAreRight();
  });

  test('an invoice has one refund at a time, whoever offers it', async () => {
    const invoice = await on.paid();
    const offers = await Promise.all(
      [1, 2, 3].map(() => on.call('POST', `invoices/${invoice.order_id}/refunds`, { amount: 5 })),
    );
    const [{ result: refund }, ...others] = offers.filter(({ result }) => result != null);
    expect(others).toEqual([]);
    const second = await on.call('POST', `invoices/${invoice.order_id}/refunds`, {});
    expect(second.error).toMatchObject({ code: 'INVALID_TRANSITION' });
    expect((await on.call('DELETE', `refunds/${refund.id}`)).result).toMatchObject({ status: 'withdrawn' });
    expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('over');
    expect((await on.call('DELETE', `refunds/${refund.id}`)).error.code).toBe('INVALID_TRANSITION');
    const other = await on.offered(invoice);
    await refundInvoice(on.deps)(invoice.order_id, { to: anAddress(), amount: null, by: 'ann' });
    expect(await on.why(on.confirm(other.id, anAddress()))).toBe('over');
    await on.journey.booksAreRight();
  });

  test('a claim expires at its time, and a confirmed one never', async () => {
    const [over, going] = [
      await on.offered(await on.paid(), { expires_in_days: 1 }),
      await on.offered(await on.paid()),
    ];
    await on.confirmed(going.id, anAddress());
    on.journey.clock.advance(86_400);
    expect(await on.why(on.confirm(over.id, anAddress()))).toBe('over');
    expect(await quoteRefund(on.deps)(over.id, anAddress())).toMatchObject({ error: { why: 'over' } });
    expect(await expireClaims(on.deps)(100)).toBeGreaterThan(0);
    expect(await on.claim(over.id)).toMatchObject({ status: 'expired' });
    expect(await on.steps(over.id)).toEqual(['refund.open', 'refund.expired']);
    await on.sentAndFinal();
    expect(await on.claim(going.id)).toMatchObject({ status: 'paid' });
  });

  test('L3: open claims end when payouts are held because the wallet may have paid more than we know', async () => {
    const refund = await on.offered(await on.paid());
    const at = on.deps.clock.now();
    const lost = (assets: readonly string[] | null) =>
      on.deps.unitOfWork.run((repositories) => holdBack(repositories, { payoutIds: [], assets, at }, 'test'));
    await lost(['btc_bitcoin']);
    expect(await quoteRefund(on.deps)(refund.id, anAddress())).toMatchObject({ ok: true });
    await lost(null);
    expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('over');
    await expireClaims(on.deps)(100);
    expect(await on.claim(refund.id)).toMatchObject({ status: 'expired' });
  });

  test('L3: what pays a claim of before a start, or of before an unknown transaction, is not new', async () => {
    const [invoice] = [await on.paid(), await on.paid()];
    const refund = await on.offered(invoice);
    const chain = on.journey.it.service.sending.chains.get('ethereum');
    if (chain === undefined) throw new Error('nothing is sent on ethereum');
    const gate = startGate(on.deps, chain);
    const looked = () => on.deps.unitOfWork.run((repositories) => gate.look(repositories));
    await looked();
    on.journey.clock.advance(600);
    const before = on.deps.clock.now();
    on.journey.clock.advance(600);
    const done = await on.confirm(refund.id, anAddress());
    if (!done.ok) throw new Error(done.error.why);
    const id = done.value.payout?.id ?? '';
    await looked();
    await gate.open();
    expect(gate.keeps(id)).toBe(true);
    const which = { assets: null, madeBefore: before, now: on.deps.clock.now() };
    expect(await on.deps.unitOfWork.run(({ payouts }) => payouts.pendingOf(which))).toContain(id);
    await on.sentAndFinal();
    await looked();
    await gate.open();
    expect(gate.keeps(id)).toBe(false);
  });

  test('another merchant neither offers, nor reads, nor withdraws', async () => {
    const invoice = await on.paid();
    const refund = await on.offered(invoice);
    const stranger = await on.journey.it.merchant({ allowedSubnets: on.local });
    const as = async (method: 'GET' | 'POST' | 'DELETE', path: string) =>
      (await on.journey.it.call(stranger.live, method, `/api/v2/${path}`)).body.error?.code;
    expect([
      await as('POST', `invoices/${invoice.order_id}/refunds`),
      await as('GET', `invoices/${invoice.order_id}/refunds`),
      await as('GET', `refunds/${refund.id}`),
      await as('DELETE', `refunds/${refund.id}`),
    ]).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
    const elsewhere: Pick<RefundClaim, 'merchantId' | 'sandbox'> = {
      ...{ merchantId: on.journey.merchant.id, sandbox: true },
    };
    expect(await withdrawRefund(on.deps)(refund.id, elsewhere)).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
  });

  test('a part takes its share of the value', async () => {
    const invoice = await on.paid();
    const before = await on.available();
    const made = await offerRefund(on.deps)({
      of: { subject: 'invoice', invoiceId: invoice.order_id },
      ...{ amount: parseDecimal('10.5'), feeBearer: 'client', onCheckout: false, mails: false, days: 1 },
      by: { operator: 'ann' },
    });
    if (!made.ok) throw new Error(made.error.message);
    await on.confirmed(made.value.id, anAddress());
    expect(await on.available()).toBeCloseTo(before - 10.5, 6);
    await on.journey.booksAreRight();
  });
});
