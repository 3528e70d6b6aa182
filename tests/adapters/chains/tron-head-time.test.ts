/** What one Tron node says about the time of its newest block must not keep a payment open for ever. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTronStage, SOLID_BEHIND, type TronStage } from '../../support/tron/sending.ts';

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
  const asked = { wallet: order.wallet, sequence: order.sequence, order, inputs: [] };
  const outcome = await sender.outcome({ ...asked, transactions: [signed] });
  // Either a node took it and it is mined, or it is dead and is signed anew.
  expect({ broadcast: broadcast.kind, outcome: outcome.kind }).not.toEqual({
    broadcast: 'refused',
    outcome: 'unseen',
  });
});
