/**
 * Reorganisations before and after the credit on a real EVM node, and nodes that are dead, lying or
 * disagreeing.
 */
import { describe, expect, test } from 'bun:test';
import { startRpcProxy } from '../../support/chains/rpc-proxy.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { CONFIRMATIONS, stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
const LIE = `0x${'ab'.repeat(32)}`;

describe.skipIf(!ready)('an invoice on an EVM chain that changes its mind', () => {
  const on = stageAnvilJourney();
  const { mine, mineToFinality, pay, create, read, balance, statusesSent, booksAreRight } = on;
  const alarms = () => on.lines.filter(({ event }) => event === 'deposit.reversed').length;

  for (const asset of ['eth_ethereum', 'usdt_ethereum']) {
    test(`E8: a ${asset} payment that a reorganisation moves to another block is credited once`, async () => {
      const invoice = await create({ asset });
      const txid = await pay(invoice);
      await mine(2);
      await on.it.settle();
      const [before] = await on.depositsTo(invoice.address_to);
      await on.reorg(3, [[await on.raw(txid), 2]]);
      await on.it.settle();
      const [after, ...others] = await on.depositsTo(invoice.address_to);
      expect(others).toEqual([]);
      expect(after).toMatchObject({ id: before?.id, status: 'confirming', output: before?.output });
      expect(after?.block?.hash).not.toBe(before?.block?.hash);
      expect((await read(invoice.order_id)).status).toBe('confirming');
      await mineToFinality();
      expect((await read(invoice.order_id)).status).toBe('success');
      expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      expect((await balance()).available).toBeCloseTo(25, 4);
      await booksAreRight();
    });
  }

  test('a payment that a reorganisation drops before it is final takes the invoice back, and the customer can pay again', async () => {
    const invoice = await create();
    await pay(invoice);
    await mine();
    await on.it.settle();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await on.reorg(2);
    await on.it.settle();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    await pay(invoice);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    expect((await on.depositsTo(invoice.address_to)).map(({ status }) => status).toSorted()).toEqual([
      'credited',
      'dropped',
    ]);
    expect((await balance()).available).toBe(25);
    await booksAreRight();
  });

  test('a double-spend that replaces the payment credits nothing', async () => {
    const invoice = await create({ asset: 'eth_ethereum', ttl: 300 });
    const txid = await pay(invoice);
    await mine();
    await on.it.settle();
    const { nonce } = await on.lab.anvil.rpc<{ nonce: string }>('eth_getTransactionByHash', [txid]);
    const rival = await on.lab.sign({
      to: on.lab.freshAddress(),
      value: on.due(invoice),
      nonce: Number(nonce),
      gasPrice: 10n ** 12n,
    });
    await on.reorg(1, [[rival, 0]]);
    await on.it.settle();
    expect((await read(invoice.order_id)).status).toBe('created');
    on.clock.advance(400);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('expired');
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'dropped' }]);
    expect((await balance()).available).toBe(0);
    await booksAreRight();
  });

  test('E8: a credited payment that a reorganisation only moves stays credited, once, and nobody is told', async () => {
    const invoice = await create();
    const txid = await pay(invoice);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await on.reorg(CONFIRMATIONS + 2, [[await on.raw(txid), 3]]);
    await on.it.settle();
    await mineToFinality();
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'credited', txid }]);
    expect((await read(invoice.order_id)).status).toBe('success');
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect((await balance()).available).toBe(25);
    expect((await on.ledger()).length).toBe(1);
    await booksAreRight();
  });

  test('U7: a reorganisation deeper than the confirmations claws the credit back, blocks payouts, alarms, and credits again once', async () => {
    const invoice = await create();
    const txid = await pay(invoice);
    await mineToFinality();
    expect((await on.payout(20)).status).toBe(201);
    const [raw, alarmsBefore] = [await on.raw(txid), alarms()];
    await on.reorg(CONFIRMATIONS + 3);
    await on.it.settle();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'failed', received_amount: 0 });
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'reversed' }]);
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success', 'failed']);
    expect(alarms()).toBe(alarmsBefore + 1);
    expect(await balance()).toMatchObject({ available: -20, total_income: 0, total_payouts: 20 });
    const refused = await on.payout(5);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: 'PAYOUT_REJECTED',
      details: { rule: 'insufficient_balance' },
    });
    await booksAreRight();

    await on.lab.anvil.rpc('eth_sendRawTransaction', [raw]);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'credited', txid }]);
    expect((await balance()).available).toBe(5);
    expect(
      (await on.ledger()).map(({ type, amount }: { type: string; amount: number }) => [type, amount]),
    ).toEqual([
      ['income', 25],
      ['income', -25],
      ['payout', 20],
      ['income', 25],
    ]);
    await booksAreRight();
  });

  test('U7: a stray that a deep reorganisation takes away cannot be credited any more', async () => {
    const invoice = await create({ asset: 'eth_ethereum' });
    await on.payUsdt(invoice.address_to, '40');
    await mineToFinality();
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'stray' }]);
    await on.reorg(CONFIRMATIONS + 3);
    await on.it.settle();
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'reversed' }]);
    expect((await read(invoice.order_id)).status).toBe('created');
    await booksAreRight();
  });

  test('A3: nothing is credited while one of two nodes has another block, and a dead third is no obstacle', async () => {
    const second = await startRpcProxy(on.lab.anvil.url);
    const dead = await startRpcProxy(on.lab.anvil.url);
    await dead.stop();
    const other = await on.open({
      chains: {
        ethereum: {
          rpc: [dead.url, on.lab.anvil.url, second.url],
          chain_id: 31_337,
          confirmations: CONFIRMATIONS,
        },
      },
      assets: { usdt_ethereum: { contract: on.lab.contracts.tether } },
    });
    const [first, next] = [await other.create(), await other.create({ asset: 'eth_ethereum' })];
    const txid = await pay(first);
    await mine();
    const { blockNumber } = await on.lab.anvil.rpc<{ blockNumber: string }>('eth_getTransactionReceipt', [
      txid,
    ]);
    second.behave({
      answer: ({ method, params }, result) =>
        method === 'eth_getBlockByNumber' && params[0] === blockNumber
          ? { ...(result as object), hash: LIE }
          : undefined,
    });
    await mine(CONFIRMATIONS + 2);
    await other.it.settle();
    expect(second.asked).toContain('eth_getBlockByNumber');
    expect((await other.read(first.order_id)).status).toBe('confirming');
    expect(await other.depositsTo(first.address_to)).toMatchObject([{ status: 'confirming' }]);
    expect((await other.balance()).available).toBe(0);
    expect(other.lines.some(({ event }) => event === 'deposit.block_disputed')).toBe(true);

    await pay(next);
    await mine(CONFIRMATIONS);
    await other.it.settle();
    expect((await other.read(next.order_id)).status).toBe('success');
    expect((await other.read(first.order_id)).status).toBe('confirming');

    second.behave({});
    await other.it.settle();
    expect((await other.read(first.order_id)).status).toBe('success');
    expect((await other.balance()).available).toBeCloseTo(50, 4);
    await other.booksAreRight();
    await second.stop();
  });
});
