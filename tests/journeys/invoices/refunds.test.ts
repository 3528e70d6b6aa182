/**
 * Refunds that are sent: what they take, where they go, and what becomes of the invoice when one
 * fails.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import type { RefundOrder } from '../../../src/app/payouts/refunds/refund-terms.ts';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { parseDecimal } from '../../../src/domain/money/decimal.ts';
import { anAddress } from '../../support/builders.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ETHER = 10n ** 18n;

describe.skipIf(!needs('postgres', postgresAvailable()))('refunds on a fake chain', () => {
  let journey: FakeJourney;
  let hotWallet: string;

  beforeAll(async () => {
    journey = await openFakeJourney();
    await changeMerchant(deps())(journey.merchant.id, { payoutWebhooks: true });
    hotWallet = journey.it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
    journey.chain().fund(hotWallet, 'usdt_ethereum', usdt('100000'));
    journey.chain().fund(hotWallet, 'eth_ethereum', 100n * ETHER);
    await journey.mineToFinality();
  });
  beforeEach(() => journey.it.settle());
  afterAll(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  const get = async (path: string): Promise<Json> =>
    (await journey.it.call(journey.merchant.live, 'GET', `/api/v2/${path}`)).body;
  const statusOf = async (invoice: Json): Promise<string> => (await journey.read(invoice.order_id)).status;
  const available = async (): Promise<number> => (await journey.balance()).available;
  type Wanted = Partial<Omit<RefundOrder, 'amount'>> & { amount?: string };
  const refund = (invoice: Json, { amount, ...wanted }: Wanted = {}) =>
    refundInvoice(deps())(invoice.order_id, {
      to: null,
      by: 'ann',
      ...wanted,
      amount: amount === undefined ? null : parseDecimal(amount),
    });
  async function refunded(invoice: Json, input?: Wanted) {
    const result = await refund(invoice, input);
    if (!result.ok) throw new Error(result.error.message);
    return result.value.refund;
  }
  async function refusal(invoice: Json, input?: Wanted): Promise<string> {
    const before = [await available(), await statusOf(invoice)];
    const result = await refund(invoice, input);
    if (result.ok) throw new Error('it was refunded');
    expect([await available(), await statusOf(invoice)]).toEqual(before);
    return result.error.message;
  }
  const received = (to: string) =>
    journey
      .chain()
      .received(to)
      .reduce((sum, { units }) => sum + units, 0n);
  /** An invoice of 25 USDT that was paid in the given parts, each from its own sender. */
  async function paid(...parts: readonly [from: string | null, amount: string][]): Promise<Json> {
    const invoice = await journey.create();
    for (const [from, amount] of parts) {
      const payment = { to: invoice.address_to, asset: 'usdt_ethereum', units: usdt(amount), from };
      journey.chain().pay(payment);
    }
    await journey.mineToFinality();
    await journey.it.settle();
    return invoice;
  }
  const ledger = async (invoice: Json): Promise<Json[]> =>
    (await get('ledger?type=refund&per_page=100')).result.filter(
      (line: Json) => line.reference_id === invoice.order_id,
    );

  test('the money goes back to who paid, out of the balance with the fee on top, and shows in the ledger only', async () => {
    const from = anAddress();
    const invoice = await paid([from, '25.25']);
    const other = await paid([anAddress(), '25.25']);
    const before = await journey.balance();
    const webhooks = journey.statusesSent(invoice.order_id);
    const payout = await refunded(invoice);
    expect(payout).toMatchObject({ kind: 'refund', address: from, sentUnits: usdt('25'), status: 'pending' });
    expect(payout.reservedMicroUsd).toBe(25_000_000n + payout.feeMicroUsd);
    expect(payout.feeMicroUsd).toBeGreaterThan(0n);
    expect(await statusOf(invoice)).toBe('refunded');
    const after = await journey.balance();
    expect(before.available - after.available).toBeCloseTo(Number(payout.reservedMicroUsd) / 1e6, 6);
    expect(after).toMatchObject({ total_income: before.total_income, total_payouts: before.total_payouts });
    expect(await ledger(invoice)).toMatchObject([{ type: 'refund', amount: 25, status: 'pending' }]);
    await journey.it.settle();
    expect(await ledger(invoice)).toMatchObject([{ status: 'processing' }]);
    await journey.mineToFinality();
    expect(await ledger(invoice)).toMatchObject([{ status: 'success' }]);
    expect(received(from)).toBe(usdt('25'));
    expect(await statusOf(invoice)).toBe('refunded');
    expect(journey.statusesSent(invoice.order_id)).toEqual(webhooks);
    expect((await get('payouts')).pagination.total).toBe(0);
    expect((await get(`payouts?asset=usdt_ethereum&order_ids=${payout.id}`)).pagination.total).toBe(0);
    expect((await get('payouts?sort=amount')).result).toEqual([]);
    expect((await get(`payouts/${payout.id}`)).error.code).toBe('NOT_FOUND');
    expect((await get('events')).result.filter(({ data }: Json) => data.order_id === payout.id)).toEqual([]);
    expect(await refusal(invoice)).toContain('is refunded cannot be refunded');
    expect(await statusOf(other)).toBe('success');
    await journey.booksAreRight();
  });

  test('of two refunds at once one is made', async () => {
    const invoice = await paid([anAddress(), '25.25']);
    const made = await Promise.all([refund(invoice), refund(invoice), refund(invoice)]);
    expect(made.filter(({ ok }) => ok)).toHaveLength(1);
    await journey.booksAreRight();
  });

  test('a part takes its share of the value, rounded up, and no more than was credited goes back', async () => {
    const invoice = await paid([anAddress(), '25.25']);
    expect(await refusal(invoice, { amount: '25.000001' })).toContain('credited 25 usdt_ethereum');
    expect(await refusal(invoice, { amount: '1.0000001' })).toContain('6 decimals');
    const payout = await refunded(invoice, { amount: '10.5' });
    expect(payout).toMatchObject({ sentUnits: usdt('10.5'), amountMicroUsd: 10_500_000n });
    expect(await refusal(invoice, { amount: '1' })).toContain('is refunded');
    await journey.booksAreRight();
  });

  test('with several or unknown senders the operator says where to, and never to an address of ours', async () => {
    const [one, two] = [anAddress(), anAddress()];
    const shared = await paid([one, '20'], [two, '5.25']);
    const unknown = await paid([null, '25.25']);
    expect(await refusal(shared)).toContain('Name the recipient');
    expect(await refusal(unknown)).toContain('Name the recipient');
    const invalid = { to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'.replace('5aA', '5AA') };
    expect(await refusal(shared, invalid)).toContain('not a valid ethereum address');
    expect(await refusal(shared, { to: shared.address_to })).toContain('belongs to this gateway');
    expect(await refusal(shared, { to: hotWallet.toLowerCase() })).toContain('belongs to this gateway');
    expect((await refunded(shared, { to: one })).address).toBe(one);
    const twice = await paid([two, '20'], [two.toUpperCase().replace('0X', '0x'), '5.25']);
    expect((await refunded(twice)).address.toLowerCase()).toBe(two);
    await journey.booksAreRight();
  });

  test('nothing is refunded on a chain that is not sent on, or that was never paid', async () => {
    const invoice = await paid([anAddress(), '25.25']);
    const elsewhere = refundInvoice({ ...deps(), sendingChains: new Set() });
    expect(await elsewhere(invoice.order_id, { to: null, amount: null, by: 'ann' })).toMatchObject({
      error: {
        code: 'PAYOUT_REJECTED',
        message: expect.stringContaining('This gateway cannot send on ethereum'),
      },
    });
    expect(await refusal(await journey.create())).toContain('is created cannot be refunded');
  });

  test('when the balance does not cover the fee, too, the gateway bears it', async () => {
    const poor = await openFakeJourney();
    try {
      const invoice = await poor.create();
      poor.pay(invoice, '25.25');
      await poor.mineToFinality();
      await poor.it.settle();
      const result = await refundInvoice(poor.it.service.dependencies)(invoice.order_id, {
        to: anAddress(),
        amount: null,
        by: 'ann',
      });
      expect(result).toMatchObject({
        value: { refund: { feeMicroUsd: 0n, feeUnits: 0n, reservedMicroUsd: 25_000_000n } },
      });
      expect((await poor.balance()).available).toBe(0);
      await poor.booksAreRight();
    } finally {
      await poor.close();
    }
  });

  test('G2: a refund that fails on the chain gives the balance back but for the fee, and the invoice can be refunded again', async () => {
    const from = anAddress();
    const invoice = await paid([from, '25.25']);
    const before = await available();
    const first = await refunded(invoice);
    await journey.it.settle();
    journey.chain().revertNext(from);
    await journey.mineToFinality();
    await journey.it.settle();
    expect(await statusOf(invoice)).toBe('success');
    const [fee] = await ledger(invoice);
    // One ether is 2,000 USD.
    expect(await available()).toBeCloseTo(before - 2_000 * fee.amount, 6);
    expect(await ledger(invoice)).toMatchObject([
      { asset: 'eth_ethereum', status: 'failed', network_fee: true },
      { amount: -25, status: 'failed' },
      { amount: 25, status: 'failed' },
    ]);
    await journey.booksAreRight();
    const to = anAddress();
    const second = await refunded(invoice, { to });
    await journey.it.settle();
    await journey.mineToFinality();
    await journey.it.settle();
    expect(second.id).not.toBe(first.id);
    expect([received(from), received(to)]).toEqual([0n, usdt('25')]);
    expect((await ledger(invoice)).map(({ status }) => status)).toEqual([
      ...['success', 'failed', 'failed', 'failed'],
    ]);
    expect(await statusOf(invoice)).toBe('refunded');
    await journey.booksAreRight();
  });

  test('a refund that an operator cancels takes the invoice back to what its payments say', async () => {
    const invoice = await journey.create({ ttl: 300 });
    journey.pay(invoice, '10');
    await journey.mineToFinality();
    await journey.it.settle();
    expect(await statusOf(invoice)).toBe('partially_paid');
    const before = await available();
    const payout = await refunded(invoice, { to: anAddress() });
    journey.clock.advance(600);
    expect((await cancelPayout(deps())(payout.id)).ok).toBe(true);
    expect(await statusOf(invoice)).toBe('cancelled');
    expect(await available()).toBe(before);
    await journey.booksAreRight();
    expect((await refunded(invoice, { to: anAddress() })).status).toBe('pending');
    await journey.it.settle();
    await journey.booksAreRight();
  });

  test('a reorganisation of a paid refund leaves the invoice refunded, and it is paid again by the same bytes', async () => {
    const from = anAddress();
    const invoice = await paid([from, '25.25']);
    const payout = await refunded(invoice);
    await journey.it.settle();
    await journey.mineToFinality();
    expect(await ledger(invoice)).toMatchObject([{ status: 'success' }]);
    journey.chain().reorg(12);
    await journey.it.settle();
    expect(await ledger(invoice)).toMatchObject([{ status: 'processing' }]);
    expect(await statusOf(invoice)).toBe('refunded');
    await journey.booksAreRight();
    await journey.mineToFinality();
    await journey.it.settle();
    expect(await ledger(invoice)).toMatchObject([{ status: 'success' }]);
    expect(received(from)).toBe(usdt('25'));
    expect(await deps().unitOfWork.run((r) => r.payouts.standingRefunds(invoice.order_id))).toMatchObject([
      { id: payout.id, status: 'success' },
    ]);
    await journey.booksAreRight();
  });

  test('a sandbox refund settles by itself; what an operator refunded is not simulated any more', async () => {
    const { sandbox } = journey.merchant;
    const call = (path: string, body: Json) =>
      journey.it.call(sandbox, 'POST', `/api/v2/invoices${path}`, body);
    const invoice = (await call('', { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' })).body.result;
    const simulate = (status: string) =>
      call(`/${invoice.order_id}/simulate`, { status, send_webhook: false });
    await simulate('refunded');
    await simulate('success');
    const payout = await refunded(invoice);
    expect(payout).toMatchObject({ sandbox: true, status: 'pending', address: 'simulated-sender' });
    expect((await simulate('success')).body.error).toMatchObject({ code: 'INVALID_TRANSITION' });
    await journey.it.settle();
    const lines = (await journey.it.call(sandbox, 'GET', '/api/v2/ledger?type=refund')).body.result;
    expect(lines.map(({ amount, status }: Json) => [amount, status])).toEqual([
      [25, 'success'],
      [-25, 'success'],
      [25, 'success'],
    ]);
    expect((await journey.it.call(sandbox, 'GET', '/api/v2/payouts')).body.pagination.total).toBe(0);
    await journey.booksAreRight();
  });
});
