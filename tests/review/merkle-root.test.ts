/** Review of stage 3: a block whose header is right and whose transactions are not the ones that it commits to. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type RegtestNode, unknownTxid } from '../support/nodes/regtest.ts';
import { unsignedTransaction } from '../support/nodes/raw-transaction.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { BITCOIN, LITECOIN, BITCOIN_CASH } from '../support/utxo-nodes.ts';
import { scannerOn } from '../support/utxo-sources.ts';
import { watching } from '../support/watch-list.ts';

for (const chain of [BITCOIN, LITECOIN, BITCOIN_CASH])
  describe.skipIf(!chain.there())(`a lying source of ${chain.family}`, () => {
    let node: RegtestNode;
    let liar: RpcProxy;
    let honest: RpcProxy;
    beforeAll(async () => {
      node = await chain.start();
      liar = await startRpcProxy(node.url);
      honest = await startRpcProxy(node.url);
    });
    afterAll(async () => {
      await liar.stop();
      await honest.stop();
      await node.stop();
    });

    test('cannot invent a payment in a block that the other nodes agree on (A3): the transactions are held against the merkle root', async () => {
      await node.mineOnly([]);
      const height = await node.height();
      const to = node.freshAddress();
      const invented = unsignedTransaction(
        [{ txid: unknownTxid(), vout: 0 }],
        [{ script: node.scriptOf(to), units: 1_000_000_000n }],
      );
      liar.behave({
        answer: ({ method }, result) => {
          if (method !== 'getblock' || typeof result !== 'string') return undefined;
          // 80 bytes of header, the count of transactions (one), the coinbase, and what the block does not have.
          expect(result.slice(160, 162)).toBe('01');
          return `${result.slice(0, 160)}02${result.slice(162)}${invented}`;
        },
      });
      honest.behave({});
      const scanner = scannerOn(node, { rpc: [liar.url, honest.url] });
      const [block] = await scanner.blocks({ from: height, to: height }, watching([to]));
      // Every source agrees on the block, so the payment would be credited.
      expect(await scanner.agreeOn(block!)).toBe(true);
      expect(block!.transfers).toEqual([]);
      await scanner.close();
    });
  });
