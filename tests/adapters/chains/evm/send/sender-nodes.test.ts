/**
 * Nodes that lie, lag, fall silent or disagree: what the EVM sender makes of them (safety.md A3 and
 * "Paid once").
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type {
  ChainSender,
  SendingOrder,
  SendingOutcome,
} from '../../../../../src/ports/sending/chain-sender.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { type Anvil, anvilAvailable, startAnvil } from '../../../../support/evm/anvil.ts';
import {
  NATIVE,
  openSendingStage,
  type SendingStage,
  type SignedBytes,
} from '../../../../support/evm/evm-sending.ts';
import { needs } from '../../../../support/runtime/needs.ts';
import { changed, paymentOf } from '../../../../support/utxo/lone-orders.ts';

const ACCEPTED = { kind: 'accepted' } as const;
/** Where a block is meant, as against `latest` or a hash. */
const namesHeight = (param: unknown): boolean => typeof param === 'string' && param.startsWith('0x');

describe.skipIf(!needs('anvil', anvilAvailable()))('EVM sender and its nodes', () => {
  let stage: SendingStage;
  let first: RpcProxy;
  let second: RpcProxy;
  /** Same chain id, other blocks; it never saw the wallet. */
  let rival: Anvil;
  let one: ChainSender;
  let both: ChainSender;

  beforeAll(async () => {
    stage = await openSendingStage();
    first = stage.proxy;
    second = await startRpcProxy(stage.lab.anvil.url);
    rival = await startAnvil();
    await rival.mine(60);
    one = stage.open();
    both = stage.open({ rpc: [first.url, second.url] });
  });
  beforeEach(async () => {
    first.behave({});
    second.behave({});
    await stage.lab.mine();
  });
  afterAll(async () => {
    await Promise.all([second.stop(), rival.stop(), stage.stop()]);
  });

  const outcome = (
    sender: ChainSender,
    order: SendingOrder,
    ...transactions: readonly SignedBytes[]
  ): Promise<SendingOutcome> =>
    sender.outcome({ wallet: order.wallet, nonce: order.nonce, transactions, order, inputs: [] });
  const arrived = async (order: SendingOrder): Promise<bigint> =>
    BigInt(await stage.lab.anvil.rpc<string>('eth_getBalance', [paymentOf(order).to, 'latest']));

  describe('broadcasting', () => {
    test('bytes are accepted when one node takes them, whatever the others do', async () => {
      for (const trouble of [{ drop: true }, { status: 502 }, { refuse: ['eth_sendRawTransaction'] }]) {
        const order = await stage.orderOf();
        const bytes = await stage.signed(both, order);
        first.behave(trouble);
        expect(await both.broadcast(bytes.raw)).toEqual(ACCEPTED);
        first.behave({});
        await stage.lab.mine();
        expect(await arrived(order)).toBe(paymentOf(order).units);
      }
    });

    test('every node is handed the bytes, also when the first takes them', async () => {
      const bytes = await stage.signed(both, await stage.orderOf());
      second.behave({});
      await both.broadcast(bytes.raw);
      expect(second.asked).toContain('eth_sendRawTransaction');
    });

    test('a node that falls silent after taking the bytes leaves it open, and the same bytes pay once', async () => {
      const order = await stage.orderOf();
      const hasty = stage.open({ timing: { timeoutMs: 300, coolDownMs: 1 } });
      const bytes = await stage.signed(hasty, order);
      let release = (): void => {};
      const silence = new Promise<void>((resolve) => {
        release = resolve;
      });
      first.behave({
        answer: async ({ method }) => {
          if (method === 'eth_sendRawTransaction') await silence;
          return undefined;
        },
      });
      await expect(hasty.broadcast(bytes.raw)).rejects.toThrow(ChainUnavailable);
      release();
      first.behave({});
      expect(await outcome(hasty, order, bytes)).toEqual({ kind: 'waiting', txid: bytes.txid });
      expect(await hasty.broadcast(bytes.raw)).toEqual(ACCEPTED);
      await stage.lab.mine(2);
      expect(await arrived(order)).toBe(paymentOf(order).units);
      expect(await one.nextNonce(stage.wallet)).toBe(order.nonce + 1n);
    });

    test('bytes that a node accepted falsely are unseen, and pay when they are broadcast again', async () => {
      const order = await stage.orderOf();
      const bytes = await stage.signed(one, order);
      first.behave({
        instead: ({ method }) => (method === 'eth_sendRawTransaction' ? bytes.txid : undefined),
      });
      expect(await one.broadcast(bytes.raw)).toEqual(ACCEPTED);
      await stage.lab.mine();
      expect(await outcome(one, order, bytes)).toEqual({ kind: 'unseen' });
      first.behave({});
      expect(await one.broadcast(bytes.raw)).toEqual(ACCEPTED);
      await stage.lab.mine();
      expect(await outcome(one, order, bytes)).toMatchObject({ kind: 'mined', effects: [true] });
    });

    test('a node that answers with the hash of another transaction is not believed', async () => {
      const bytes = await stage.signed(one, await stage.orderOf());
      first.behave({
        instead: ({ method }) => (method === 'eth_sendRawTransaction' ? `0x${'ab'.repeat(32)}` : undefined),
      });
      await expect(one.broadcast(bytes.raw)).rejects.toThrow(ChainUnavailable);
    });

    test('what a refusal means is asked of the chain, whatever its words', async () => {
      const order = await stage.orderOf();
      const bytes = await stage.signed(one, order);
      const rivalBytes = await stage.signed(one, changed(order, { to: stage.lab.freshAddress() }));
      const refusing = { refuse: ['eth_sendRawTransaction'] };
      first.behave(refusing);
      expect(await one.broadcast(bytes.raw)).toMatchObject({ kind: 'refused' });
      first.behave({});
      await one.broadcast(bytes.raw);
      first.behave(refusing);
      expect(await one.broadcast(bytes.raw)).toEqual(ACCEPTED);
      await stage.lab.mine();
      expect(await one.broadcast(bytes.raw)).toEqual(ACCEPTED);
      expect(await one.broadcast(rivalBytes.raw)).toEqual({ kind: 'nonce_used' });
    });
  });

  describe('outcomes', () => {
    /** A payment in a block that is final for the node of the stage. */
    async function settled(): Promise<{ order: SendingOrder; bytes: SignedBytes }> {
      const order = await stage.orderOf();
      const bytes = await stage.signed(one, order);
      await one.broadcast(bytes.raw);
      await stage.lab.mine(3);
      return { order, bytes };
    }

    test('A3: mined is final only when every node that answers has it so', async () => {
      const { order, bytes } = await settled();
      expect(await outcome(both, order, bytes)).toMatchObject({ kind: 'mined', final: true });
      second.behave({ drop: true });
      expect(await outcome(both, order, bytes)).toMatchObject({ kind: 'mined', final: true });
      for (const doubt of [
        { target: rival.url },
        { refuse: ['eth_getTransactionReceipt'] },
        // A log, a fee or a status of its own.
        {
          answer: ({ method }: { method: string }, result: unknown) =>
            method === 'eth_getTransactionReceipt' ? { ...(result as object), status: '0x0' } : undefined,
        },
      ]) {
        second.behave(doubt);
        expect(await outcome(both, order, bytes)).toMatchObject({ kind: 'mined', final: false });
      }
    });

    test('a receipt of a block that is not on the chain is no receipt', async () => {
      const { order, bytes } = await settled();
      first.behave({
        answer: ({ method }, result) =>
          method === 'eth_getTransactionReceipt'
            ? { ...(result as object), blockHash: `0x${'cd'.repeat(32)}`, logs: [] }
            : undefined,
      });
      await expect(outcome(one, order, bytes)).rejects.toThrow(ChainUnavailable);
    });

    test('a used nonce is not superseded while a node does not see it used, or cannot tell', async () => {
      const { order } = await settled();
      const lost = await stage.signed(one, changed(order, { to: stage.lab.freshAddress() }));
      expect(await outcome(both, order, lost)).toEqual({ kind: 'superseded' });
      for (const doubt of [{ target: rival.url }, { refuse: ['eth_getTransactionByHash'] }]) {
        second.behave(doubt);
        expect(await outcome(both, order, lost)).toEqual({ kind: 'waiting', txid: lost.txid });
      }
      second.behave({ drop: true });
      expect(await outcome(both, order, lost)).toEqual({ kind: 'superseded' });
    });

    test('a nonce is not superseded on the word of a node that has no state of the final block', async () => {
      const { order } = await settled();
      const lost = await stage.signed(one, changed(order, { to: stage.lab.freshAddress() }));
      first.behave({
        refuse: ({ method, params }) => method === 'eth_getTransactionCount' && namesHeight(params[1]),
      });
      expect(await outcome(one, order, lost)).toEqual({ kind: 'waiting', txid: lost.txid });
    });

    test('a machine that lags behind a common name cannot make a mined payment look superseded', async () => {
      const { order, bytes } = await settled();
      // The head and the nonce come from one machine; receipts, transactions and blocks by height
      // from another, older one.
      first.behave({
        answer: ({ method, params }) => {
          if (method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash') return null;
          return method === 'eth_getBlockByNumber' && namesHeight(params[0]) ? null : undefined;
        },
      });
      await expect(outcome(one, order, bytes)).rejects.toThrow(ChainUnavailable);
    });

    test('bytes of another nonce or wallet than asked about are a fault', async () => {
      const { order, bytes } = await settled();
      await expect(outcome(one, { ...order, nonce: order.nonce + 1n }, bytes)).rejects.toThrow('nonce');
      await expect(outcome(one, { ...order, wallet: paymentOf(order).to }, bytes)).rejects.toThrow('wallet');
    });

    test('bytes that say something else than the order do not fulfil it', async () => {
      const { order, bytes } = await settled();
      for (const other of [
        changed(order, { units: paymentOf(order).units + 1n }),
        changed(order, { to: stage.lab.freshAddress() }),
        { ...order, asset: 'usdc_ethereum' },
      ])
        expect(await outcome(one, other, bytes)).toMatchObject({ kind: 'mined', effects: [false] });
      expect(await outcome(one, order, bytes)).toMatchObject({ kind: 'mined', effects: [true] });
    });
  });

  test('A3: whether a block is on the chain is not known while nodes contradict each other', async () => {
    const { block } = await one.balances(stage.wallet, [NATIVE]);
    expect(await both.onChain(block)).toBe(true);
    second.behave({ target: rival.url });
    expect(await both.onChain(block)).toBeNull();
    first.behave({ target: rival.url });
    expect(await both.onChain(block)).toBe(false);
    expect(await both.onChain({ ...block, height: 1_000_000 })).toBeNull();
  });

  test('the next nonce is the highest that a node names', async () => {
    const { nonce } = await stage.orderOf();
    first.behave({ target: rival.url });
    expect(await both.nextNonce(stage.wallet)).toBe(nonce);
  });

  test('one node alone cannot have a payment given up as undone', async () => {
    const order = await stage.orderOf({ to: stage.contracts.usdc });
    await expect(both.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
    second.behave({ instead: ({ method }) => (method === 'eth_estimateGas' ? '0x5208' : undefined) });
    await expect(both.prepare(order, null)).rejects.toMatchObject({ because: 'unclear' });
  });

  test('balances of a block whose state a node lost come from one that has it, or not at all', async () => {
    const pruned = {
      refuse: ({ method, params }: { method: string; params: readonly unknown[] }) =>
        method === 'eth_getBalance' && typeof params[1] === 'object',
    };
    first.behave(pruned);
    const { units } = await both.balances(stage.wallet, [NATIVE], { height: 3 });
    expect(units.has(NATIVE)).toBe(true);
    second.behave(pruned);
    await expect(both.balances(stage.wallet, [NATIVE], { height: 3 })).rejects.toThrow(ChainUnavailable);
  });
});
