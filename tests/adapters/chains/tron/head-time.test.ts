/**
 * What one Tron node says about the time of its newest block must not keep a payment open for ever.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import type { ChainSender, SendingOrder } from '../../../../src/ports/sending/chain-sender.ts';
import { openTronStage, SOLID_BEHIND, type TronStage } from '../../../support/tron/sending.ts';
import type { TronTestNode } from '../../../support/tron/server.ts';

const YEAR_MS = 365 * 86_400_000;
let stage: TronStage;
beforeAll(async () => {
  stage = await openTronStage();
});
afterAll(() => stage.stop());

test('a payment that was prepared on one node with a newest block of next year can be signed again within a day', async () => {
  const [first, second] = [stage.lab.server.node, stage.lab.server.anotherNode()];
  const sender = stage.open({ rpc: [first.url, second.url] });
  first.behave({
    answer: (path, question, given) => {
      if (path !== '/wallet/getblock' || question.id_or_num !== undefined) return undefined;
      const block = structuredClone(given) as { block_header: { raw_data: { timestamp: number } } };
      block.block_header.raw_data.timestamp += YEAR_MS;
      return block;
    },
  });
  const order = stage.orderOf();
  const signed = await stage.signed(sender, order);
  first.behave({});
  const broadcast = await sender.broadcast(signed.raw);
  stage.lab.server.chain.pass(86_400_000);
  await stage.lab.mine(SOLID_BEHIND + 2);
  const asked = { wallet: order.wallet, nonce: order.nonce, order, inputs: [] };
  const outcome = await sender.outcome({ ...asked, transactions: [signed] });
  // Either a node took it and it is mined, or it is dead and is signed anew.
  expect({ broadcast: broadcast.kind, outcome: outcome.kind }).not.toEqual({
    broadcast: 'refused',
    outcome: 'unseen',
  });
});

describe('a transaction that nobody took', () => {
  let node: TronTestNode;
  let sender: ChainSender;
  let order: SendingOrder;
  let dead: Awaited<ReturnType<TronStage['signed']>>;
  beforeEach(async () => {
    node = stage.lab.server.node;
    sender = stage.open({ rpc: [node.url] });
    order = stage.orderOf();
    dead = await stage.signed(sender, order);
    await stage.pass(dead.validUntil!);
    await stage.lab.mine(SOLID_BEHIND);
  });
  afterEach(() => node.behave({}));
  const outcome = () =>
    sender.outcome({
      wallet: order.wallet,
      nonce: order.nonce,
      order,
      inputs: [],
      transactions: [dead],
    });

  for (const part of ['wallet', 'walletsolidity'])
    test(`is not dead by the word of machines behind one address of which some lag in ${part}`, async () => {
      const old = Number(dead.validUntil) - 60_000;
      let heads = 0;
      node.behave({
        answer: (path, question, given) => {
          if (path !== `/${part}/getblock` || question.id_or_num !== undefined) return undefined;
          heads += 1;
          // Every other question goes to a machine that has stood still for a while.
          if (heads % 2 === 1) return undefined;
          const block = structuredClone(given) as { block_header: { raw_data: { timestamp: number } } };
          block.block_header.raw_data.timestamp = old;
          return block;
        },
      });
      await expect(outcome()).rejects.toThrow(ChainUnavailable);
      expect(heads).toBe(2);
      node.behave({});
      expect(await outcome()).toEqual({ kind: 'expired' });
    });

  test('is not dead while the solidified part knows it', async () => {
    const info = { id: dead.txid, blockNumber: 1, blockTimeStamp: 1 };
    node.behave({
      answer: (path) => (path === '/walletsolidity/gettransactioninfobyid' ? info : undefined),
    });
    expect(await outcome()).toEqual({ kind: 'unseen' });
  });
});
