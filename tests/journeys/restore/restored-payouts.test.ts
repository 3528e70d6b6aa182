/**
 * An older backup is put back on a real EVM node, with the signer's log of that time: what was
 * pending in it, and paid since, is not paid again unless an operator says so.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { payoutPaidBy, paysFor } from '../../../src/app/payouts/record-paid.ts';
import { startSigning, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { openRestoreStage, type RestoreStage } from '../../support/operators/restore-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
const CENT = unitsOf('0.001', 18);

describe.skipIf(!ready)('payouts after an older backup was put back', () => {
  let on: RestoreStage;
  let merchant: { id: string; live: string };
  beforeAll(async () => {
    on = await openRestoreStage();
    merchant = await on.it().merchant();
    const body = { amount: 1_000, fiat_currency: 'USD', asset: 'eth_ethereum' };
    const invoice = await request('POST', 'invoices', body);
    await on.lab.send({ to: invoice.address_to, value: unitsOf(String(invoice.amount), 18) });
    await on.lab.send({ to: wallet(), value: unitsOf('10', 18) });
    const data = on.lab.call('TetherLikeToken', 'transfer', [wallet(), unitsOf('100', 6)]);
    await on.lab.send({ to: on.lab.contracts.tether, data });
    await on.mine(4);
    for (const asset of ['eth_ethereum', 'usdt_ethereum']) {
      const booked = await bookCapital(deps(), sending())({ asset, note: '', dryRun: false });
      expect(booked.ok).toBe(true);
    }
    await order();
    await go();
    expect(await sent()).toBe(1);
  });
  afterAll(() => on.close());

  const sending = () => on.it().service.sending.chains.get('ethereum')!;
  const wallet = () => sending().deriver.hotWallet()!;
  const deps = () => on.it().service.dependencies;
  async function request(method: string, path: string, body?: Json): Promise<Json> {
    const key = { 'x-uniq-id': randomUUID() };
    const answer = await on.it().call(merchant.live, method, `/api/v2/${path}`, body, key);
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body.result;
  }
  async function order(body: Json = {}): Promise<{ id: string; to: string }> {
    const address = on.lab.freshAddress();
    const coin = { amount: 0.001, asset: 'eth_ethereum' };
    const { order_id: id } = await request('POST', 'payouts', { ...coin, address, ...body });
    return { id, to: address };
  }
  /** Transactions that the wallet has sent. */
  const sent = async (): Promise<number> =>
    Number(await on.lab.anvil.rpc<string>('eth_getTransactionCount', [wallet(), 'latest']));
  const paid = async (to: string): Promise<bigint> =>
    BigInt(await on.lab.anvil.rpc<string>('eth_getBalance', [to, 'latest']));
  const statusOf = async (id: string) => (await request('GET', `payouts/${id}`)).status;
  const heldOf = async (id: string) =>
    (await deps().unitOfWork.run((r) => r.payouts.lock(id)))?.held?.code ?? null;
  const alarms = (event: string) => on.lines().filter((line) => line.event === event);
  /** More than the minute for which all nodes have to say that the wallet was used. */
  async function go(): Promise<void> {
    for (let round = 0; round < 4; round += 1) await on.mine(3, 12);
  }

  test('K4: what was paid since is held and not paid again, through two more restarts; new ones are paid', async () => {
    await stopSigning(deps())('a backup is taken');
    const pending = await order();
    const token = await order({ asset: 'usdt_ethereum', amount: 5 });
    await on.mine(1);
    await on.backUp();
    await startSigning(deps())();
    const lost = await order();
    await go();
    expect([await paid(pending.to), await paid(lost.to), await sent()]).toEqual([CENT, CENT, 4]);
    await on.stop();
    await on.putBack({ dataDir: true });
    // Killed before it has read anything.
    await on.restart({ idle: true });
    await on.restart();
    await startSigning(deps())();
    await go();
    // Whatever leaves the wallet next comes behind them.
    const wallets = { chain: 'ethereum', address: wallet().toLowerCase() };
    expect(await deps().unitOfWork.run(({ outgoing }) => outgoing.nextOf(wallets))).toBe(4n);
    const fresh = await order();
    await go();
    expect([await paid(pending.to), await statusOf(fresh.id), await paid(fresh.to)]).toEqual([
      CENT,
      'success',
      CENT,
    ]);
    expect([await heldOf(pending.id), await heldOf(token.id)]).toEqual(['restored', 'restored']);
    expect(await statusOf(pending.id)).toBe('pending');
    expect(alarms('wallet.unknown_transaction')).toMatchObject([
      { fields: { transactions: 3, heldPayouts: 2 } },
    ]);
    await on.restart();
    await go();
    expect([await heldOf(pending.id), await heldOf(token.id), await sent()]).toEqual([
      'restored',
      'restored',
      5,
    ]);
  });

  test('K4: the transactions that paid them are known with recipient and amount, of the coin and of a token', async () => {
    const { operatorQueries, unitOfWork } = deps();
    const unknown = await operatorQueries.unknownTransactions({ chains: ['ethereum'], limit: 10 });
    expect(unknown.map(({ nonce }) => nonce)).toEqual([3n, 2n, 1n]);
    const held = await unitOfWork.run(({ payouts }) => payouts.heldFor('restored'));
    expect(held).toHaveLength(2);
    for (const id of held) {
      const payout = (await unitOfWork.run(({ payouts }) => payouts.lock(id)))!;
      const found = unknown.filter(({ payments }) => payments.some(paysFor(deps(), payout)));
      expect(found).toHaveLength(1);
      expect(await payoutPaidBy(deps())(id, found[0]!.txid)).toMatchObject({ ok: true });
      expect(await statusOf(id)).toBe('success');
    }
    expect(await operatorQueries.reconciliationFaults()).toEqual([]);
  });
});
