/** What operators do about refunds and payouts, by scripts as processes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { hotWalletOf } from '../../src/app/sending/sending-chain.ts';
import { unitsOf } from '../../src/domain/money/decimal.ts';
import { type OperatorDesk, openOperatorDesk, UNKNOWN_ID } from '../support/operators/operator-desk.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

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
    expect(await desk.refusal('refund', paid.order_id, '--amount', '26')).toContain(
      'the most that can be refunded',
    );
    const balances = { balance_before_usd: '25', balance_after_usd: '0' };
    const refund = { kind: 'refund', status: 'pending', amount: '25', reserved_usd: '25' };
    expect(await desk.json('refund', paid.order_id, '--dry-run')).toMatchObject({
      dry_run: true,
      status: 'success',
      ...balances,
    });
    const trial = (await desk.run('refund', paid.order_id, '--dry-run')).stdout;
    expect(trial).toContain('nothing was done');
    expect(trial).toContain('25 USD before, 0 USD after');
    expect(await desk.json('refund', paid.order_id)).toMatchObject({
      invoice_id: paid.order_id,
      status: 'refunded',
      sandbox: true,
      ...balances,
      refund: { ...refund, invoice_id: paid.order_id, ordered_by: userInfo().username },
    });
    expect(await desk.refusal('refund', paid.order_id)).toContain('is refunded cannot be refunded');
    expect((await desk.it.call(sandbox, 'GET', '/api/v2/balance')).body.result.available).toBe(0);
    expect(await desk.refusal('refund', UNKNOWN_ID)).toContain('No such invoice');
  });

  test('G8: a refund beyond the balance is refused with the balances shown, and done under a name when forced', async () => {
    const { sandbox } = await desk.it.merchant();
    const paid = await desk.invoice(sandbox);
    const simulated = { status: 'success', send_webhook: false };
    await desk.it.call(sandbox, 'POST', `/api/v2/invoices/${paid.order_id}/simulate`, simulated);
    const payout = {
      address: `0x${'1234'.repeat(10)}`,
      amount: 20,
      asset: 'usdt_ethereum',
      fee_bearer: 'client',
    };
    const headers = { 'x-uniq-id': '5f3a0e4e-5f0b-4d53-9f57-6f2f4c3f6a12' };
    expect((await desk.it.call(sandbox, 'POST', '/api/v2/payouts', payout, headers)).status).toBe(201);
    expect(await desk.refusal('refund', paid.order_id)).toContain('from 5 to -20 USD');
    expect(await desk.run('refund', paid.order_id, '--force', '--by', ' ')).toMatchObject({ code: 2 });
    const { stdout } = await desk.run('refund', paid.order_id, '--force', '--by', 'ann');
    expect(stdout).toContain('5 USD before, -20 USD after');
    const feed = await desk.it.call(sandbox, 'GET', '/api/v2/ledger?type=refund');
    expect(feed.body.result).toMatchObject([{ reference_id: paid.order_id, ordered_by: 'ann' }]);
  }, 120_000);

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
    expect(held).toMatchObject({
      payout_id: id,
      status: 'pending',
      held: 'ask first',
      held_code: 'operator',
      amount: '5',
    });
    expect(await listed('--held')).toEqual([{ ...held, can: ['release', 'cancel'], transfer: null }]);
    expect(await listed('--waiting')).toEqual([]);
    expect((await desk.run('payouts', 'list', '--held')).stdout).toContain('held: ask first');
    expect(await desk.refusal('payouts', 'retry', id)).toContain('release it');
    expect(await desk.json('payouts', 'release', id)).toMatchObject({
      held: null,
      held_code: null,
      released: true,
    });
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
  }, 120_000);

  test('K4: what the chain may have paid is listed beside the unknown transactions, settled by one, or released', async () => {
    const { live } = await desk.it.merchant();
    const paid = await desk.invoice(live);
    await desk.payToFinality(paid.address_to, '25.25');
    const order = async (to: string) => {
      const body = { address: to, amount: 5, asset: 'usdt_ethereum' };
      const headers = { 'x-uniq-id': randomUUID() };
      const made = await desk.it.call(live, 'POST', '/api/v2/payouts', body, headers);
      return made.body.result.order_id as string;
    };
    const [to, other] = [`0x${'4321'.repeat(10)}`, `0x${'4322'.repeat(10)}`];
    const [first, second] = [await order(to), await order(other)];
    const { unitOfWork } = desk.it.service.dependencies;
    const txid = `0x${'ab'.repeat(32)}`;
    const now = new Date();
    const payment = { to, asset: 'usdt_ethereum', units: 5_000_000n };
    await unitOfWork.run(async ({ payouts, unknown }) => {
      await payouts.holdRestored([first, second], 'a test');
      const block = { height: 1, hash: 'block' };
      const times = { minedAt: now, notedAt: now };
      const made = { chain: 'ethereum', txid, wallet: 'hot', nonce: 7n, feeUnits: 1n, harmless: false };
      await unknown.note({ ...made, ...times, block, payments: [payment] });
    });
    const list = await desk.json('payouts', 'list', '--held');
    expect(list.unknown_transactions).toMatchObject([
      { chain: 'ethereum', txid, nonce: '7', payments: [{ to, asset: 'usdt_ethereum', amount: '5' }] },
    ]);
    expect(list.payouts).toMatchObject([
      { payout_id: second, held_code: 'restored', can: ['paid', 'release', 'cancel'], perhaps_paid_by: [] },
      {
        payout_id: first,
        held_code: 'restored',
        can: ['paid', 'release', 'cancel'],
        perhaps_paid_by: [txid],
      },
    ]);
    const { stdout } = await desk.run('payouts', 'list', '--held');
    expect(stdout).toContain('PERHAPS PAID BY');
    expect(stdout).toContain('Sent by the hot wallets, and not known here:');
    expect(await desk.refusal('payouts', 'paid', second, '--txid', txid)).toContain('does not pay that');
    expect(await desk.refusal('payouts', 'paid', first, '--txid', `${txid}0`)).toContain(
      'no unknown transaction',
    );
    expect(await desk.json('payouts', 'paid', first, '--txid', txid)).toMatchObject({
      status: 'success',
      txid,
    });
    expect(await desk.refusal('payouts', 'paid', first, '--txid', txid)).toContain('not held');
    expect(list.held_restored).toBe(2);
    expect(stdout).toContain('release --restored 2');
    expect(await desk.refusal('payouts', 'release', '--restored', '2')).toContain(
      '1 payout is held for that',
    );
    const released = await desk.json('payouts', 'release', '--restored', '1');
    expect(released.released).toMatchObject([{ payout_id: second, status: 'pending', held: null }]);
    expect(await desk.refusal('payouts', 'release', '--restored', '1')).toContain(
      'no payout is held for that',
    );
    expect(await desk.json('payouts', 'cancel', second)).toMatchObject({ status: 'cancelled' });
  }, 120_000);

  test('G3: one that is signed is cancelled by an operator, and the list says that the chain decides', async () => {
    const merchant = await desk.it.merchant();
    const paid = await desk.invoice(merchant.live);
    const { chains, sending } = desk.it.service;
    const chain = chains.fakes!.get('ethereum')!.control;
    const hotWallet = hotWalletOf(sending.chains.get('ethereum')!);
    chain.fund(hotWallet, 'eth_ethereum', unitsOf('1', 18));
    chain.fund(hotWallet, 'usdt_ethereum', unitsOf('100', 6));
    await desk.payToFinality(paid.address_to, '25.25');
    const body = { address: `0x${'4323'.repeat(10)}`, amount: 5, asset: 'usdt_ethereum' };
    const headers = { 'x-uniq-id': randomUUID() };
    const made = await desk.it.call(merchant.live, 'POST', '/api/v2/payouts', body, headers);
    const id: string = made.body.result.order_id;
    await desk.it.settle();
    expect(await desk.json('payouts', 'cancel', id)).toMatchObject({
      status: 'processing',
      ordered: 'a transaction that moves nothing is to take its place: whichever is mined decides',
    });
    const list = await desk.run('payouts', 'list', '--merchant', merchant.id);
    expect(list.stdout).toContain('given up, the chain decides: ');
    await desk.it.settle();
    chain.mine(13);
    await desk.it.settle();
    const ended = await desk.json('payouts', 'list', '--merchant', merchant.id, '--status', 'cancelled');
    expect(ended.payouts).toMatchObject([{ payout_id: id }]);
  }, 120_000);
});
