/**
 * On a UTXO chain nothing is spent that might not stay: payments are when they are credited, change
 * and funding when their block is final, and all of them are not when a reorganisation put them
 * into a younger block. Payouts wait meanwhile.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { creditStray, releaseHeld } from '../../../src/app/deposits/unmatched-deposits.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const [CHAIN, LTC] = ['litecoin', 'ltc_litecoin'];

describe.skipIf(!needs('postgres', postgresAvailable()))('a coin', () => {
  const { confirmations } = chainNamed(CHAIN);
  const strangers = fakeDeriver({ family: CHAIN });
  let journey: FakeJourney;
  let paid = 0;
  beforeAll(async () => {
    journey = await openFakeJourney({}, 'ethereum', [CHAIN]);
    journey.pay(await journey.create({ amount: 5_000 }), '5050');
    await journey.mineToFinality();
    control().mine(20);
    await journey.it.settle();
  });
  afterAll(() => journey.close());

  const control = () => journey.it.service.chains.fakes!.get(CHAIN)!.control;
  const hot = () => journey.it.service.sending.chains.get(CHAIN)?.deriver.hotWallet() ?? '';
  const deps = () => journey.it.service.dependencies;
  async function mine(blocks: number): Promise<void> {
    control().mine(blocks);
    await journey.it.settle();
  }
  /** A payment of 0.5 LTC, in one block. */
  async function payment(): Promise<{ invoice: Json; txid: string }> {
    const invoice = await journey.create({ asset: LTC, amount: 1_000, fee_bearer: 'merchant' });
    const units = unitsOf(String(invoice.amount), 8);
    const { txid } = control().pay({ to: invoice.address_to, asset: LTC, units });
    await mine(1);
    return { invoice, txid };
  }
  /** A payout of most of a payment, which no other coin than the payment's is there for. */
  async function payout(amount = 0.45): Promise<() => Promise<Json>> {
    const [address] = strangers.derive({ from: 1_000_000 + paid++, count: 1 });
    const body = { address, amount, asset: LTC };
    const id = { 'x-uniq-id': crypto.randomUUID() };
    const { live } = journey.merchant;
    const made = await journey.it.call(live, 'POST', '/api/v2/payouts', body, id);
    expect(made.body).toMatchObject({ ok: true });
    await journey.it.settle();
    return async () => {
      const { result } = (await journey.it.call(live, 'GET', `/api/v2/payouts/${made.body.result.order_id}`))
        .body;
      const { waiting } = (await deps().unitOfWork.run((r) => r.payouts.lock(result.order_id)))!;
      return [result.status, waiting?.code ?? null];
    };
  }
  const deposits = (status: 'held' | 'stray' | 'credited') =>
    deps().operatorQueries.deposits({ statuses: [status], sandbox: false, limit: 100 });
  const WAITS = ['pending', 'liquidity'];
  const LEAVES = ['processing', null];
  async function isPaid(of: () => Promise<Json>): Promise<void> {
    expect(await of()).toEqual(LEAVES);
    await mine(confirmations);
    expect(await of()).toEqual(['success', null]);
    await journey.booksAreRight();
  }
  /** Waits in every block but the one that makes the coin final, of which `has` have been mined. */
  async function waitsForFinality(of: () => Promise<Json>, has: number): Promise<void> {
    for (let blocks = has; blocks < confirmations; blocks += 1) {
      expect(await of()).toEqual(WAITS);
      await mine(1);
    }
    await isPaid(of);
  }

  test('of a payment is spent when its block is final', async () => {
    const { invoice } = await payment();
    await waitsForFinality(await payout(), 1);
    expect((await journey.read(invoice.order_id)).status).toBe('success');
  });

  test('of a payment that is final is not spent before the risk check has passed it', async () => {
    journey.screen({ kind: 'unavailable', reason: 'down' });
    await payment();
    const of = await payout();
    await mine(confirmations);
    expect(await of()).toEqual(WAITS);
    journey.screen({ kind: 'pass' });
    await journey.it.settle();
    await isPaid(of);
  });

  test('of a payment that the risk check holds is not spent before an operator releases it', async () => {
    journey.screen({ kind: 'hit', reason: 'drawn' });
    const { txid } = await payment();
    control().reorg(1, { requeue: [txid] });
    await mine(1);
    const of = await payout();
    await mine(confirmations);
    journey.screen({ kind: 'pass' });
    await mine(confirmations);
    expect(await of()).toEqual(WAITS);
    const [held, ...others] = await deposits('held');
    expect(others).toEqual([]);
    expect(await releaseHeld(deps())(held?.id ?? '')).toMatchObject({ ok: true });
    await journey.it.settle();
    await isPaid(of);
  });

  test('of a payment that no invoice took is not spent before an operator credits it', async () => {
    const { invoice } = await payment();
    await waitsForFinality(await payout(), 1);
    control().pay({ to: invoice.address_to, asset: LTC, units: unitsOf('0.5', 8) });
    const of = await payout();
    await mine(confirmations);
    expect(await of()).toEqual(WAITS);
    const [stray, ...others] = await deposits('stray');
    expect(others).toEqual([]);
    expect(await creditStray(deps())(stray?.id ?? '')).toMatchObject({ ok: true });
    await journey.it.settle();
    await isPaid(of);
  });

  test('of the operator’s is spent when its block is final', async () => {
    control().fund(hot(), LTC, unitsOf('0.5', 8));
    await waitsForFinality(await payout(), 1);
  });

  test('of our own change is spent when the block of its transaction is final', async () => {
    control().fund(hot(), LTC, unitsOf('1.4', 8));
    await mine(confirmations);
    expect(await (await payout())()).toEqual(LEAVES);
    const [txid = ''] = control().waiting();
    await mine(1);
    await waitsForFinality(await payout(), 1);
    // What follows it waits with it.
    control().reorg(2 * confirmations, { requeue: [txid] });
    await journey.it.settle();
    const of = await payout();
    await mine(1);
    await waitsForFinality(of, 1);
  });

  test('of a payment that a reorganisation moved is spent when its new block is final', async () => {
    const { txid } = await payment();
    await mine(confirmations - 1);
    control().reorg(confirmations, { requeue: [txid] });
    await mine(1);
    expect(await deposits('credited')).toContainEqual(expect.objectContaining({ txid }));
    await waitsForFinality(await payout(), 1);
  });
});
