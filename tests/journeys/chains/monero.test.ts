/**
 * An XMR invoice's life on a real Monero chain, and what the chain does to it: locks,
 * reorganisations, deep ones.
 */
import { describe, expect, test } from 'bun:test';
import { CONFIRMATIONS, stageMoneroJourney } from '../../support/monero/monero-journey.ts';
import { moneroAvailable } from '../../support/nodes/monero.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ready = [needs('monerod', moneroAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
/** Of a block's reward. */
const LOCKED_BLOCKS = 60;

describe.skipIf(!ready)('an XMR invoice', () => {
  const on = stageMoneroJourney();
  const { create, read, pay, mined, seen, balance, statusesSent, booksAreRight } = on;
  const statusOf = async (invoice: { order_id: string }): Promise<string> =>
    (await read(invoice.order_id)).status;

  test('M2: a locked payment is confirming until the chain lets it be spent, and then credited', async () => {
    const invoice = await create();
    const reward = await on.lab.mineReward({ to: invoice.address_to, secret: 4_711n });
    await seen();
    expect(await statusOf(invoice)).toBe('confirming');
    await mined(CONFIRMATIONS + 1);
    expect(await statusOf(invoice)).toBe('confirming');
    const unlocked = reward.height + LOCKED_BLOCKS;
    const final = unlocked + CONFIRMATIONS - 1;
    await mined(final - 1 - (reward.height + CONFIRMATIONS + 1));
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([
      { status: 'confirming', units: reward.units, lockedUntil: unlocked },
    ]);
    await mined(1);
    expect(await statusOf(invoice)).toBe('paid_over');
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'credited' }]);
    await booksAreRight();
  }, 120_000);

  test('is confirming as soon as the payment waits, and paid with its last confirmation', async () => {
    const invoice = await create();
    const txid = await pay(invoice);
    await seen();
    expect(await statusOf(invoice)).toBe('confirming');
    await mined(CONFIRMATIONS - 1);
    expect(await statusOf(invoice)).toBe('confirming');
    await mined(1);
    expect(await read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
      txid,
      address_from: null,
    });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect((await balance()).available).toBeCloseTo(25, 4);
    await booksAreRight();
  });

  test('is paid in two parts, and credited exactly what it was for', async () => {
    const invoice = await create();
    const part = on.due(invoice) / 3n;
    await on.lab.pay(invoice.address_to, part);
    await mined(CONFIRMATIONS);
    expect(await statusOf(invoice)).toBe('partially_paid');
    await on.lab.pay(invoice.address_to, on.due(invoice) - part);
    await seen();
    await mined(CONFIRMATIONS);
    expect(await read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
    });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'confirming', 'success']);
    expect((await balance()).available).toBeCloseTo(25, 4);
    await booksAreRight();
  });

  test('goes back when a reorganisation drops the payment, and can be paid again', async () => {
    const invoice = await create();
    await pay(invoice);
    await mined(2);
    expect(await statusOf(invoice)).toBe('confirming');
    await on.lab.reorg(3);
    await mined(1);
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    await pay(invoice);
    await mined(CONFIRMATIONS);
    expect(await statusOf(invoice)).toBe('success');
    const statuses = (await on.depositsTo(invoice.address_to)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(['credited', 'dropped']);
    expect((await balance()).available).toBeCloseTo(25, 4);
    await booksAreRight();
  });

  test('is credited once when a reorganisation mines the payment again, and nothing changes while blocks are missing', async () => {
    const invoice = await create();
    const txid = await pay(invoice);
    await mined(2);
    const [before] = await on.depositsTo(invoice.address_to);
    await on.lab.pop(2);
    await seen();
    expect(await on.depositsTo(invoice.address_to)).toEqual([before!]);
    await mined(3);
    const [after, ...others] = await on.depositsTo(invoice.address_to);
    expect(others).toEqual([]);
    expect(after).toMatchObject({ id: before?.id, txid, output: before?.output, status: 'confirming' });
    expect(after?.block?.hash).not.toBe(before?.block?.hash);
    await mined(CONFIRMATIONS);
    expect(await statusOf(invoice)).toBe('success');
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect((await balance()).available).toBeCloseTo(25, 4);
    await booksAreRight();
  });

  test('M3: an 18-block reorganisation claws the credit back, with an alarm', async () => {
    const invoice = await create();
    await pay(invoice);
    await mined(CONFIRMATIONS);
    expect(await statusOf(invoice)).toBe('success');
    await mined(18 - CONFIRMATIONS);
    const alarms = () => on.lines.filter(({ event }) => event === 'deposit.reversed').length;
    const before = alarms();
    await on.lab.reorg(18);
    await mined(1);
    expect(await read(invoice.order_id)).toMatchObject({ status: 'failed', received_amount: 0 });
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'reversed' }]);
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success', 'failed']);
    expect(alarms()).toBe(before + 1);
    expect(await balance()).toMatchObject({ available: 0, total_income: 0 });
    await booksAreRight();
  });

  test('has no permanent address, and nothing is paid out in XMR', async () => {
    const permanent = {
      amount: 25,
      asset: 'xmr',
      billing_type: 'VARY',
      permanent_address: true,
      user_id: 'u',
    };
    const refused = await on.it.call(on.merchant.live, 'POST', '/api/v2/invoices', permanent);
    expect(refused.body.error).toMatchObject({
      code: 'INVOICE_REJECTED',
      details: { rule: 'xmr_permanent' },
    });
    const payout = { address: (await create()).address_to, amount: 1, asset: 'xmr' };
    const uniqId = { 'x-uniq-id': crypto.randomUUID() };
    const unsent = await on.it.call(on.merchant.live, 'POST', '/api/v2/payouts', payout, uniqId);
    expect(unsent.body.error).toMatchObject({
      code: 'PAYOUT_REJECTED',
      details: { rule: 'chain_not_sent_on' },
    });
  });
});
