/** What operators do about refunds and payouts, by scripts as processes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { needs } from '../support/needs.ts';
import { type OperatorDesk, openOperatorDesk, UNKNOWN_ID } from '../support/operator-desk.ts';
import { postgresAvailable } from '../support/postgres.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('operators and money that leaves', () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());

  test('an invoice is refunded once, and an unpaid one never', async () => {
    const { sandbox } = await desk.it.merchant();
    const paid = await desk.invoice(sandbox);
    expect(await desk.refusal('refund', paid.order_id)).toContain('is created cannot be refunded');
    await desk.it.call(sandbox, 'POST', `/api/v2/invoices/${paid.order_id}/simulate`, {
      status: 'success',
      send_webhook: false,
    });
    expect(await desk.refusal('refund', paid.order_id, '--amount', '26')).toContain('no more goes back');
    expect(await desk.json('refund', paid.order_id)).toMatchObject({
      invoice_id: paid.order_id,
      status: 'refunded',
      sandbox: true,
      refund: {
        kind: 'refund',
        status: 'pending',
        amount: '25',
        reserved_usd: '25',
        invoice_id: paid.order_id,
      },
    });
    expect(await desk.refusal('refund', paid.order_id)).toContain('is refunded cannot be refunded');
    expect((await desk.it.call(sandbox, 'GET', '/api/v2/balance')).body.result.available).toBe(0);
    expect(await desk.refusal('refund', UNKNOWN_ID)).toContain('No such invoice');
  });

  test('payouts are listed, held, released, retried and cancelled, and signing is stopped and started', async () => {
    const merchant = await desk.it.merchant();
    const paid = await desk.invoice(merchant.live);
    await desk.payToFinality(paid.address_to, '25.25');
    const to = `0x${'1234'.repeat(10)}`;
    const body = { address: to, amount: 5, asset: 'usdt_ethereum' };
    const headers = { 'x-uniq-id': '5f3a0e4e-5f0b-4d53-9f57-6f2f4c3f6a11' };
    const made = await desk.it.call(merchant.live, 'POST', '/api/v2/payouts', body, headers);
    const id: string = made.body.result.order_id;
    const listed = async (...args: string[]) =>
      (await desk.json('payouts', 'list', '--merchant', merchant.id, ...args)).payouts;

    expect(await desk.json('payouts', 'stop', '--note', 'a drill')).toEqual({
      signing_stopped: true,
      note: 'a drill',
    });
    const stopped = await desk.json('payouts', 'list');
    expect(stopped.signing_stopped).toMatchObject({ note: 'a drill' });
    expect((await desk.run('payouts', 'list')).stdout).toStartWith('SIGNING IS STOPPED since 2');
    expect((await desk.run('payouts', 'start')).stdout).toBe('signing goes on\n');
    expect((await desk.run('payouts', 'start')).stdout).toBe('signing was not stopped\n');

    const held = await desk.json('payouts', 'hold', id, '--reason', 'ask first');
    expect(held).toMatchObject({ payout_id: id, status: 'pending', held: 'ask first', amount: '5' });
    expect(await listed('--held')).toEqual([{ ...held, transfer: null }]);
    expect(await listed('--waiting')).toEqual([]);
    expect((await desk.run('payouts', 'list', '--held')).stdout).toContain('held: ask first');
    expect(await desk.refusal('payouts', 'retry', id)).toContain('release it');
    expect(await desk.json('payouts', 'release', id)).toMatchObject({ held: null, released: true });
    expect(await desk.refusal('payouts', 'release', id)).toContain('not held');

    await desk.it.settle();
    expect(await listed('--waiting')).toMatchObject([
      { payout_id: id, waiting: expect.stringContaining('too little usdt_ethereum') },
    ]);
    expect(await desk.json('payouts', 'retry', id)).toMatchObject({ payout_id: id, waiting: null });
    expect(await desk.json('payouts', 'cancel', id)).toMatchObject({ status: 'cancelled' });
    expect(await desk.refusal('payouts', 'cancel', id)).toContain(
      'is cancelled cannot be cancelled: it has ended',
    );
    expect(await desk.refusal('payouts', 'hold', UNKNOWN_ID)).toContain('No such payout');
    expect((await desk.it.call(merchant.live, 'GET', '/api/v2/balance')).body.result.available).toBe(25);
    expect(await listed()).toEqual([]);
    expect(await listed('--status', 'cancelled')).toMatchObject([{ payout_id: id, transfer: null }]);
  }, 90_000);
});
