/**
 * What becomes of a payment by what a scanner tells of it, the first time and again: on another
 * branch, at another amount, gone.
 */
import { describe, expect, test } from 'bun:test';
import { recordTransfers } from '../../../src/app/deposits/record-transfer.ts';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { timeOfPayment } from '../../../src/domain/chains/payment-time.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { aHash, anAddress } from '../../support/builders.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const USDT = 1_000_000n;

describe.skipIf(!needs('postgres', postgresAvailable()))('a payment that a scanner tells', () => {
  const { stage, merchant } = stageCheckout();
  const anInvoice = (body = {}) => merchant.create({ asset: 'usdt_ethereum', ...body });
  const fundsOf = async ({ id }: Invoice) => (await stage.read(id)).funds;
  const spendableUtxos = (chain: string, height: number) =>
    stage.deps.unitOfWork.run((repositories) => repositories.utxos.free(chain, height, 100));
  async function balance(): Promise<bigint> {
    const scope = { merchantId: merchant.id, sandbox: false };
    return (await stage.deps.queries.balance(scope)).incomeMicroUsd;
  }
  async function permanentAddress() {
    const body = { user_id: 'customer-1', family: 'evm' };
    const made = await stage.it.call(merchant.live, 'POST', '/api/v2/permanent', body);
    return { addressTo: made.body.result.address as string, price: null };
  }

  test('to an address of the sandbox is real money: a live stray, which no sandbox hides from the operator', async () => {
    const invoice = await merchant.create({ asset: 'usdt_ethereum' }, true);
    const deposit = await stage.sight(invoice);
    expect(deposit).toMatchObject({ sandbox: false, invoiceId: null, strayReason: 'sandbox_address' });
    await stage.finish(deposit);
    expect((await stage.read(invoice.id)).status).toBe('created');
  });

  test('without a transaction that explains it is a stray of whoever had the address, and says so', async () => {
    const invoice = await anInvoice();
    const deposit = await stage.sight(invoice, { kind: 'unexplained' });
    expect(deposit).toMatchObject({
      ...{ unexplained: true, invoiceId: null, strayReason: 'unexplained_balance' },
    });
    await stage.finish(deposit);
    expect((await stage.read(invoice.id)).status).toBe('created');
  });

  test('at another amount on another branch counts at that amount, whatever had been booked of the first', async () => {
    for (const prepare of [async () => undefined, stage.arrive, stage.finish]) {
      const invoice = await anInvoice();
      const first = await stage.sight(invoice, { units: 10n * USDT });
      await prepare(first);
      const again = await stage.sight(invoice, { txid: first.txid, units: 12n * USDT });
      expect(again).toMatchObject({ id: first.id, units: 12n * USDT, status: 'confirming' });
      expect(await fundsOf(invoice)).toEqual({
        pendingUnits: 12n * USDT,
        creditedUnits: 0n,
        heldUnits: 0n,
      });
      await stage.finish(again);
      expect((await fundsOf(invoice)).creditedUnits).toBe(12n * USDT);
      await stage.booksAreRight();
    }
  });

  test('locked past its block is recorded with that height, which another branch may move', async () => {
    const invoice = await anInvoice({ asset: 'btc_bitcoin' });
    const first = await stage.sight(invoice, { output: 'vout:0', lockedUntil: 107 });
    expect(first.lockedUntil).toBe(107);
    const { txid, output } = first;
    const again = await stage.sight(invoice, { txid, output, lockedUntil: 108 });
    expect(again.lockedUntil).toBe(108);
  });

  test('that was credited and is mined again in a later block lends its coin from that block on', async () => {
    const invoice = await anInvoice({ asset: 'btc_bitcoin' });
    const first = await stage.sight(invoice, { output: 'vout:0', height: 3 });
    await stage.finish(first);
    const ours = ({ txid }: { txid: string }) => txid === first.txid;
    expect((await spendableUtxos('bitcoin', 3)).filter(ours)).toHaveLength(1);
    const { txid, output, units } = first;
    await stage.sight(invoice, { txid, output, units, height: 9 });
    expect((await spendableUtxos('bitcoin', 8)).filter(ours)).toHaveLength(0);
    expect((await spendableUtxos('bitcoin', 9)).filter(ours)).toHaveLength(1);
  });

  test('to the hot wallet itself is the operator’s coin, unless tokens lie on it: those are never spent', async () => {
    const hotWallet = anAddress();
    const now = stage.clock.now();
    const tipTime = now.getTime() / 1000;
    const at = {
      ...{ chain: 'bitcoincash', family: 'bitcoincash' as const, hotWallet },
      ...{
        block: { height: 1, hash: aHash() },
        ...timeOfPayment('bitcoincash', tipTime, { tipTime, at: now }),
      },
    };
    const paid = { output: 'vout:0', asset: 'bch_bitcoincash', to: hotWallet, from: null, units: 5n };
    const plain = { ...paid, txid: aHash(), kind: 'payment' as const };
    const tokens = { ...plain, txid: aHash(), encumbered: true as const };
    const observations = [plain, tokens].map((transfer) => ({ transfer, at }));
    await stage.deps.unitOfWork.run((repositories) =>
      recordTransfers(stage.deps, repositories, observations),
    );
    const txids = (await spendableUtxos('bitcoincash', 1)).map(({ txid }) => txid);
    expect(txids).toContain(plain.txid);
    expect(txids).not.toContain(tokens.txid);
  });

  test('U5: to a permanent address opens an invoice from 2 USD on, and is a stray below', async () => {
    const address = await permanentAddress();
    const asset = 'usdt_ethereum';
    const dust = await stage.sight(address, { asset, units: 2n * USDT - 1n });
    expect(dust).toMatchObject({ invoiceId: null, strayReason: 'below_minimum' });
    const least = await stage.sight(address, { asset, units: 2n * USDT });
    expect(least).toMatchObject({ invoiceId: expect.any(String), strayReason: null });
  });

  test('to a permanent address waits for the first exchange rates of a start, and is no stray for want of them', async () => {
    const address = await permanentAddress();
    const payment = { asset: 'eth_ethereum', units: 10n ** 18n, txid: aHash() };
    stage.setRates(null);
    const early = stage.sight(address, payment);
    await expect(early).rejects.toBeInstanceOf(ChainUnavailable);
    stage.setRates(100n);
    expect(await stage.sight(address, payment)).toMatchObject({ strayReason: null });
  });

  test('of dust that is final once its invoice has ended is a stray, and changes nothing of the invoice', async () => {
    const invoice = await anInvoice({ fee_bearer: 'merchant' });
    const dust = await stage.sight(invoice, { units: 1n * USDT });
    await stage.finish(await stage.sight(invoice, { units: 25n * USDT }));
    const before = await stage.read(invoice.id);
    expect(before.status).toBe('success');
    await stage.arrive(dust);
    const stray = await stage.sight(invoice, { txid: dust.txid, units: dust.units });
    expect(stray).toMatchObject({ status: 'stray', strayReason: 'invoice_ended' });
    expect((await stage.read(invoice.id)).status).toBe('success');
  });

  test('that is gone takes back what was booked of it, and no more, wherever it had come', async () => {
    const before = await balance();
    for (const [verdict, status] of [
      [null, 'created'],
      ['pass', 'failed'],
      ['hit', 'failed'],
    ] as const) {
      const invoice = await anInvoice();
      const deposit = await stage.sight(invoice);
      if (verdict === null) await stage.arrive(deposit);
      else {
        stage.screen(() => (verdict === 'hit' ? { kind: 'hit', reason: 'listed' } : { kind: 'pass' }));
        await stage.finish(deposit);
      }
      await stage.lose(deposit);
      expect(await stage.read(invoice.id)).toMatchObject({
        status,
        funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
      });
      expect(await balance()).toBe(before);
      await stage.booksAreRight();
    }
  });

  test('that goes and comes back again and again is booked once at the end, and none of its reversals twice', async () => {
    const before = await balance();
    const invoice = await anInvoice();
    const { txid } = await stage.sight(invoice);
    for (let turn = 0; turn < 2; turn += 1) {
      const deposit = await stage.sight(invoice, { txid });
      await stage.finish(deposit);
      await stage.lose(deposit);
    }
    await stage.finish(await stage.sight(invoice, { txid }));
    expect((await balance()) - before).toBe(25_000_000n);
    expect((await stage.read(invoice.id)).status).toBe('success');
  });

  test('that is gone leaves what another payment of its invoice brought', async () => {
    const before = await balance();
    const invoice = await anInvoice();
    const [stays, goes] = [
      await stage.sight(invoice, { units: 10_100_000n }),
      await stage.sight(invoice, { units: 5_050_000n }),
    ];
    await stage.finish(stays);
    await stage.finish(goes);
    expect((await balance()) - before).toBe(15n * USDT);
    await stage.lose(goes);
    expect((await balance()) - before).toBe(10n * USDT);
    expect((await fundsOf(invoice)).creditedUnits).toBe(10_100_000n);
  });

  test('A1: made in time counts, however late it is read', async () => {
    const invoice = await anInvoice({ ttl: 300 });
    stage.clock.advance(400);
    expect(await stage.sight(invoice, { secondsAgo: 90 })).toMatchObject({ strayReason: 'invoice_closed' });
    expect(await stage.sight(invoice, { secondsAgo: 200 })).toMatchObject({ invoiceId: invoice.id });
  });

  test('to an address whose invoice was removed is an unmatched deposit of its merchant, which names the invoice', async () => {
    const invoice = await anInvoice();
    const [asset, txid] = [stage.deps.catalog.require('usdt_ethereum'), aHash()];
    const to = stage.deps.liveDerivers.get('evm')?.normalize(invoice.addressTo ?? '') ?? '';
    const now = { tipTime: stage.clock.now().getTime() / 1000, at: stage.clock.now() };
    const at = {
      ...{ chain: asset.chain, family: asset.family, hotWallet: null, block: { height: 1, hash: aHash() } },
      ...timeOfPayment('evm', now.tipTime, now),
    };
    const transfer = {
      ...{ txid, output: 'log:0', asset: asset.key, to, from: null, units: 25n * USDT },
      kind: 'payment' as const,
    };
    const [deposit] = await stage.deps.unitOfWork.run(async (repositories) => {
      const gone = { lock: async () => null, lockAll: async () => [] };
      const removed = { ...repositories, invoices: { ...repositories.invoices, ...gone } };
      await recordTransfers(stage.deps, removed, [{ transfer, at }]);
      return repositories.deposits.findByKeys(asset.chain, [transfer]);
    });
    if (deposit === undefined) throw new Error('it was not recorded');
    expect(deposit).toMatchObject({
      ...{ merchantId: merchant.id, invoiceId: null, status: 'confirming', units: 25n * USDT },
      ...{ strayReason: 'invoice_removed', note: `invoice ${invoice.id}` },
    });
    const before = await balance();
    await stage.finish(deposit);
    const credit = creditStray({ ...stage.deps })(deposit.id);
    expect(await credit).toMatchObject({ ok: true, value: { status: 'credited' } });
    expect(await balance()).toBeGreaterThan(before);
  });

  test('of dust that became a stray is the invoice’s again when a reorganisation opens it again', async () => {
    const invoice = await anInvoice({ fee_bearer: 'merchant' });
    const dust = await stage.sight(invoice, { units: 1n * USDT });
    const payment = await stage.sight(invoice, { units: 25n * USDT });
    await stage.finish(payment);
    await stage.arrive(dust);
    await stage.lose(payment);
    const back = await stage.sight(invoice, { txid: payment.txid });
    expect(await fundsOf(invoice)).toMatchObject({ pendingUnits: 26n * USDT, creditedUnits: 0n });
    await stage.finish(back);
    expect(await stage.read(invoice.id)).toMatchObject({
      ...{ status: 'paid_over', funds: { creditedUnits: 26n * USDT } },
    });
  });

  test('that is final while another one of its invoice is held belongs to it, and is no stray', async () => {
    const invoice = await anInvoice();
    const [first, second] = [
      await stage.sight(invoice, { units: 10n * USDT }),
      await stage.sight(invoice, { units: 15_250_000n }),
    ];
    stage.screen(() => ({ kind: 'hit', reason: 'listed' }));
    await stage.finish(first);
    expect((await stage.read(invoice.id)).status).toBe('high_risk');
    await stage.arrive(second);
    const { txid, units } = second;
    expect(await stage.sight(invoice, { txid, units })).toMatchObject({
      status: 'arrived',
      strayReason: null,
    });
  });

  test('that comes back once its invoice is over is a stray of no invoice', async () => {
    const invoice = await anInvoice();
    const lost = await stage.sight(invoice);
    await stage.lose(lost);
    await stage.finish(await stage.sight(invoice));
    const back = await stage.sight(invoice, { txid: lost.txid });
    expect(back).toMatchObject({ status: 'confirming', invoiceId: null, strayReason: 'came_back_late' });
    expect((await stage.read(invoice.id)).status).toBe('success');
  });

  test('that failed its invoice by going, and comes back after its time, pays it all the same', async () => {
    const invoice = await anInvoice({ ttl: 300 });
    const deposit = await stage.sight(invoice);
    await stage.finish(deposit);
    await stage.lose(deposit);
    stage.clock.advance(600);
    const back = await stage.sight(invoice, { txid: deposit.txid });
    expect(back).toMatchObject({ invoiceId: invoice.id, strayReason: null });
    await stage.finish(back);
    expect((await stage.read(invoice.id)).status).toBe('success');
  });
});
