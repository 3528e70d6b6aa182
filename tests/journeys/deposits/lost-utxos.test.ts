/**
 * What was signed cannot be mined when a reorganisation takes a coin that it spends (safety.md U7):
 * nobody is paid again while that coin might come back. What is left of its UTXOs is moved to
 * ourselves, and then the payouts have failed for good.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { giveUpLost } from '../../../src/app/sending/signing/give-up-lost.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import type { LogEvent } from '../../../src/ports/runtime/log-events.ts';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import type { Json } from '../../support/test-service.ts';

const [CHAIN, LTC] = ['litecoin', 'ltc_litecoin'];
const STUCK_SECONDS = 91;

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts whose coin a reorganisation took', () => {
  const { confirmations } = chainNamed(CHAIN);
  const strangers = fakeDeriver({ family: CHAIN });
  let journey: FakeJourney;
  let alarms: (readonly [LogEvent, Json])[];
  let strangersPaid = 0;
  beforeEach(async () => {
    alarms = [];
    const logger = {
      ...silentLogger,
      error: (event: LogEvent, about: Json) => void alarms.push([event, about]),
    };
    journey = await openFakeJourney({ logger }, 'ethereum', [CHAIN]);
    journey.pay(await journey.create({ amount: 5_000 }), '5050');
    await journey.mineToFinality();
  });
  afterEach(() => journey.close());

  const on = () => journey.it.service.sending.chains.get(CHAIN)!;
  const deps = () => journey.it.service.dependencies;
  const told = (event: LogEvent) => alarms.flatMap(([each, about]) => (each === event ? [about] : []));
  const control = () => journey.it.service.chains.fakes!.get(CHAIN)!.control;
  async function mine(blocks: number): Promise<void> {
    control().mine(blocks);
    await journey.it.settle();
  }
  async function reorg(blocks: number, requeue: readonly string[] = []): Promise<void> {
    control().reorg(blocks, { requeue });
    await journey.it.settle();
  }
  /** A credited payment of 0.5 LTC. */
  async function earn(): Promise<string> {
    const invoice = await journey.create({ asset: LTC, amount: 1_000, fee_bearer: 'merchant' });
    const units = unitsOf(String(invoice.amount), 8);
    const { txid } = control().pay({ to: invoice.address_to, asset: LTC, units });
    await mine(confirmations);
    return txid;
  }
  async function order(...amounts: readonly number[]) {
    const items = amounts.map((amount) => {
      const [address = ''] = strangers.derive({ from: 1_000_000 + strangersPaid++, count: 1 });
      return { address, asset: LTC, amount };
    });
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    const { live } = journey.merchant;
    const made = await journey.it.call(live, 'POST', '/api/v2/payouts/batch', { items }, headers);
    expect(made.body).toMatchObject({ ok: true });
    await journey.it.settle();
    return items.map(({ address }, place) => ({ address, id: made.body.result.items[place].order_id }));
  }
  type Ordered = Awaited<ReturnType<typeof order>>;
  const statusesOf = (ordered: Ordered): Promise<string[]> =>
    Promise.all(
      ordered.map(async ({ id }) => {
        const path = `/api/v2/payouts/${id}`;
        return (await journey.it.call(journey.merchant.live, 'GET', path)).body.result.status;
      }),
    );
  const receivedBy = (ordered: Ordered) =>
    ordered.map(({ address }) =>
      control()
        .received(address)
        .map(({ units }) => units),
    );
  const open = () => deps().unitOfWork.run((r) => r.outgoing.open(CHAIN, 10));
  const free = () => deps().unitOfWork.run((r) => r.utxos.free(CHAIN, Number.MAX_SAFE_INTEGER, 100));
  async function stuck(): Promise<void> {
    journey.clock.advance(STUCK_SECONDS);
    await journey.it.settle();
  }
  async function booksAndChainAgree(): Promise<void> {
    await journey.booksAreRight();
    const found = await reconcileChain(deps(), on(), { height: null });
    expect(found).toMatchObject({ differences: [], unavailable: null });
  }

  test('U7: one of two: the other comes back to us, and when that is final they have failed', async () => {
    await earn();
    const { available } = await journey.balance();
    const lost = await earn();
    const ordered = await order(0.4, 0.3);
    await reorg(confirmations);
    expect(control().waiting()).toEqual([]);
    await journey.it.settle();
    expect(told('transfer.given_up_lost_coin')).toEqual([]);
    await stuck();
    expect(told('transfer.given_up_lost_coin')).toEqual([
      { chain: CHAIN, transferBatchId: expect.any(String), utxos: [`${lost}:0`] },
    ]);
    expect((await open()).map(({ voided, failure }) => [voided, failure?.code])).toEqual([
      [true, 'coin_lost'],
      [true, 'coin_lost'],
    ]);
    await mine(confirmations - 1);
    expect(await statusesOf(ordered)).toEqual(['processing', 'processing']);
    await mine(1);
    expect(await statusesOf(ordered)).toEqual(['failed', 'failed']);
    expect(receivedBy(ordered)).toEqual([[], []]);
    expect(await open()).toEqual([]);
    expect((await journey.balance()).available).toBe(available);
    const [left, ...others] = await free();
    expect(others).toEqual([]);
    expect(left?.key).toEqual({ role: 'change', index: 1 });
    expect(left?.units).toBeGreaterThan(unitsOf('0.499', 8));
    expect(told('transfer.coins_lost')).toEqual([]);
    await booksAndChainAgree();
  });

  /**
   * Two payouts from two UTXOs, of which one is gone: they are given up, and the other coin is on
   * its way to us.
   */
  async function givenUp() {
    await earn();
    const lost = await earn();
    const { available } = await journey.balance();
    const ordered = await order(0.4, 0.3);
    await reorg(confirmations);
    await stuck();
    return { available, lost, ordered };
  }
  /** Both came to nothing, and all that is ours can be spent. */
  async function areFailedWithCoins(ordered: Ordered, count: number): Promise<void> {
    expect(await statusesOf(ordered)).toEqual(ordered.map(() => 'failed'));
    expect(receivedBy(ordered)).toEqual(ordered.map(() => []));
    expect(await free()).toHaveLength(count);
    expect(await open()).toEqual([]);
    await booksAndChainAgree();
  }

  test('U7: one of two, which is back before the other has come to us: both coins are free then', async () => {
    const { available, lost, ordered } = await givenUp();
    control().sendAgain(lost);
    await mine(confirmations);
    await journey.it.settle();
    await areFailedWithCoins(ordered, 2);
    expect((await journey.balance()).available).toBe(available);
    const again = await order(0.9);
    await mine(confirmations);
    expect(await statusesOf(again)).toEqual(['success']);
    await booksAndChainAgree();
  });

  test('U7: one of two, which is back long after: both coins are free then', async () => {
    const { lost, ordered } = await givenUp();
    await mine(confirmations);
    await areFailedWithCoins(ordered, 1);
    control().sendAgain(lost);
    await mine(confirmations);
    await journey.it.settle();
    await areFailedWithCoins(ordered, 2);
  });

  test('U7: one of two, and then the block in which the other came to us: that comes again, once', async () => {
    const { lost, ordered } = await givenUp();
    control().sendAgain(lost);
    const [back = ''] = control().waiting();
    await mine(confirmations);
    await journey.it.settle();
    // The coin that was back is spent, and stays so.
    const again = await order(0.9);
    await mine(1);
    await reorg(confirmations + 1, [back, lost]);
    expect((await open()).map(({ voided }) => voided)).toContain(true);
    for (let rounds = 0; rounds < 4; rounds += 1) await mine(confirmations);
    expect(await statusesOf(ordered)).toEqual(['failed', 'failed']);
    expect(await statusesOf(again)).toEqual(['success']);
    expect(await open()).toEqual([]);
    await booksAndChainAgree();
  });

  test('U7: all of them: nothing is given up, an operator is told, and they are paid once when a coin is back', async () => {
    const lost = await earn();
    const ordered = await order(0.2, 0.1);
    await reorg(confirmations);
    await stuck();
    await stuck();
    expect(told('transfer.coins_lost')).toContainEqual({
      ...{ chain: CHAIN, transferBatchId: expect.any(String) },
      utxos: [`${lost}:0`],
    });
    expect((await open()).map(({ voided, failure }) => [voided, failure])).toEqual([
      [false, null],
      [false, null],
    ]);
    await mine(confirmations);
    expect(await statusesOf(ordered)).toEqual(['processing', 'processing']);
    control().sendAgain(lost);
    for (let rounds = 0; rounds < 3; rounds += 1) await mine(confirmations);
    expect(await statusesOf(ordered)).toEqual(['success', 'success']);
    expect(receivedBy(ordered)).toEqual([[unitsOf('0.2', 8)], [unitsOf('0.1', 8)]]);
    await booksAndChainAgree();
  });

  /** A payout that waits for a block since fees are high, and the child that is to help it. */
  async function orderWithChild(...amounts: readonly number[]) {
    const ordered = await order(...amounts);
    control().setFeeLevel(500);
    await mine(1);
    await stuck();
    const child = (await open()).at(-1)!;
    expect(child.purpose).toBe('bump');
    return { ordered, child };
  }

  test('none of them, but the block of a batch whose change a later one spends: the child of that one helps both', async () => {
    const earned = await earn();
    const first = await order(0.2);
    const [paid = ''] = control().waiting();
    await mine(confirmations);
    expect(await statusesOf(first)).toEqual(['success']);
    const { ordered: second, child } = await orderWithChild(0.1);
    const [spending] = await open();
    await reorg(confirmations + 2, [earned, paid, ...control().waiting()]);
    expect(await statusesOf([...first, ...second])).toEqual(['processing', 'processing']);
    alarms = [];
    await stuck();
    await stuck();
    expect(alarms).toEqual([]);
    expect((await open()).map(({ id }) => id)).toEqual(expect.arrayContaining([spending!.id, child.id]));
    expect(await open()).toHaveLength(3);
    control().setFeeLevel(100);
    await mine(confirmations);
    expect(await statusesOf([...first, ...second])).toEqual(['success', 'success']);
    await booksAndChainAgree();
  });

  test('U7: one of two, with a child that was to help: it is not given up before them, and ends with them', async () => {
    await earn();
    await earn();
    const { ordered, child } = await orderWithChild(0.4, 0.3);
    await reorg(confirmations + 1);
    await stuck();
    await stuck();
    expect((await open()).map(({ id }) => id)).toContain(child.id);
    expect(told('transfer.given_up_lost_coin')).toHaveLength(1);
    control().setFeeLevel(100);
    await mine(confirmations);
    await stuck();
    await areFailedWithCoins(ordered, 1);
    expect(told('transfer.coins_lost')).toEqual([]);
    expect(await deps().unitOfWork.run((r) => r.utxos.ofBatch(child.transferBatchId))).toEqual([]);
  });

  test('none of them: nothing is given up, whatever nodes say of what was signed', async () => {
    await earn();
    const { ordered, child } = await orderWithChild(0.4);
    const batches = (await open()).map(({ transferBatchId }) => transferBatchId);
    for (const transferBatchId of batches) await giveUpLost(deps(), on(), transferBatchId);
    expect((await open()).map(({ voided }) => voided)).toEqual([false, false]);
    control().setFeeLevel(100);
    // A block has the payment, and none has its child: that spends what is there.
    const [payment] = await deps().unitOfWork.run((r) => r.outgoing.signedOf(batches.slice(0, 1)));
    await control().mineOnly([payment?.raw ?? '']);
    for (let blocks = 1; blocks < confirmations; blocks += 1) await control().mineOnly([]);
    await journey.it.settle();
    expect(await statusesOf(ordered)).toEqual(['success']);
    await giveUpLost(deps(), on(), child.transferBatchId);
    expect((await open()).map(({ id }) => id)).toEqual([child.id]);
    await mine(confirmations);
    expect(await open()).toEqual([]);
    expect(alarms).toEqual([]);
    await booksAndChainAgree();
  });
});
