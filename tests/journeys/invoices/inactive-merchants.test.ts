/**
 * Payouts of merchants who may not be paid out: not active, or not approved. They wait, and go by
 * themselves when that has ended.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { fakeCapabilities } from '../../../src/adapters/chains/fake/fake-capabilities.ts';
import { changeMerchant, type MerchantChange } from '../../../src/app/merchants/manage-merchants.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { cancelPayout, holdPayout, releasePayout } from '../../../src/app/sending/operate-payouts.ts';
import { KYC_STATES, MERCHANT_STATUSES } from '../../../src/domain/merchants/merchant.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { EVM_CAPABILITIES } from '../../../src/ports/sending/sending-capabilities.ts';
import { SignerUnavailable } from '../../../src/ports/sending/signer.ts';
import { anAddress } from '../../support/builders.ts';
import { type FakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { openPayoutJourney, type PayoutJourney } from '../../support/payouts/payout-journey.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const GOOD = { status: 'active', kyc: 'approved' } as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts of merchants who are not active', () => {
  let world: PayoutJourney;
  let journey: FakeJourney;
  beforeAll(async () => {
    world = await openPayoutJourney();
    journey = world.journey;
  });
  beforeEach(async () => {
    world.beforeSigning(null);
    await become(GOOD);
  });
  afterAll(() => journey.close());
  const deps = () => journey.it.service.dependencies;
  const { order, stored, received, transferOf, finish } = {
    order: () => world.order(),
    stored: (id: string) => world.stored(id),
    received: (to: string) => world.received(to),
    transferOf: (id: string) => world.transferOf(id),
    finish: () => world.finish(),
  };
  async function become(change: MerchantChange, merchantId = journey.merchant.id): Promise<void> {
    expect((await changeMerchant(deps())(merchantId, change)).ok).toBe(true);
  }
  const signerAway = async () => {
    throw new SignerUnavailable('the signer is away');
  };
  const metricsText = async (): Promise<string> => (await journey.it.call(null, 'GET', '/metrics')).body;
  async function booksAgree(): Promise<void> {
    await journey.booksAreRight();
  }

  const BARRED: readonly (readonly [told: string, change: MerchantChange])[] = [
    ...MERCHANT_STATUSES.filter((status) => status !== 'active').map(
      (status) => [`the merchant is ${status}`, { status }] as const,
    ),
    ...KYC_STATES.filter((kyc) => kyc !== 'approved').map(
      (kyc) => [`the merchant's KYC is ${kyc}`, { kyc }] as const,
    ),
  ];

  test.each(BARRED)(
    'G7: a payout waits while %s, says so, and leaves by itself afterwards',
    async (told, change) => {
      using warned = spyOn(deps().logger, 'warn');
      const { id, to } = await order();
      await become(change);
      await finish();
      expect(received(to)).toBe(0n);
      expect(await transferOf(id)).toBeNull();
      expect(await stored(id)).toMatchObject({
        status: 'pending',
        waiting: { code: 'merchant', reason: expect.stringContaining(told) },
      });
      expect(await metricsText()).toContain('\nquittance_payouts_waiting{code="merchant"} 1\n');
      const lines = warned.mock.calls.filter(([, fields]) => fields?.payoutId === id);
      expect(lines).toHaveLength(1);
      expect(lines[0]?.[1]).toMatchObject({ merchantId: journey.merchant.id });
      await become(GOOD);
      await finish();
      expect(await stored(id)).toMatchObject({ status: 'success', waiting: null });
      expect(received(to)).toBe(usdt('5'));
      expect(await metricsText()).toContain('\nquittance_payouts_waiting{code="merchant"} 0\n');
      await booksAgree();
    },
  );

  test('G7: one that has its place and is not signed gives that up, and nobody waits behind it', async () => {
    const other = await journey.it.merchant();
    const first = await order();
    world.beforeSigning(signerAway);
    await journey.it.settle(1);
    expect(await transferOf(first.id)).toMatchObject({ status: 'allocated' });
    await become({ status: 'rejected' });
    const theirs = await orderOf(other.live, other.id);
    await finish();
    expect(received(first.to)).toBe(0n);
    expect(await stored(first.id)).toMatchObject({
      status: 'pending',
      dispatchedAt: null,
      waiting: { code: 'merchant' },
    });
    expect((await stored(theirs)).status).toBe('success');
    await become(GOOD);
    await finish();
    expect((await stored(first.id)).status).toBe('success');
    expect(received(first.to)).toBe(usdt('5'));
    await booksAgree();
  });

  test('G7: one whose merchant is rejected while the signer is asked is not sent', async () => {
    const { id, to } = await order();
    world.beforeSigning(() => become({ status: 'rejected' }));
    await finish();
    expect(received(to)).toBe(0n);
    expect(await stored(id)).toMatchObject({
      status: 'pending',
      txHashes: [],
      waiting: { code: 'merchant' },
    });
    await become(GOOD);
    await finish();
    expect((await stored(id)).status).toBe('success');
    expect(received(to)).toBe(usdt('5'));
    await booksAgree();
  });

  test('G7: what was signed before comes to its end', async () => {
    const { id, to } = await order();
    await journey.it.settle();
    expect((await stored(id)).status).toBe('processing');
    await become({ status: 'rejected' });
    await finish();
    expect((await stored(id)).status).toBe('success');
    expect(received(to)).toBe(usdt('5'));
  });

  test('G7: an operator lets one go all the same, and may hold or cancel another', async () => {
    const [gone, held, cancelled] = [await order(), await order(), await order()];
    await become({ status: 'rejected' });
    await finish();
    expect((await releasePayout(deps())(gone.id)).ok).toBe(true);
    expect((await holdPayout(deps())(held.id, 'to think')).ok).toBe(true);
    expect((await cancelPayout(deps())(cancelled.id)).ok).toBe(true);
    await finish();
    expect((await stored(gone.id)).status).toBe('success');
    expect(await stored(held.id)).toMatchObject({
      status: 'pending',
      held: { code: 'operator', text: 'to think' },
    });
    expect((await stored(cancelled.id)).status).toBe('cancelled');
    // That it is not held any more does not make its merchant one who is paid out.
    expect((await releasePayout(deps())(held.id)).ok).toBe(true);
    await finish();
    expect(await stored(held.id)).toMatchObject({ status: 'pending', waiting: { code: 'merchant' } });
    expect(received(held.to)).toBe(0n);
    expect((await cancelPayout(deps())(held.id)).ok).toBe(true);
    await booksAgree();
  });

  test('G7: a refund is sent whatever the state of its merchant: an operator ordered it for the customer', async () => {
    const invoice = await journey.create({ amount: 40 });
    journey.pay(invoice, String(invoice.amount));
    await journey.mineToFinality();
    await become({ status: 'rejected' });
    const to = anAddress();
    const refunded = await refundInvoice(deps())(invoice.order_id, { to, amount: null, by: 'ann' });
    if (!refunded.ok) throw new Error(refunded.error.message);
    await finish();
    expect((await stored(refunded.value.refund.id)).status).toBe('success');
    expect(received(to)).toBeGreaterThan(0n);
  });

  /** A payout of 5 USDT of another merchant, who earned 100 before. */
  async function orderOf(live: string, merchantId: string): Promise<string> {
    const made = await journey.it.call(live, 'POST', '/api/v2/invoices', {
      amount: 100,
      fiat_currency: 'USD',
      asset: 'usdt_ethereum',
    });
    journey.pay(made.body.result, String(made.body.result.amount));
    await journey.mineToFinality();
    const answer = await journey.it.call(
      live,
      'POST',
      '/api/v2/payouts',
      { address: anAddress(), amount: 5, asset: 'usdt_ethereum' },
      { 'x-uniq-id': randomUUID() },
    );
    expect(answer.body).toMatchObject({ ok: true });
    expect((await stored(answer.body.result.order_id)).merchantId).toBe(merchantId);
    return answer.body.result.order_id;
  }
});

/**
 * Chains whose transactions pay several payouts at once, with a nonce that must be used up, and one
 * that only names them.
 */
const TOGETHER = [
  { chain: 'ethereum', native: 'eth_ethereum', capabilities: { ...EVM_CAPABILITIES, paymentsAtOnce: 200 } },
  { chain: 'tron', native: 'trx_tron', capabilities: { ...fakeCapabilities('tron'), paymentsAtOnce: 200 } },
] as const;

for (const { chain, native, capabilities } of TOGETHER)
  describe.skipIf(!needs('postgres', postgresAvailable()))(
    `quittance_payouts that leave together on ${chain}`,
    () => {
      test.each([1, 2])('G7: %p of two merchants rejected before they are signed', async (rejected) => {
        const stage = await openPayoutStage({ at: { chain, native }, sender: { capabilities } });
        try {
          const { journey, deps } = stage;
          const other = await journey.it.merchant();
          const credit = await journey.it.call(other.live, 'POST', '/api/v2/invoices', {
            amount: 100,
            fiat_currency: 'USD',
            asset: `usdt_${chain}`,
          });
          journey.pay(credit.body.result, String(credit.body.result.amount));
          await journey.mineToFinality();
          const mine = await stage.order();
          const theirs = await stage.order({}, other.live);
          stage.over.sender = {
            capabilities,
            prepare: async () => {
              throw new ChainUnavailable('no node answers');
            },
          };
          await stage.step()?.catch(() => undefined);
          const open = await stage.open();
          expect(open.map(({ status }) => status)).toEqual(['allocated', 'allocated']);
          expect(new Set(open.map(({ transferBatchId }) => transferBatchId)).size).toBe(1);
          stage.over.sender = {};
          const merchants = [journey.merchant.id, other.id].slice(0, rejected);
          for (const id of merchants) await changeMerchant(deps)(id, { status: 'rejected' });
          await rounds(stage);
          expect(await stage.stored(mine)).toMatchObject({
            status: 'pending',
            waiting: { code: 'merchant' },
          });
          expect((await stage.stored(theirs)).status).toBe(rejected === 1 ? 'success' : 'pending');
          // One after the other: the fake chain's transactions make one payment in fact.
          for (const id of merchants) {
            await changeMerchant(deps)(id, GOOD);
            await rounds(stage);
          }
          expect([(await stage.stored(mine)).status, (await stage.stored(theirs)).status]).toEqual([
            'success',
            'success',
          ]);
          expect(await stage.open()).toEqual([]);
          await journey.booksAreRight();
        } finally {
          await stage.close();
        }
      });
    },
  );

async function rounds(stage: PayoutStage): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await stage.step();
    await stage.journey.mineToFinality();
  }
}
