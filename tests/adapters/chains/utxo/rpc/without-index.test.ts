/**
 * What a node without an index of transactions tells about the past: where a transaction of ours
 * is, and who spent a coin.
 */
import { describe, expect, test } from 'bun:test';
import { storedTransaction } from '../../../../../src/adapters/chains/utxo/codec/stored.ts';
import { decodeTransaction } from '../../../../../src/adapters/chains/utxo/codec/transaction.ts';
import { utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { rpcBackend } from '../../../../../src/adapters/chains/utxo/rpc/backend.ts';
import { outcomeOf } from '../../../../../src/adapters/chains/utxo/send/outcome.ts';
import { prepare } from '../../../../../src/adapters/chains/utxo/send/prepare.ts';
import { unsignedTransaction } from '../../../../support/nodes/raw-transaction.ts';
import { unknownTxid } from '../../../../support/nodes/regtest.ts';
import { type NodeWithoutIndex, nodeWithoutIndex } from '../../../../support/utxo/node-without-index.ts';
import { coinsOf, ofRate, orderOf, stubSending } from '../../../../support/utxo/utxo-stub.ts';

const budget = { isMetered: false };

test('a tip with the header of another block is not believed, and one that was read is not asked for again', async () => {
  const node = nodeWithoutIndex();
  node.mine(5);
  const asked: string[] = [];
  let lies = true;
  const call: NodeWithoutIndex['call'] = async (method, ...params) => {
    asked.push(method);
    const lying = lies && method === 'getblockheader' && params[1] === false;
    return lying ? '00'.repeat(80) : node.call(method, ...params);
  };
  const { tip } = rpcBackend({ network: utxoNetwork('bitcoin', 'main'), node: { ...node, call }, budget });
  await expect(tip()).rejects.toThrow('another header than asked');
  lies = false;
  const first = await tip();
  asked.splice(0);
  expect(await tip()).toEqual(first);
  expect(asked).toEqual(['getbestblockhash']);
  node.mine(1);
  expect(await tip()).toMatchObject({ height: first.height + 1, parentHash: first.hash });
});

describe('a node without an index of transactions', () => {
  for (const below of [100, 200])
    test(`knows a payout that was mined ${below} blocks ago, when its first recipients have spent what they got`, async () => {
      const pricing = await stubSending('litecoin', [ofRate(2_000n)]);
      const order = orderOf(pricing, coinsOf(9_000_000n), ...Array.from({ length: 6 }, () => 500_000n));
      const { payload: raw } = await prepare(pricing, order, null);
      const { txid, outputs } = storedTransaction(pricing.network, raw);
      // The worker was away for some hours. The change, which is ours, is still there.
      const minedAt = 400 - below;
      const node = nodeWithoutIndex({
        unspent: (id, vout) =>
          id === txid && vout >= 4 && vout < outputs.length ? { value: '0.005', height: minedAt } : null,
      });
      node.mine(minedAt);
      node.mine(below + 1, [raw]);
      const sending = await stubSending('litecoin', [rpcBackend({ network: pricing.network, node, budget })]);
      const { wallet, nonce, inputs } = order;
      const transactions = [{ raw, txid, voids: false }];
      const outcome = await outcomeOf(sending, { wallet, nonce, inputs, order, transactions });
      expect(outcome).toMatchObject({ kind: 'mined', txid, final: true });
    });
});

describe('who spent a coin, at a node without an index', () => {
  const network = utxoNetwork('bitcoin', 'main');
  const spending = (txid: string, vout: number) =>
    unsignedTransaction([{ txid, vout }], [{ script: Uint8Array.of(0x51), units: 7n }]);
  const idOf = (raw: string) => decodeTransaction(network, Buffer.from(raw, 'hex')).txid();
  const asked = (node: NodeWithoutIndex, ...txids: readonly string[]) => {
    const { spender } = rpcBackend({ network, node, budget });
    return async () => {
      const found = await spender(txids.map((txid) => ({ txid, vout: 0 })));
      return { found, read: node.blocksRead() };
    };
  };

  test('is found however long ago, some blocks in each call and each block once', async () => {
    const maker = spending(unknownTxid(), 3);
    const theft = spending(idOf(maker), 0);
    const node = nodeWithoutIndex();
    node.mine(20, [maker]);
    const height = node.mine(301, [theft]);
    const ask = asked(node, idOf(maker));
    expect(await ask()).toEqual({ found: null, read: 144 });
    expect(await ask()).toEqual({ found: null, read: 144 });
    const { found, read } = await ask();
    expect(read).toBe(13);
    expect(found).toMatchObject({ txid: idOf(theft), block: { height } });
    // Nodes are asked until all of them have found it.
    node.mine(1);
    expect(await ask()).toEqual({ found, read: 2 });
  });

  test('is looked for down to the blocks that made the coins, and then in new blocks only', async () => {
    const makers = [spending(unknownTxid(), 0), spending(unknownTxid(), 0)];
    const node = nodeWithoutIndex();
    node.mine(200);
    node.mine(20, makers.slice(0, 1));
    node.mine(100, makers.slice(1));
    const ask = asked(node, ...makers.map(idOf));
    expect(await ask()).toEqual({ found: null, read: 120 });
    expect(await ask()).toEqual({ found: null, read: 0 });
    node.mine(2);
    expect(await ask()).toEqual({ found: null, read: 2 });
    const theft = spending(idOf(makers[0]!), 0);
    const height = node.mine(1, [theft]);
    expect((await ask()).found).toMatchObject({ txid: idOf(theft), block: { height } });
  });

  test('is found on the new branch after a reorganisation of blocks that were read', async () => {
    const maker = spending(unknownTxid(), 0);
    const theft = spending(idOf(maker), 0);
    const node = nodeWithoutIndex();
    node.mine(10);
    node.mine(100, [maker]);
    const ask = asked(node, idOf(maker));
    expect((await ask()).found).toBeNull();
    node.pop(50);
    const height = node.mine(60, [theft]);
    expect((await ask()).found).toMatchObject({ txid: idOf(theft), block: { height } });
    node.pop(60);
    node.mine(61);
    expect((await ask()).found).toBeNull();
  });

  test('is not looked for without end, when no block made the coin', async () => {
    const node = nodeWithoutIndex();
    node.mine(4_500);
    const ask = asked(node, unknownTxid());
    let read = 0;
    for (let call = 0; call < 32; call += 1) read += (await ask()).read;
    expect(read).toBe(4_320);
  });
});
