/**
 * Decoded blocks and transactions equal what the node says of them, for whatever outputs; damaged
 * bytes are refused.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MalformedBytes } from '../../../../../src/adapters/chains/utxo/codec/byte-reader.ts';
import { scriptBehindTokens } from '../../../../../src/adapters/chains/utxo/codec/cash-tokens.ts';
import { decodeBlock } from '../../../../../src/adapters/chains/utxo/codec/raw-block.ts';
import { decodeTransaction } from '../../../../../src/adapters/chains/utxo/codec/transaction.ts';
import { utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { type MwebNode, startMwebNode } from '../../../../support/nodes/mweb.ts';
import type { RegtestNode } from '../../../../support/nodes/regtest.ts';
import { blockDetails, unitsOfValue } from '../../../../support/utxo/utxo-block-details.ts';
import { LITECOIN, UTXO_CHAINS } from '../../../../support/utxo/utxo-nodes.ts';

const NO_INPUT = '0'.repeat(64);

/** Holds the block with this hash against the node's own words, output by output. */
async function expectSame(node: RegtestNode, hash: string): Promise<void> {
  const raw = Buffer.from(await node.rpc<string>('getblock', hash, false), 'hex');
  const [decoded, said] = [decodeBlock(node.network, raw), await blockDetails(node, hash)];
  expect(decoded).toMatchObject({ hash, parentHash: said.previousblockhash, time: said.time });
  expect(decoded.transactions.map((transaction) => transaction.txid())).toEqual(
    said.tx.map(({ txid }) => txid),
  );
  for (const [at, { vin, vout }] of said.tx.entries()) {
    const transaction = decoded.transactions[at]!;
    expect(transaction.inputs()).toEqual(
      vin.map((input) => ({ txid: input.txid ?? NO_INPUT, vout: input.vout ?? 0xffff_ffff })),
    );
    expect(transaction.outputs.map(({ units }) => units)).toEqual(
      vout.map(({ value }) => unitsOfValue(value!)),
    );
    expect(transaction.outputs.map(({ script }) => Buffer.from(script).toString('hex'))).toEqual(
      vout.map(({ scriptPubKey }) => scriptPubKey!.hex),
    );
  }
}

const outputs = fc.array(
  fc.record({
    units: fc.bigInt(0n, 1_000_000n),
    to: fc.uint8Array({ minLength: 0, maxLength: 300 }).filter((script) => script[0] !== 0xef),
  }),
  { minLength: 1, maxLength: 300 },
);

for (const chain of UTXO_CHAINS)
  describe.skipIf(!chain.there())(`blocks of ${chain.family}`, () => {
    let node: RegtestNode;
    beforeAll(async () => {
      node = await chain.start();
    });
    afterAll(() => node.stop());

    test('with any number of outputs of any script are decoded as the node decodes them', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(outputs, { maxLength: 3 }), async (transactions) => {
          const raws: string[] = [];
          const used = new Set<string>();
          for (const payments of transactions) {
            const { raw, utxos } = await node.sign(payments);
            const [coin] = utxos;
            if (used.has(coin!.txid)) continue;
            used.add(coin!.txid);
            raws.push(raw);
          }
          await expectSame(node, await node.mineOnly(raws));
        }),
        { numRuns: 15 },
      );
    });

    test('that stop short, or have something behind them, are malformed', async () => {
      const { raw } = await node.pay([{ to: node.freshAddress(), units: 70_000n }]);
      const bytes = Buffer.from(raw, 'hex');
      for (let length = 0; length < bytes.length; length++)
        expect(() => decodeTransaction(node.network, bytes.subarray(0, length))).toThrow(MalformedBytes);
      expect(() => decodeTransaction(node.network, Buffer.concat([bytes, Buffer.of(0)]))).toThrow(
        MalformedBytes,
      );
      const [hash] = await node.mine();
      const block = Buffer.from(await node.rpc<string>('getblock', hash, false), 'hex');
      for (let length = 0; length < block.length; length++)
        expect(() => decodeBlock(node.network, block.subarray(0, length))).toThrow(MalformedBytes);
      expect(() => decodeBlock(node.network, Buffer.concat([block, Buffer.of(0)]))).toThrow(MalformedBytes);
    });
  });

describe.skipIf(!LITECOIN.there())('blocks of litecoin with an extension block', () => {
  let node: MwebNode;
  beforeAll(async () => {
    node = await startMwebNode();
  });
  afterAll(() => node.stop());

  test('are decoded as the node decodes them, and the last transaction is the HogEx', async () => {
    const to = node.freshAddress();
    await node.pegOut({ to, units: 150_000_000n });
    await node.rpc('sendtoaddress', await node.rpc<string>('getnewaddress', '', 'mweb'), 3);
    for (const txid of await node.rpc<string[]>('getrawmempool')) {
      const raw = Buffer.from(await node.rpc<string>('getrawtransaction', txid), 'hex');
      const waiting = decodeTransaction(node.network, raw);
      expect(waiting.hogEx).toBe(false);
      if (waiting.inputs().length > 0) expect(waiting.txid()).toBe(txid);
    }
    const [hash] = await node.mine();
    const raw = Buffer.from(await node.rpc<string>('getblock', hash, false), 'hex');
    const { transactions } = decodeBlock(node.network, raw);
    const said = await blockDetails(node, hash!);
    expect(transactions.map((transaction) => transaction.txid())).toEqual(said.tx.map(({ txid }) => txid));
    expect(transactions.map(({ hogEx }) => hogEx)).toEqual(said.tx.map((_, at) => at === said.tx.length - 1));
    const paid = transactions
      .at(-1)!
      .outputs.filter(({ script }) => Buffer.from(node.scriptOf(to)).equals(script));
    expect(paid.map(({ units }) => units)).toEqual([150_000_000n]);
  });
});

describe('damaged bytes', () => {
  test('are malformed or another transaction, never another error', () => {
    for (const family of ['bitcoin', 'litecoin', 'bitcoincash'] as const)
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
          for (const decode of [decodeTransaction, decodeBlock]) {
            try {
              decode(utxoNetwork(family, 'main'), bytes);
            } catch (error) {
              expect(error).toBeInstanceOf(MalformedBytes);
            }
          }
        }),
        { numRuns: 500 },
      );
  });
});

describe('the prefix of tokens (U8)', () => {
  const category = new Uint8Array(32).fill(9);
  const script = Uint8Array.of(0x76, 0xa9, 0x14);
  const behind = (...prefix: readonly number[]) =>
    scriptBehindTokens(Uint8Array.of(0xef, ...category, ...prefix, ...script));

  test.each([
    ['an amount', [0x10, 1]],
    ['an amount beyond 2^32', [0x10, 0xff, 0, 0, 0, 0, 1, 0, 0, 0]],
    ['an immutable token', [0x20]],
    ['a minting token with an amount', [0x32, 0xfd, 0, 1]],
    ['a token with a commitment', [0x61, 2, 0xaa, 0xbb]],
  ])('with %s leaves the script behind it', (_, prefix) => {
    expect(behind(...prefix)).toEqual(script);
  });

  test.each([
    ['nothing', [0x00]],
    ['the reserved bit', [0x90, 1]],
    ['an unknown capability', [0x23]],
    ['a commitment without a token', [0x50, 1, 0xaa, 1]],
    ['a capability without a token', [0x11, 1]],
    ['an empty commitment', [0x60, 0]],
    ['an amount of none', [0x10, 0]],
    ['a commitment that ends early', [0x60, 200]],
  ])('with %s is none', (_, prefix) => {
    expect(behind(...prefix)).toBeNull();
  });

  test('is not seen where there is none', () => {
    expect(scriptBehindTokens(script)).toBeNull();
    expect(scriptBehindTokens(Uint8Array.of(0xef, 1))).toBeNull();
  });
});
