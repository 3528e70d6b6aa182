/**
 * Payouts of a merchant on a fake chain, from the balance to the last confirmation, and what can go
 * wrong on the way.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';
import { sendingOrder, signingOrder } from '../../support/utxo/lone-orders.ts';

const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const ETHER = 10n ** 18n;

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts on a fake chain', () => {
  let journey: FakeJourney;
  let hotWallet: string;

  beforeAll(async () => {
    journey = await openFakeJourney();
    const { dependencies } = journey.it.service;
    await changeMerchant(dependencies)(journey.merchant.id, { payoutWebhooks: true });
    hotWallet = journey.it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
    const invoice = await journey.create({ amount: 1_000 });
    journey.pay(invoice, '1010');
    await journey.mineToFinality();
    expect(await journey.balance()).toMatchObject({ available: 1_000 });
    journey.chain().fund(hotWallet, 'usdt_ethereum', usdt('500'));
    journey.chain().fund(hotWallet, 'eth_ethereum', 2n * ETHER);
  });
  beforeEach(() => journey.it.settle());
  afterAll(() => journey.close());

  async function order(body: Json = {}): Promise<string> {
    const answer = await journey.it.call(
      journey.merchant.live,
      'POST',
      '/api/v2/payouts',
      { address: RECIPIENT, amount: 5, asset: 'usdt_ethereum', ...body },
      { 'x-uniq-id': randomUUID() },
    );
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body.result.order_id;
  }
  const read = async (id: string): Promise<Json> =>
    (await journey.it.call(journey.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result;
  /** Of the webhooks and of the events, which are the same. */
  async function told(id: string): Promise<Json[]> {
    const { body } = await journey.it.call(journey.merchant.live, 'GET', '/api/v2/events');
    const events = body.result.filter(({ data }: Json) => data.order_id === id);
    const sent = journey.receiver.received.map((webhook) => JSON.parse(webhook.body));
    expect(events.map(({ data }: Json) => data)).toEqual(sent.filter(({ order_id }) => order_id === id));
    return events;
  }
  const typesTold = async (id: string) => (await told(id)).map(({ type }) => type.replace('payout.', ''));
  const received = (address: string) =>
    journey
      .chain()
      .received(address)
      .reduce((sum, { units }) => sum + units, 0n);

  test('a payout is signed, broadcast, confirmed, and paid once; the fee is the merchant’s on top', async () => {
    const before = received(RECIPIENT);
    const { available } = await journey.balance();
    const id = await order();
    expect(await read(id)).toMatchObject({ status: 'pending', txid: null });
    await journey.it.settle();
    const sent = await read(id);
    expect(sent).toMatchObject({ status: 'processing', txid: expect.any(String) });
    await journey.mineToFinality();
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'success', txid: sent.txid, tx_hashes: [sent.txid] });
    expect(received(RECIPIENT) - before).toBe(usdt('5'));
    const after = await journey.balance();
    expect(available - after.available).toBeCloseTo(5 + sent.fee_usd, 6);
    await journey.booksAreRight();
    const [processing, success] = await told(id);
    expect(processing?.data).toEqual({ ...sent, event: 'payout.processing', event_seq: processing?.seq });
    expect(success?.data).toEqual({
      ...{ ...(await read(id)), event: 'payout.success', event_seq: success?.seq },
    });
    const attempts = `/api/v2/notifications?payout_id=${id}`;
    const { body: log } = await journey.it.call(journey.merchant.live, 'GET', attempts);
    expect(log.result[0]).toMatchObject({ invoice_id: null, payout_id: id, event_seq: success?.seq });
    const { body: sandbox } = await journey.it.call(journey.merchant.sandbox, 'GET', attempts);
    expect(sandbox.pagination.total).toBe(0);
  });

  test('without liquidity a payout waits as pending and says why to the operator; money makes it go', async () => {
    const id = await order({ amount: 600 });
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'pending' });
    const waiting = async () =>
      (await journey.it.service.dependencies.unitOfWork.run((r) => r.payouts.lock(id)))?.waiting;
    expect(await waiting()).toMatchObject({
      code: 'liquidity',
      reason: expect.stringContaining('too little usdt_ethereum'),
    });
    journey.chain().fund(hotWallet, 'usdt_ethereum', usdt('500'));
    journey.chain().mine();
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'processing' });
    expect(await waiting()).toBeNull();
    await journey.mineToFinality();
    expect(await read(id)).toMatchObject({ status: 'success' });
    await journey.booksAreRight();
  });

  test('a stuck payout is replaced under the same nonce; both hashes are told, and it is paid once', async () => {
    const before = received(RECIPIENT);
    const id = await order();
    await journey.it.settle();
    const { txid } = await read(id);
    journey.clock.advance(120_000);
    await journey.it.settle(1);
    const replaced = await read(id);
    expect(replaced.tx_hashes).toHaveLength(2);
    expect(replaced.tx_hashes[0]).toBe(txid);
    await journey.mineToFinality();
    await journey.it.settle();
    const paid = await read(id);
    expect(paid.status).toBe('success');
    expect(replaced.tx_hashes).toContain(paid.txid);
    expect(await typesTold(id)).toEqual(['processing', 'success']);
    expect(received(RECIPIENT) - before).toBe(usdt('5'));
    await journey.booksAreRight();
  });

  test('G2: a reverted payout ends failed with the balance back but for what the network took', async () => {
    const { available } = await journey.balance();
    const id = await order();
    await journey.it.settle();
    journey.chain().revertNext(RECIPIENT);
    await journey.mineToFinality();
    await journey.it.settle();
    const { status, fee_usd: fee } = await read(id);
    expect(status).toBe('failed');
    expect(fee).toBeGreaterThan(0);
    expect((await journey.balance()).available).toBeCloseTo(available - fee, 6);
    await journey.booksAreRight();
    expect(await typesTold(id)).toEqual(['processing', 'failed']);
    expect((await told(id)).at(-1)?.data.fee_usd).toBe(fee);
  });

  test('a payout of which an earlier transaction is mined and reverted shows that one as its own', async () => {
    const id = await order();
    await journey.it.settle();
    const { txid: first } = await read(id);
    const { unitOfWork } = journey.it.service.dependencies;
    const bytes = await unitOfWork.run(async (r) => {
      const transfer = await r.outgoing.activeOf('payout', id);
      return (await r.outgoing.signedOf([transfer?.transferBatchId ?? '']))[0]?.raw ?? '';
    });
    journey.clock.advance(120_000);
    await journey.it.settle(1);
    const { txid: second, tx_hashes: both } = await read(id);
    journey.chain().drop(second);
    await journey.it.service.sending.chains.get('ethereum')?.sender.broadcast(bytes);
    journey.chain().revertNext(RECIPIENT);
    await journey.mineToFinality();
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'failed', txid: first, tx_hashes: both });
    expect(both).toEqual([first, second]);
  });

  test('a reorganisation of a confirmed payout takes it back to processing, and it is paid again by the same bytes', async () => {
    const before = received(RECIPIENT);
    const id = await order();
    await journey.it.settle();
    const { txid } = await read(id);
    await journey.mineToFinality();
    expect(await read(id)).toMatchObject({ status: 'success' });
    journey.chain().reorg(13);
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'processing' });
    await journey.booksAreRight();
    await journey.mineToFinality();
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'success', txid });
    expect(received(RECIPIENT) - before).toBe(usdt('5'));
    await journey.booksAreRight();
    expect(await typesTold(id)).toEqual(['processing', 'success', 'processing', 'success']);
  });

  test('bytes that a node accepted falsely, or took without answering, are broadcast until they are seen', async () => {
    for (const fault of ['lose', 'time_out', 'refuse'] as const) {
      const before = received(RECIPIENT);
      journey.chain().spoilBroadcasts(fault);
      const id = await order();
      await journey.it.settle();
      journey.chain().spoilBroadcasts(null);
      await journey.it.settle();
      await journey.mineToFinality();
      await journey.it.settle();
      expect(await read(id)).toMatchObject({ status: 'success' });
      expect(received(RECIPIENT) - before).toBe(usdt('5'));
    }
    await journey.booksAreRight();
  });

  test('while signing is stopped nothing is signed; payouts go on when it is started', async () => {
    const { dependencies } = journey.it.service;
    const set = (stop: { at: Date; note: string } | null) =>
      dependencies.unitOfWork.run((r) => r.outgoing.setSigningStopped(stop));
    await set({ at: dependencies.clock.now(), note: 'a drill' });
    const id = await order();
    await journey.it.settle(3);
    expect(await read(id)).toMatchObject({ status: 'pending', txid: null });
    await set(null);
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'processing' });
    await journey.mineToFinality();
    expect(await read(id)).toMatchObject({ status: 'success' });
  });

  test('K4: a nonce that somebody else used may have paid the payout: when that is final, an operator decides', async () => {
    const { available } = await journey.balance();
    const id = await order();
    await journey.it.settle();
    const { txid } = await read(id);
    const chain = journey.it.service.sending.chains.get('ethereum');
    const open = await journey.it.service.dependencies.unitOfWork.run((r) => r.outgoing.open('ethereum', 10));
    const transfer = open.find(({ referenceId }) => referenceId === id);
    if (!chain || !transfer) throw new Error('the payout has no transfer');
    const foreign = { ...transfer, asset: 'eth_ethereum', units: 1n, voids: false };
    const { payload } = await chain.sender.prepare(sendingOrder(foreign), null);
    const key = { role: 'hot' } as const;
    const signed = await chain.signer.sign(
      signingOrder({ ...foreign, transferId: transfer.id, key, toKey: null, payload }),
    );
    journey.chain().drop(txid);
    await chain.sender.broadcast(signed.raw);
    journey.chain().mine();
    await journey.it.settle();
    expect(await read(id)).toMatchObject({ status: 'processing' });
    await journey.mineToFinality();
    await journey.it.settle();
    // None of its own transactions was mined.
    expect(await read(id)).toMatchObject({ status: 'pending', txid: null, tx_hashes: [txid] });
    expect((await journey.balance()).available).toBeLessThan(available);
    const { dependencies } = journey.it.service;
    const held = await dependencies.unitOfWork.run((r) => r.payouts.lock(id));
    expect(held?.held?.code).toBe('restored');
    expect((await cancelPayout(dependencies)(id)).ok).toBe(true);
    expect((await journey.balance()).available).toBe(available);
    await journey.it.settle();
    expect(await typesTold(id)).toEqual(['processing', 'cancelled']);
  });
});
