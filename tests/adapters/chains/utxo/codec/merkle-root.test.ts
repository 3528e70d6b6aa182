/**
 * A block's transactions are the ones that its header commits to, and no others: nodes agree on
 * hashes only (safety.md A3).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MalformedBytes } from '../../../../../src/adapters/chains/utxo/codec/byte-reader.ts';
import { doubleSha256, merkleRoot } from '../../../../../src/adapters/chains/utxo/codec/hashes.ts';
import { decodeBlock } from '../../../../../src/adapters/chains/utxo/codec/raw-block.ts';
import { utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { unsignedTransaction } from '../../../../support/nodes/raw-transaction.ts';
import { type RegtestNode, unknownTxid } from '../../../../support/nodes/regtest.ts';
import { UTXO_CHAINS } from '../../../../support/utxo/utxo-nodes.ts';
import { scannerOn } from '../../../../support/utxo/utxo-sources.ts';

// All three decode blocks alike, and the scanner's suite reads real ones of each.
for (const chain of UTXO_CHAINS.slice(0, 1))
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
          // 80 bytes of header, the count of transactions (one), the coinbase, and what the block
          // does not have.
          expect(result.slice(160, 162)).toBe('01');
          return `${result.slice(0, 160)}02${result.slice(162)}${invented}`;
        },
      });
      honest.behave({});
      const scanner = scannerOn(node, { rpc: [liar.url, honest.url] });
      const [block] = await scanner.blocks({ from: height, to: height }, watching([to]));
      await node.mineOnly([]);
      // Every source agrees on the block, so the payment would be credited.
      expect(await scanner.confirmWithNodes(block!, [])).toMatchObject({ kind: 'agreed' });
      expect(block!.transfers).toEqual([]);
      await scanner.close();
    });
  });

describe('a block', () => {
  const network = utxoNetwork('bitcoin', 'main');
  const transactions = Array.from({ length: 6 }, (_, units) =>
    Buffer.from(
      unsignedTransaction(
        [{ txid: unknownTxid(), vout: 0 }],
        [{ script: Uint8Array.of(0x51), units: BigInt(units) }],
      ),
      'hex',
    ),
  );
  const [first, second, ...rest] = transactions as [Buffer, Buffer, ...Buffer[]];
  const header = Buffer.alloc(80);
  header.set(merkleRoot(transactions.map((raw) => doubleSha256(raw))), 36);
  const unitsIn = (raws: readonly Buffer[]) =>
    decodeBlock(network, Buffer.concat([header, Buffer.of(raws.length), ...raws])).transactions.map(
      ({ outputs }) => outputs[0]!.units,
    );

  test('has the transactions that its header commits to', () => {
    expect(unitsIn(transactions)).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
  });

  test.each([
    ['without one of them', [first, ...rest]],
    ['with one more', [...transactions, Buffer.from(first)]],
    ['with two of them exchanged', [second, first, ...rest]],
    [
      'with the last two repeated, which leaves the Merkle root as it is',
      [...transactions, ...rest.slice(-2)],
    ],
  ])('%s is malformed', (_, raws) => {
    expect(() => unitsIn(raws)).toThrow(MalformedBytes);
  });
});
