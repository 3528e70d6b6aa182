/**
 * Refunds that customers claim, on a fake chain: who gets what, once, and what becomes of invoice
 * and books.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { quoteRefund } from '../../../src/app/payouts/refunds/confirm-refund.ts';
import { offerRefund } from '../../../src/app/payouts/refunds/offer-refund.ts';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { anAddress } from '../../support/builders.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import { type ClaimStage, openClaimStage } from '../../support/payouts/claim-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('refunds that customers claim', () => {
  let on: ClaimStage;

  beforeAll(async () => {
    on = await openClaimStage();
  });
  beforeEach(() => on.journey.it.settle());
  afterAll(() => on.journey.close());

  test('the customer names an address, gets the money less the fee, and the merchant reads every step', async () => {
    const invoice = await on.paid();
    const before = await on.journey.balance();
    const refund = await on.offered(invoice);
    expect(refund).toMatchObject({ status: 'open', amount: 25, order_id: invoice.order_id, address: null });
    expect(await on.journey.balance()).toEqual(before);
    expect(await on.statusOf(invoice)).toBe('success');

    const to = anAddress();
    const quote = await quoteRefund(on.deps)(refund.id, to);
    if (!quote.ok) throw new Error(quote.error.why);
    const { units, sentUnits } = quote.value;
    expect(units).toBe(usdt('25'));
    expect(sentUnits < units && sentUnits > usdt('15')).toBe(true);
    expect(await on.confirm(refund.id, to, sentUnits)).toMatchObject({ ok: true });
    expect(await on.statusOf(invoice)).toBe('refunded');
    expect(await on.available()).toBeCloseTo(before.available - 25, 6);
    expect(await on.claim(refund.id)).toMatchObject({ status: 'confirmed', address: to });
    await on.journey.booksAreRight();

    await on.sentAndFinal();
    expect(on.received(to)).toBe(sentUnits);
    expect(await on.claim(refund.id)).toMatchObject({ status: 'paid', txid: expect.any(String) });
    expect(await on.steps(refund.id)).toEqual([
      'refund.open',
      'refund.confirmed',
      'refund.sent',
      'refund.paid',
    ]);
    expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('sent');
    const { result } = await on.call('GET', `invoices/${invoice.order_id}/refunds`);
    expect(result).toEqual([await on.claim(refund.id)]);
    await on.journey.booksAreRight();
  });

  test('the merchant may bear the fee: the customer gets everything', async () => {
    const [invoice] = [await on.paid(), await on.paid()];
    const refund = await on.offered(invoice, { fee_bearer: 'merchant' });
    const before = await on.available();
    const to = anAddress();
    await on.confirmed(refund.id, to);
    expect(await on.available()).toBeLessThan(before - 25);
    await on.sentAndFinal();
    expect(on.received(to)).toBe(usdt('25'));
    await on.journey.booksAreRight();
  });

  test('the gateway bears no fee for a merchant who has spent the balance', async () => {
    const [invoice] = [await on.paid(), await on.paid()];
    const refund = await on.offered(invoice, { fee_bearer: 'merchant' });
    const rest = {
      amount: (await on.available()) - 25.001,
      ...{ asset: 'usdt_ethereum', address: anAddress(), fee_bearer: 'client' },
    };
    const key = { 'x-uniq-id': crypto.randomUUID() };
    const spent = await on.journey.it.call(on.journey.merchant.live, 'POST', '/api/v2/payouts', rest, key);
    expect(spent.body.error).toBeUndefined();
    expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('later');
    await on.paid();
    await on.confirmed(refund.id, anAddress());
    await on.sentAndFinal();
    await on.journey.booksAreRight();
  });

  test('L2: of confirmations at the same time one makes a payout', async () => {
    const refund = await on.offered(await on.paid());
    const customers = [anAddress(), anAddress(), anAddress()];
    // Who is quoted after another confirmed has a changed mind, which may replace the first payout.
    const { promise: allAreQuoted, resolve } = Promise.withResolvers<void>();
    let quoted = 0;
    const confirm = on.confirmAfter(async () => {
      quoted += 1;
      if (quoted === customers.length) resolve();
      await allAreQuoted;
    });
    const done = await Promise.all(customers.map((to) => confirm(refund.id, to)));
    expect(done.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await on.payoutsOf(refund.id)).toBe(1);
    await on.sentAndFinal();
    expect(customers.filter((to) => on.received(to) > 0n)).toHaveLength(1);
    await on.journey.booksAreRight();
  });

  test('L2: who asked before another customer confirmed replaces nothing', async () => {
    const refund = await on.offered(await on.paid());
    const [first, second] = [anAddress(), anAddress()];
    const confirm = on.confirmAfter(() => on.confirmed(refund.id, first));
    expect(await on.why(confirm(refund.id, second))).toBe('changed');
    expect(await on.payoutsOf(refund.id)).toBe(1);
    expect(await on.claim(refund.id)).toMatchObject({ status: 'confirmed', address: first });
  });

  test('L2: a changed mind cancels the first payout, until it has a nonce; the invoice stays refunded', async () => {
    const invoice = await on.paid();
    const refund = await on.offered(invoice);
    const [first, second] = [anAddress(), anAddress()];
    const before = await on.available();
    await on.confirmed(refund.id, first);
    const webhooks = on.journey.statusesSent(invoice.order_id);
    await on.confirmed(refund.id, second);
    expect(await on.available()).toBeCloseTo(before - 25, 6);
    expect(await on.statusOf(invoice)).toBe('refunded');
    await on.journey.booksAreRight();
    await on.journey.it.settle();
    expect(await on.why(on.confirm(refund.id, first))).toBe('sent');
    await on.sentAndFinal();
    expect([on.received(first), on.received(second) > 0n]).toEqual([0n, true]);
    expect(await on.steps(refund.id)).toEqual([
      ...['refund.open', 'refund.confirmed', 'refund.confirmed', 'refund.sent', 'refund.paid'],
    ]);
    expect(on.journey.statusesSent(invoice.order_id)).toEqual(webhooks);
    await on.journey.booksAreRight();
  });

  test('a claim has ten payouts at most', async () => {
    const refund = await on.offered(await on.paid());
    for (let nth = 0; nth < 10; nth += 1) await on.confirmed(refund.id, anAddress());
    expect(await on.why(on.confirm(refund.id, anAddress()))).toBe('later');
    expect(await on.payoutsOf(refund.id)).toBe(10);
    await on.journey.booksAreRight();
  });

  test('what was paid too much goes back alone, and the rest later, never more than was credited', async () => {
    const invoice = await on.paid('35.25');
    expect(await on.statusOf(invoice)).toBe('paid_over');
    const [one, two] = [anAddress(), anAddress()];
    const surplus = await on.offered(invoice, { only_surplus: true, fee_bearer: 'merchant' });
    // 34.9009... was credited of 35.25; 10 of those were too much.
    expect(surplus.amount).toBeCloseTo(10 / 1.01, 5);
    await on.confirmed(surplus.id, one);
    expect(await on.statusOf(invoice)).toBe('paid_over');
    const busy = await on.call('POST', `invoices/${invoice.order_id}/refunds`, {});
    expect(busy.error).toMatchObject({ code: 'INVALID_TRANSITION' });
    await on.sentAndFinal();
    await on.journey.booksAreRight();
    expect(await on.statusOf(invoice)).toBe('paid_over');
    const again = await on.call('POST', `invoices/${invoice.order_id}/refunds`, { only_surplus: true });
    expect(again.error.details).toMatchObject({ rule: 'refund_amount' });

    const rest = await on.offered(invoice, { fee_bearer: 'merchant' });
    await on.confirmed(rest.id, two);
    expect(await on.statusOf(invoice)).toBe('refunded');
    await on.sentAndFinal();
    expect(on.received(one) + on.received(two)).toBe(
      BigInt(Math.round((surplus.amount + rest.amount) * 1e6)),
    );
    const credited = (await on.call('GET', 'ledger?type=income&per_page=100')).result.find(
      (line: Json) => line.reference_id === invoice.order_id,
    );
    expect(surplus.amount + rest.amount).toBeCloseTo(credited.amount, 6);
    const none = await on.call('POST', `invoices/${invoice.order_id}/refunds`, {});
    expect(none.error.message).toContain('is refunded cannot be refunded');
    await on.journey.booksAreRight();
  });

  test('a payment that came too late is claimed as a deposit, once', async () => {
    const invoice = await on.journey.create({ ttl: 300 });
    on.journey.clock.advance(600);
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    expect(await on.statusOf(invoice)).toBe('expired');
    on.journey.pay(invoice, '25.25');
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    const [stray] = await on.deps.operatorQueries.deposits({
      ...{ statuses: ['stray'], sandbox: false, limit: 9 },
    });
    if (stray === undefined) throw new Error('there is no stray');
    const depositId = stray.id;
    const offer = () =>
      offerRefund(on.deps)({
        of: { subject: 'deposit', depositId },
        ...{
          amount: null,
          feeBearer: 'merchant',
          onCheckout: true,
          mails: false,
          days: 14,
          by: { operator: 'ann' },
        },
      });
    expect(await offer()).toMatchObject({ error: { code: 'INVALID_TRANSITION' } });
    expect(await creditStray(on.deps)(depositId)).toMatchObject({ ok: true });
    const made = await offer();
    if (!made.ok) throw new Error(made.error.message);
    expect(made.value).toMatchObject({
      invoiceId: invoice.order_id,
      orderedBy: 'ann',
      units: usdt('24.9975'),
    });
    expect(await offer()).toMatchObject({ error: { code: 'INVALID_TRANSITION' } });
    expect(await on.deps.queries.checkoutClaim(invoice.order_id)).toMatchObject({
      claim: { id: made.value.id },
    });

    const to = anAddress();
    await on.confirmed(made.value.id, to);
    expect(await on.statusOf(invoice)).toBe('expired');
    await on.sentAndFinal();
    expect(on.received(to)).toBe(usdt('24.9975'));
    expect(await on.steps(made.value.id)).toEqual([
      ...['refund.open', 'refund.confirmed', 'refund.sent', 'refund.paid'],
    ]);
    expect(await offer()).toMatchObject({ error: { code: 'INVALID_TRANSITION' } });
    await on.journey.booksAreRight();
  });

  test('a payout that fails on the chain opens the claim again, and another address is paid', async () => {
    const invoice = await on.paid();
    const refund = await on.offered(invoice);
    const [first, second] = [anAddress(), anAddress()];
    await on.confirmed(refund.id, first);
    await on.journey.it.settle();
    on.journey.chain().revertNext(first);
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    expect(await on.claim(refund.id)).toMatchObject({ status: 'open', address: null });
    expect(await on.statusOf(invoice)).toBe('success');
    await on.confirmed(refund.id, second);
    await on.sentAndFinal();
    expect([on.received(first), on.received(second) > 0n]).toEqual([0n, true]);
    expect(await on.claim(refund.id)).toMatchObject({ status: 'paid', address: second });
    await on.journey.booksAreRight();
  });

  test('L2: addresses of ours, of other networks and of nobody are refused', async () => {
    const invoice = await on.paid();
    const refund = await on.offered(invoice);
    const wrong = [
      ...[invoice.address_to, on.hotWallet, on.hotWallet.toLowerCase(), '0x0', ''],
      ...['0x0000000000000000000000000000000000000000', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
    ];
    for (const to of wrong) expect([to, await on.why(on.confirm(refund.id, to))]).toEqual([to, 'address']);
    expect(await on.payoutsOf(refund.id)).toBe(0);
  });

  test('less than was shown is not sent, and nothing below the balance', async () => {
    const refund = await on.offered(await on.paid());
    const to = anAddress();
    expect(await on.why(on.confirm(refund.id, to, usdt('25')))).toBe('changed');
    const own = await on.journey.it.merchant({ callbackUrl: null });
    expect(own.id).not.toBe(on.journey.merchant.id);
    const balance = await on.available();
    // All that is there, and a little more than what the claim leaves.
    const payout = {
      amount: balance - 1,
      asset: 'usdt_ethereum',
      address: anAddress(),
      fee_bearer: 'client',
    };
    const answer = await on.journey.it.call(on.journey.merchant.live, 'POST', '/api/v2/payouts', payout, {
      'x-uniq-id': crypto.randomUUID(),
    });
    expect(answer.body.error).toBeUndefined();
    expect(await on.why(on.confirm(refund.id, to))).toBe('later');
    expect(await on.claim(refund.id)).toMatchObject({ status: 'open' });
    await cancelPayout(on.deps)(answer.body.result.order_id);
    await on.confirmed(refund.id, to);
    await on.journey.booksAreRight();
  });
});
