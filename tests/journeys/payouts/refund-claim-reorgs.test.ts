/** Claims to refunds when the chain, or a debt of the merchant, changes what may be given back. */
import { afterEach, describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { offerRefund, withdrawRefund } from '../../../src/app/payouts/refunds/offer-refund.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { cancelPayout, holdPayout, releasePayout } from '../../../src/app/sending/operate-payouts.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import { anAddress } from '../../support/builders.ts';
import { type ClaimStage, openClaimStage } from '../../support/payouts/claim-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { sendingOrder, signingOrder } from '../../support/utxo/lone-orders.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('claims and what changes meanwhile', () => {
  let on: ClaimStage;
  afterEach(() => on.journey.close());

  async function payoutOf(claimId: string) {
    const found = await on.deps.queries.anyRefundClaim(claimId);
    if (found?.payout == null) throw new Error(`claim ${claimId} has no payout`);
    return found.payout;
  }

  /** The payout's transaction is dropped, and another one of the hot wallet takes its nonce. */
  async function useUpNonce({ id, txid }: Payout): Promise<void> {
    const chain = on.journey.it.service.sending.chains.get('ethereum');
    const open = await on.deps.unitOfWork.run((r) => r.outgoing.open('ethereum', 10));
    const transfer = open.find(({ referenceId }) => referenceId === id);
    if (chain === undefined || transfer === undefined) throw new Error('the payout has no transfer');
    const foreign = { ...transfer, asset: 'eth_ethereum', units: 1n, voids: false };
    const { payload } = await chain.sender.prepare(sendingOrder(foreign), null);
    const key = { role: 'hot' } as const;
    const order = signingOrder({ ...foreign, transferId: transfer.id, key, toKey: null, payload });
    const signed = await chain.signer.sign(order);
    on.journey.chain().drop(txid ?? '');
    await chain.sender.broadcast(signed.raw);
  }

  test('a reorganisation of a paid surplus is recorded while the rest is offered, or on its way', async () => {
    on = await openClaimStage();
    const [invoice] = [await on.paid('35.25'), await on.paid()];
    const surplus = await on.offered(invoice, { only_surplus: true, fee_bearer: 'merchant' });
    await on.confirmed(surplus.id, anAddress());
    await on.sentAndFinal();
    const { txid } = await payoutOf(surplus.id);
    const rest = await on.offered(invoice);
    on.journey.chain().reorg(13, { requeue: [txid ?? ''] });
    await on.journey.it.settle();
    expect(await on.claim(surplus.id)).toMatchObject({ status: 'sent' });
    expect(await on.why(on.confirm(rest.id, anAddress()))).toBe('over');
    await on.sentAndFinal();
    expect(await on.claim(surplus.id)).toMatchObject({ status: 'paid' });
    await on.confirmed(rest.id, anAddress());
    on.journey.chain().reorg(13, { requeue: [txid ?? ''] });
    await on.journey.it.settle();
    expect(await on.claim(surplus.id)).toMatchObject({ status: 'sent' });
    await on.sentAndFinal();
    expect([await on.claim(surplus.id), await on.claim(rest.id)]).toMatchObject([
      { status: 'paid' },
      { status: 'paid' },
    ]);
    await on.journey.booksAreRight();
  });

  test('a surplus that left the chain is not given back of what was due', async () => {
    on = await openClaimStage();
    const [invoice] = [await on.journey.create(), await on.paid()];
    on.journey.pay(invoice, '25.25');
    on.journey.chain().mine(5);
    on.journey.pay(invoice, '10');
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    const surplus = await on.offered(invoice, { only_surplus: true });
    on.journey.chain().reorg(13);
    await on.journey.it.settle();
    expect(await on.statusOf(invoice)).toBe('success');
    expect(await on.why(on.confirm(surplus.id, anAddress()))).toBe('over');
  });

  test('K4: a reorganised refund that an unknown transaction may have paid waits beside the refund of the rest', async () => {
    on = await openClaimStage();
    const [invoice] = [await on.paid('35.25'), await on.paid(), await on.paid()];
    const surplus = await on.offered(invoice, { only_surplus: true, fee_bearer: 'merchant' });
    await on.confirmed(surplus.id, anAddress());
    await on.sentAndFinal();
    const first = await payoutOf(surplus.id);
    const [rest, to] = [await on.offered(invoice), anAddress()];
    await on.confirmed(rest.id, to);
    const second = await payoutOf(rest.id);
    expect(await holdPayout(on.deps)(second.id, 'stays here')).toMatchObject({ ok: true });
    on.journey.chain().reorg(13, { requeue: [first.txid ?? ''] });
    await on.journey.it.settle();
    await useUpNonce(first);
    await on.sentAndFinal();
    expect([await payoutOf(surplus.id), await payoutOf(rest.id)]).toMatchObject([
      { status: 'pending', held: { code: 'restored' } },
      { status: 'pending', held: { code: 'restored_held' } },
    ]);
    expect([await on.claim(surplus.id), await on.claim(rest.id)]).toMatchObject([
      { status: 'confirmed' },
      { status: 'confirmed' },
    ]);
    expect(await on.why(on.confirm(surplus.id, anAddress()))).toBe('sent');
    // What an operator decides is paid once each, and no more than was credited.
    expect(await releasePayout(on.deps)(second.id)).toMatchObject({ ok: true });
    await on.sentAndFinal();
    expect(on.received(to)).toBe(second.sentUnits);
    expect(await cancelPayout(on.deps)(first.id)).toMatchObject({ ok: true });
    expect([await on.claim(surplus.id), await on.claim(rest.id)]).toMatchObject([
      { status: 'open' },
      { status: 'paid' },
    ]);
    await on.journey.booksAreRight();
  });

  test('a reorganisation that pays the first refund of a deposit after all leaves nothing for the second', async () => {
    on = await openClaimStage();
    const invoice = await on.journey.create({ ttl: 300 });
    on.journey.clock.advance(600);
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    on.journey.pay(invoice, '25.25');
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    const which = { statuses: ['stray'], sandbox: false, limit: 9 } as const;
    const [stray] = await on.deps.operatorQueries.deposits(which);
    const depositId = stray?.id ?? '';
    expect(await creditStray(on.deps)(depositId)).toMatchObject({ ok: true });
    const offered = async (): Promise<RefundClaim> => {
      const made = await offerRefund(on.deps)({
        of: { subject: 'deposit', depositId },
        ...{ amount: null, feeBearer: 'merchant', onCheckout: false, mails: false, days: 14 },
        by: { operator: 'ann' },
      });
      if (!made.ok) throw new Error(made.error.message);
      return made.value;
    };
    const [first, to] = [await offered(), anAddress()];
    await on.confirmed(first.id, to);
    await on.journey.it.settle();
    const { txid } = await payoutOf(first.id);
    on.journey.chain().revertNext(to);
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    expect(await on.claim(first.id)).toMatchObject({ status: 'open' });
    expect(await withdrawRefund(on.deps)(first.id, null)).toMatchObject({ ok: true });
    const second = await offered();
    on.journey.chain().reorg(13, { keep: [txid ?? ''] });
    await on.sentAndFinal();
    expect(on.received(to) > 0n).toBe(true);
    expect(await on.claim(first.id)).toMatchObject({ status: 'paid', address: to });
    expect(await on.why(on.confirm(second.id, anAddress()))).toBe('over');
    await on.journey.booksAreRight();
  });

  test('a reorganisation that pays a failed refund after all stops the one that took its place', async () => {
    on = await openClaimStage();
    const [invoice] = [await on.paid(), await on.paid(), await on.paid()];
    const [refund, one, two] = [await on.offered(invoice), anAddress(), anAddress()];
    await on.confirmed(refund.id, one);
    await on.journey.it.settle();
    const { txid } = await payoutOf(refund.id);
    on.journey.chain().revertNext(one);
    await on.journey.mineToFinality();
    await on.journey.it.settle();
    await on.confirmed(refund.id, two);
    const { id } = await payoutOf(refund.id);
    expect(await holdPayout(on.deps)(id, 'stays here')).toMatchObject({ ok: true });
    on.journey.chain().reorg(13, { keep: [txid ?? ''] });
    await on.sentAndFinal();
    expect(on.received(one) > 0n).toBe(true);
    expect(await releasePayout(on.deps)(id)).toMatchObject({ ok: true });
    await on.sentAndFinal();
    expect(on.received(two)).toBe(0n);
    expect(await payoutOf(refund.id)).toMatchObject({ status: 'pending', waiting: { code: 'payment_gone' } });
    await on.journey.booksAreRight();
  });

  test('U7: what the merchant offered waits while the balance is below zero', async () => {
    on = await openClaimStage();
    const [invoice, other] = [await on.paid(), await on.paid()];
    const [refund, to] = [await on.offered(invoice), anAddress()];
    await on.confirmed(refund.id, to);
    const { id } = await payoutOf(refund.id);
    await holdPayout(on.deps)(id, 'stays here');
    const operators = { to: anAddress(), amount: null, by: 'ann', force: true };
    const spent = { amount: 20, asset: 'usdt_ethereum', address: anAddress(), fee_bearer: 'client' };
    const key = { 'x-uniq-id': crypto.randomUUID() };
    const payout = await on.journey.it.call(on.journey.merchant.live, 'POST', '/api/v2/payouts', spent, key);
    expect(payout.body.error).toBeUndefined();
    expect(await refundInvoice(on.deps)(other.order_id, operators)).toMatchObject({ ok: true });
    expect(await on.available()).toBeLessThan(0);
    await releasePayout(on.deps)(id);
    await on.sentAndFinal();
    expect(on.received(to)).toBe(0n);
    expect(await payoutOf(refund.id)).toMatchObject({ waiting: { code: 'negative_balance' } });
    expect(on.received(operators.to) > 0n).toBe(true);
    await on.paid();
    on.journey.clock.advance(3_600);
    await on.sentAndFinal();
    expect(on.received(to) > 0n).toBe(true);
    await on.journey.booksAreRight();
  });
});
