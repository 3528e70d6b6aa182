/**
 * What several TON nodes see of a request: dead or used only when all that answer agree, and never
 * on the word of one that lags or lies.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { beginCell, Cell, loadMessage, storeMessage } from '@ton/core';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type {
  ChainSender,
  SendingOrder,
  SentTransaction,
} from '../../../../../src/ports/sending/chain-sender.ts';
import { NATIVE, type TonLab, USDT } from '../../../../support/ton/ton-lab.ts';
import { fundHotWallet, openSendingLab, type SendingLab } from '../../../../support/ton/ton-sending.ts';
import { startToncenterServer, type ToncenterServer } from '../../../../support/ton/toncenter-server.ts';
import { sendingOrder } from '../../../../support/utxo/lone-orders.ts';

let on: SendingLab;
let lab: TonLab;
let other: ToncenterServer;
let sender: ChainSender;
beforeAll(async () => {
  on = await openSendingLab();
  lab = on.lab;
  await fundHotWallet(on);
  other = await startToncenterServer(lab.chain);
  sender = on.sender({ rpc: [lab.server.url, other.url].map((url) => ({ url, apiKey: 'a-key-of-ours' })) });
});
beforeEach(() => {
  lab.server.behave({});
  other.behave({});
});
afterAll(async () => {
  await sender.close();
  await other.stop();
  await lab.close();
});

async function signed(
  asset = NATIVE,
): Promise<{ order: SendingOrder; transaction: SentTransaction & { raw: string } }> {
  const nonce = await sender.nextNonce(lab.hotWallet);
  const order = sendingOrder({
    ...{ wallet: lab.hotWallet, nonce, asset, voids: false },
    ...{ to: lab.strangersAddress(Number(nonce)), units: 10_000n },
  });
  const unsigned = await sender.prepare(order, null);
  return { order, transaction: { ...(await on.sign(order, unsigned)), ...unsigned, voids: false } };
}
const outcomeOf = ({ order, transaction }: Awaited<ReturnType<typeof signed>>) =>
  sender.outcome({
    ...{ wallet: order.wallet, nonce: order.nonce, order, inputs: [] },
    transactions: [transaction],
  });

interface Info {
  readonly last: { readonly seqno: number };
}

/** As a node that is `blocks` behind. */
const lagging = (blocks: number) => ({
  answer: (method: string, _: unknown, result: unknown) => {
    if (method !== 'getMasterchainInfo') return undefined;
    const info = result as Info;
    return { ...info, last: { ...info.last, seqno: info.last.seqno - blocks } };
  },
});

describe('a request', () => {
  test('has expired only when all nodes that answer say so, a minute after its end', async () => {
    const request = await signed();
    const validUntil = Number(request.transaction.validUntil);
    lab.chain.wait(validUntil - lab.chain.tip.time);
    await lab.mine(1);
    expect(await outcomeOf(request)).toEqual({ kind: 'unseen' });
    lab.chain.wait(60);
    await lab.mine(1);
    other.behave(lagging(1));
    expect(await outcomeOf(request)).toEqual({ kind: 'unseen' });
    other.behave({ drop: true });
    expect(await outcomeOf(request)).toEqual({ kind: 'expired' });
    other.behave({});
    expect(await outcomeOf(request)).toEqual({ kind: 'expired' });
  });

  test('is mined, but not finally, as long as a node does not see it', async () => {
    const request = await signed();
    await sender.broadcast(request.transaction.raw);
    await lab.mine(1);
    other.behave(lagging(1));
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', final: false });
    other.behave({});
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', final: true });
  });

  test('of jettons is final only when each node shows itself where they arrived', async () => {
    const request = await signed(USDT);
    await sender.broadcast(request.transaction.raw);
    await lab.mine(1);
    await lab.chain.settle();
    other.behave({ refuse: (method) => method === 'tryLocateResultTx' });
    for (const look of [1, 2, 3])
      expect({ look, ...(await outcomeOf(request)) }).toMatchObject({ look, kind: 'mined', final: false });
    other.behave({});
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', effects: [true], final: true });
  });

  test('is not superseded on the word of a node that keeps its transaction to itself', async () => {
    const request = await signed();
    await sender.broadcast(request.transaction.raw);
    await lab.mine(1);
    const hiding = (kept: (transactions: readonly unknown[]) => readonly unknown[]) => ({
      answer: (method: string, _: unknown, result: unknown) =>
        method === 'getTransactions' ? kept(result as readonly unknown[]) : undefined,
    });
    // The first is missing, all are missing, one in between is missing: none of it is believed.
    for (const kept of [
      (all: readonly unknown[]) => all.slice(1),
      () => [],
      (all: readonly unknown[]) => all.filter((_, index) => index !== 1),
    ]) {
      lab.server.behave(hiding(kept));
      other.behave(hiding(kept));
      const outcome = outcomeOf(request).catch((error: unknown) => error);
      const found = await outcome;
      if (found instanceof Error) expect(found).toBeInstanceOf(ChainUnavailable);
      else expect(found).toMatchObject({ kind: 'mined' });
    }
    lab.server.behave({});
    other.behave({});
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', final: true });
  });

  test('that somebody handed out in another envelope is ours all the same', async () => {
    const request = await signed();
    const message = loadMessage(Cell.fromHex(request.transaction.raw).beginParse());
    if (message.info.type !== 'external-in') throw new Error('another kind of message');
    const envelope = { ...message, info: { ...message.info, importFee: 1n } };
    const cell = beginCell().store(storeMessage(envelope)).endCell();
    expect(cell.hash().toString('hex')).not.toBe(request.transaction.txid);
    await lab.chain.takeExternal(cell);
    await lab.mine(1);
    expect(await outcomeOf(request)).toMatchObject({
      ...{ kind: 'mined', txid: request.transaction.txid },
      ...{ effects: [true], final: true },
    });
    expect(await sender.broadcast(request.transaction.raw)).toEqual({ kind: 'accepted' });
  });

  test('is handed to every node, with the key that the operator has there', async () => {
    const request = await signed();
    lab.server.behave({});
    other.behave({});
    expect(await sender.broadcast(request.transaction.raw)).toEqual({ kind: 'accepted' });
    for (const server of [lab.server, other]) {
      expect(server.asked).toEqual(['sendBoc']);
      expect(server.apiKeys).toEqual(['a-key-of-ours']);
    }
    await lab.mine(1);
  });

  test('is refused, and stays valid, where its seqno is not reached yet', async () => {
    const first = await signed();
    const second = { ...first.order, nonce: first.order.nonce + 1n };
    const { raw } = await on.sign(second, await sender.prepare(second, null));
    expect(await sender.broadcast(raw)).toMatchObject({ kind: 'refused' });
    await sender.broadcast(first.transaction.raw);
    await lab.mine(1);
    expect(await sender.broadcast(raw)).toEqual({ kind: 'accepted' });
    await lab.mine(1);
  });
});

describe('a node', () => {
  /** Refuses to tell of transactions and blocks, as one does that has not kept them. */
  const forgetful = {
    refuse: (method: string) =>
      ['getTransactions', 'getBlockTransactions', 'tryLocateResultTx'].includes(method),
  };

  test('that has not kept what is old keeps nobody from knowing the end; one that refuses what is young does', async () => {
    const request = await signed();
    await sender.broadcast(request.transaction.raw);
    await lab.mine(1);
    other.behave(forgetful);
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', final: false });
    lab.chain.wait(86_400);
    await lab.mine(1);
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', final: true });
    lab.server.behave(forgetful);
    await expect(outcomeOf(request)).rejects.toThrow(ChainUnavailable);
  });

  test('whose time is not ours is not what the end of a request is reckoned from', async () => {
    const { time } = lab.chain.tip;
    const told = (at: number) => ({
      answer: (method: string, _: unknown, result: unknown) =>
        method === 'getBlockHeader' ? { ...(result as object), gen_utime: at } : undefined,
    });
    const endOf = async () => (await signed()).transaction.validUntil;
    for (const apart of [365 * 86_400, -3_600]) {
      lab.server.behave(told(time + apart));
      other.behave({});
      expect(await endOf()).toBe(BigInt(time + 180));
      other.behave(told(time + apart));
      await expect(endOf()).rejects.toThrow(ChainUnavailable);
    }
    lab.server.behave(told(time + 100));
    expect(await endOf()).toBe(BigInt(time + 280));
  });
});

describe('the next seqno', () => {
  test('is the highest that any node tells, and that of a block is told by the block', async () => {
    const { block } = await sender.balances(lab.hotWallet, [NATIVE]);
    const before = await sender.nextNonce(lab.hotWallet);
    const request = await signed();
    await sender.broadcast(request.transaction.raw);
    await lab.mine(1);
    lab.server.behave(lagging(1));
    expect(await sender.nextNonce(lab.hotWallet)).toBe(before + 1n);
    expect(await sender.nextNonce(lab.hotWallet, block)).toBe(before);
  });

  test('a node of another network is never used', async () => {
    const wrong = on.sender({ network: { name: 'test', globalId: -3 } });
    await expect(wrong.nextNonce(lab.hotWallet)).rejects.toThrow(ChainUnavailable);
    await wrong.close();
  });
});
