/**
 * The EVM cases E1 to E11 of the safety catalogue, from a transaction on a real node to the
 * merchant's balance.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { startRpcProxy } from '../../support/chains/rpc-proxy.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { CONFIRMATIONS, stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { TOKEN_SUPPLY } from '../../support/evm/evm-lab.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type Json, startTestService } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
const MOST = 2n ** 256n - 1n;

describe.skipIf(!ready)('what an EVM chain makes a merchant richer by', () => {
  const on = stageAnvilJourney();
  const { mine, mineToFinality, create, read, balance, statusesSent, booksAreRight } = on;
  let usdt: Json;
  let usdc: Json;
  let eth: Json;

  beforeEach(async () => {
    usdt = await create();
    usdc = await create({ asset: 'usdc_ethereum' });
    eth = await create({ asset: 'eth_ethereum' });
  });

  const tether = (method: string, args: readonly unknown[]) =>
    on.lab.send({ to: on.lab.contracts.tether, data: on.lab.call('TetherLikeToken', method, args) });
  const coin = (method: string, args: readonly unknown[]) =>
    on.lab.send({ to: on.lab.contracts.usdc, data: on.lab.call('OrdinaryToken', method, args) });
  const router = (method: string, args: readonly unknown[], value: bigint) =>
    on.lab.send({ to: on.lab.contracts.router, data: on.lab.call('Router', method, args), value });
  const spoof = (to: string, units: bigint) =>
    on.lab.send({
      to: on.lab.contracts.spoofing,
      data: on.lab.call('SpoofingToken', 'spoof', [on.lab.contracts.usdc, to, units]),
    });
  async function nothingHappened(): Promise<void> {
    await mineToFinality();
    for (const invoice of [usdt, usdc, eth]) {
      expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
      expect(await on.depositsTo(invoice.address_to)).toEqual([]);
      expect(statusesSent(invoice.order_id)).toEqual([]);
    }
    expect((await balance()).available).toBe(0);
    await booksAreRight();
  }

  test('E1: a failed transaction and call data that looks like a transfer bring nothing', async () => {
    await coin('transfer', [usdc.address_to, TOKEN_SUPPLY + 1n]);
    await on.lab.send({
      to: on.lab.freshAddress(),
      data: on.lab.call('OrdinaryToken', 'transfer', [usdc.address_to, on.due(usdc)]),
    });
    await nothingHappened();
  });

  test('E2: a Transfer event of an unlisted contract brings nothing', async () => {
    await spoof(usdt.address_to, on.due(usdt));
    await nothingHappened();
  });

  test('E3: a token that takes a fee credits what arrived', async () => {
    await tether('setFee', [1_000]);
    await tether('transfer', [usdt.address_to, on.due(usdt)]);
    await tether('setFee', [0]);
    await mineToFinality();
    expect(await read(usdt.order_id)).toMatchObject({ status: 'partially_paid', received_amount: 22.725 });
    expect((await balance()).available).toBeCloseTo(22.5, 6);
    await booksAreRight();
  });

  test('E4: a transfer that answers false without a log brings nothing', async () => {
    await tether('setFailing', [true]);
    await tether('transfer', [usdt.address_to, on.due(usdt)]);
    await tether('setFailing', [false]);
    await nothingHappened();
  });

  test('E5: an internal payment whose frame was reverted, and a delegated call, bring nothing', async () => {
    await router('payAndRevertInside', [eth.address_to], on.due(eth));
    await router('payNothingByDelegatecall', [eth.address_to], on.due(eth));
    await nothingHappened();
  });

  test('E6: where the node does not trace an internal payment is parked as a stray, and an operator can credit it', async () => {
    const blind = await startRpcProxy(on.lab.anvil.url);
    blind.behave({ refuse: ['debug_', 'trace_'] });
    const other = await on.open({
      chains: { ethereum: { rpc: [blind.url], chain_id: 31_337, confirmations: CONFIRMATIONS } },
    });
    const [internal, direct] = [
      await other.create({ asset: 'eth_ethereum' }),
      await other.create({ asset: 'eth_ethereum' }),
    ];
    await router('pay', [[internal.address_to], on.due(internal)], on.due(internal));
    await on.pay(direct);
    // Balances are compared over so many blocks together.
    await mine(10);
    await other.it.settle();
    expect((await other.read(direct.order_id)).status).toBe('success');
    expect(await other.read(internal.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    const [stray, ...others] = await other.depositsTo(internal.address_to);
    expect(others).toEqual([]);
    expect(stray).toMatchObject({ status: 'stray', unexplained: true, units: on.due(internal) });
    expect((await other.balance()).available).toBeCloseTo(25, 4);
    await other.booksAreRight();
    expect((await creditStray(other.it.service.dependencies)(stray?.id ?? '')).ok).toBe(true);
    expect((await other.balance()).available).toBeCloseTo(25 + 25.25 * 0.99, 3);
    await other.booksAreRight();
    await blind.stop();
  });

  test('E6: paid by a contract in time, an invoice does not expire before that is seen', async () => {
    const invoice = await create({ asset: 'eth_ethereum', ttl: 300 });
    await on.mineAt(invoice.expires_at - 60);
    await on.it.settle();
    await router('pay', [[invoice.address_to], on.due(invoice)], on.due(invoice));
    await on.mineAt(invoice.expires_at - 1);
    await on.mineAt(invoice.expires_at + 1);
    on.clock.advance(400);
    await on.it.settle();
    expect((await read(invoice.order_id)).status).toBe('created');
    await mine(8);
    await on.it.settle();
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await booksAreRight();
  });

  test('E6: what an instance parks whose node does not trace is credited by one whose node does', async () => {
    const blind = await startRpcProxy(on.lab.anvil.url);
    blind.behave({ refuse: ['debug_', 'trace_'] });
    const { databaseUrl, service } = on.it;
    const { dataDir } = service.config;
    const file = {
      chains: { ethereum: { rpc: [blind.url], chain_id: 31_337, confirmations: CONFIRMATIONS } },
    };
    const other = await startTestService({ databaseUrl, dataDir, file, overrides: { clock: on.clock } });
    await on.payEth(on.lab.freshAddress(), '1');
    await mine();
    await other.settle(1);
    await router('pay', [[eth.address_to], on.due(eth)], on.due(eth));
    await mine();
    await on.it.settle(1);
    await mine(10);
    await other.settle();
    await other.stop();
    await blind.stop();
    await on.it.settle();
    const deposits = await on.depositsTo(eth.address_to);
    expect(deposits.map(({ status, unexplained }) => `${status} ${unexplained}`).toSorted()).toEqual([
      'credited false',
      'reversed true',
    ]);
    expect((await read(eth.order_id)).status).toBe('success');
    await booksAreRight();
  });

  test('E7: two matching logs in one transaction are two deposits of one invoice', async () => {
    const half = on.due(usdc) / 2n;
    const txid = await coin('transferMany', [[usdc.address_to, usdc.address_to], half]);
    await mineToFinality();
    const deposits = await on.depositsTo(usdc.address_to);
    expect(deposits).toMatchObject([
      { status: 'credited', txid, units: half },
      { status: 'credited', txid, units: half },
    ]);
    expect((await read(usdc.order_id)).status).toBe('success');
    expect((await balance()).available).toBe(25);
    await booksAreRight();
  });

  test('E8: a reorganisation that gives the payment another log index leaves one credit', async () => {
    const txid = await coin('transfer', [usdc.address_to, on.due(usdc)]);
    await mine(2);
    await on.it.settle();
    const logIndex = async () =>
      (await on.lab.anvil.rpc<{ logs: [{ logIndex: string }] }>('eth_getTransactionReceipt', [txid])).logs[0]
        .logIndex;
    expect(await logIndex()).toBe('0x0');
    const raw = await on.raw(txid);
    const earlier = await on.lab.sign({
      from: 7,
      to: on.lab.contracts.usdc,
      data: on.lab.call('OrdinaryToken', 'approve', [on.lab.freshAddress(), 1n]),
      nonce: 0,
      gasPrice: 10n ** 12n,
    });
    await on.reorg(2, [
      [earlier, 1],
      [raw, 1],
    ]);
    expect(await logIndex()).toBe('0x1');
    await on.it.settle();
    await mineToFinality();
    expect(await on.depositsTo(usdc.address_to)).toMatchObject([{ status: 'credited', txid }]);
    expect((await balance()).available).toBe(25);
    await booksAreRight();
  });

  test('E9: a token is credited by the decimals of its own chain, and one that contradicts the catalog takes no payments', async () => {
    const chain = { rpc: [on.lab.anvil.url], chain_id: 31_337, confirmations: CONFIRMATIONS };
    const other = await on.open({
      chains: { bsc: chain, polygon: chain },
      assets: {
        usdt_bsc: { contract: on.lab.contracts.bscTether },
        usdt_polygon: { contract: on.lab.contracts.bscTether },
      },
    });
    const right = await other.create({ asset: 'usdt_bsc' });
    const units = 25_250_000_000_000_000_000n;
    const transfer = (to: string) =>
      on.lab.send({
        to: on.lab.contracts.bscTether,
        data: on.lab.call('OrdinaryToken', 'transfer', [to, units]),
      });
    await transfer(right.address_to);
    const wrong = await other.it.call(other.merchant.live, 'POST', '/api/v2/invoices', {
      amount: 25,
      fiat_currency: 'USD',
      asset: 'usdt_polygon',
    });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'INVOICE_REJECTED']);
    await mine(CONFIRMATIONS);
    await other.it.settle();
    expect(await other.read(right.order_id)).toMatchObject({ status: 'success', received_amount: 25.25 });
    expect((await other.balance()).available).toBe(25);
    await other.booksAreRight();
  });

  test('E10: transfers of nothing from look-alike addresses bring nothing and tell nobody', async () => {
    const victim = on.lab.anvil.accounts[4]!.address;
    await coin('transferFrom', [victim, usdc.address_to, 0n]);
    await on.lab.send({ to: eth.address_to, value: 0n });
    await router('pay', [[eth.address_to], 0n], 0n);
    await nothingHappened();
  });

  test('E11: a fake token that says 2^256 - 1 brings nothing', async () => {
    await spoof(usdt.address_to, MOST);
    await nothingHappened();
  });

  test('E11: 2^256 - 1 units of a listed token are stored and credited without overflow', async () => {
    const chain = { rpc: [on.lab.anvil.url], chain_id: 31_337, confirmations: CONFIRMATIONS };
    const other = await on.open({
      chains: { ethereum: chain },
      assets: { usdt_ethereum: { contract: on.lab.contracts.spoofing } },
    });
    const invoice = await other.create();
    await spoof(invoice.address_to, MOST);
    await mine(CONFIRMATIONS);
    await other.it.settle();
    expect((await other.read(invoice.order_id)).status).toBe('paid_over');
    expect(await other.depositsTo(invoice.address_to)).toMatchObject([{ status: 'credited', units: MOST }]);
    await other.booksAreRight();
  });
});
