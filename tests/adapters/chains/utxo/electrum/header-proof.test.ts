/** What headers prove without their blocks: work, and that a transaction is in a block. */
import { describe, expect, test } from 'bun:test';
import { doubleSha256, hashText, merkleRoot } from '../../../../../src/adapters/chains/utxo/codec/hashes.ts';
import { isInBlock, provenHeader } from '../../../../../src/adapters/chains/utxo/codec/header-proof.ts';
import { decodeTransaction } from '../../../../../src/adapters/chains/utxo/codec/transaction.ts';
import type { ElectrumClient } from '../../../../../src/adapters/chains/utxo/electrum/client.ts';
import type { ElectrumHeaders } from '../../../../../src/adapters/chains/utxo/electrum/headers.ts';
import type { ElectrumHistories } from '../../../../../src/adapters/chains/utxo/electrum/histories.ts';
import { electrumTransactions } from '../../../../../src/adapters/chains/utxo/electrum/transactions.ts';
import { type UtxoNetwork, utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { unsignedTransaction } from '../../../../support/nodes/raw-transaction.ts';
import { unknownTxid } from '../../../../support/nodes/regtest.ts';

const bitcoin = utxoNetwork('bitcoin', 'main');
const litecoin = utxoNetwork('litecoin', 'main');
const first = (root: string, time: string): Buffer =>
  Buffer.from(`01000000${'00'.repeat(32)}${root}${time}`, 'hex');
/** Of the first blocks of the main networks. */
const GENESIS = first(
  '3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a',
  '29ab5f49ffff001d1dac2b7c',
);
const LITECOIN_GENESIS = first(
  'd9ced4ed1130f7b7faad9be25323ffafa33232a17c3edf6cfd97bee6bafbdd97',
  'b9aa8e4ef0ff0f1ecd513f7c',
);

describe('a header', () => {
  test('has the work that it names: SHA-256 twice, and scrypt on Litecoin', () => {
    expect(provenHeader(bitcoin, GENESIS, 0).hash).toBe(bitcoin.genesis[0]!);
    expect(provenHeader(litecoin, LITECOIN_GENESIS, 0).hash).toBe(litecoin.genesis[0]!);
  });

  test('with one bit changed has no work', () => {
    for (const [network, bytes] of [
      [bitcoin, GENESIS],
      [litecoin, LITECOIN_GENESIS],
    ] as const) {
      const changed = Buffer.from(bytes);
      changed[40]! ^= 1;
      expect(() => provenHeader(network, changed, 0)).toThrow('without its work');
    }
  });

  test('with the work of the first days is none of a main network, at no height since 2023', () => {
    for (const height of [770_000, 900_000])
      expect(() => provenHeader(bitcoin, GENESIS, height)).toThrow('too little work');
    expect(() => provenHeader(litecoin, LITECOIN_GENESIS, 2_400_000)).toThrow('too little work');
    const test = utxoNetwork('bitcoin', 'test');
    expect(provenHeader(test, GENESIS, 900_000).height).toBe(900_000);
  });
});

describe('a transaction', () => {
  const raw = Buffer.from(
    unsignedTransaction([{ txid: unknownTxid(), vout: 0 }], [{ script: new Uint8Array(22), units: 1n }]),
    'hex',
  );
  const transaction = decodeTransaction(bitcoin, raw);

  const entryAt = (height: number) => ({ txid: transaction.txid(), height });
  /** Of a server that shows it alone in every block, and finds it in the one at `found`. */
  function transactionsOf(network: UtxoNetwork, found: number) {
    const told = {
      transactions: async (txids: readonly string[]) => txids.map(() => raw),
      branches: async (entries: readonly unknown[]) => entries.map(() => ({ position: 0, hashes: [] })),
    };
    const headerAt = (height: number) => ({
      ...{ height, hash: `${height}`.padStart(64, '0'), parentHash: 'cd'.repeat(32), time: 1 },
      merkleRoot: transaction.hash(),
    });
    return electrumTransactions(network, { label: 'node 1', ...told } as unknown as ElectrumClient, {
      headers: { at: async (height: number) => headerAt(height) } as unknown as ElectrumHeaders,
      histories: {
        find: async () => entryAt(found),
        doubt: () => undefined,
      } as unknown as ElectrumHistories,
    });
  }
  const placeOn = (network: UtxoNetwork, height: number) =>
    transactionsOf(network, height).place(transaction.txid());

  test('is in no block of a main network from before 2023, which anybody could make today', async () => {
    await expect(placeOn(bitcoin, 300_000)).rejects.toThrow('before 2023');
    expect(await placeOn(bitcoin, 900_000)).toMatchObject({ state: 'mined', height: 900_000 });
    expect(await placeOn(utxoNetwork('bitcoin', 'test'), 300_000)).toMatchObject({ state: 'mined' });
  });

  test('has its position also when as many are proven beside it as are kept', async () => {
    const transactions = transactionsOf(bitcoin, 800_000);
    await transactions.proven([entryAt(800_000)]);
    const others = Array.from({ length: 20_000 }, (_, each) => entryAt(800_001 + each));
    const [again] = await transactions.proven([entryAt(800_000), ...others]);
    expect(again?.position).toBe(0);
  });
});

describe('a Merkle branch', () => {
  const hashes = Array.from({ length: 5 }, () => Buffer.from(unknownTxid(), 'hex'));
  const merkle = merkleRoot(hashes);
  const pair = (left: Uint8Array, right: Uint8Array) => doubleSha256(left, right);
  const beside = [
    hashes[3]!,
    pair(hashes[0]!, hashes[1]!),
    pair(pair(hashes[4]!, hashes[4]!), pair(hashes[4]!, hashes[4]!)),
  ].map(hashText);

  test('leads from its transaction to the root, and from no other place or transaction', () => {
    const holds = (hash: Uint8Array, position: number, branch = beside) =>
      isInBlock(bitcoin, { hash, branch: { position, hashes: branch }, merkleRoot: merkle });
    expect(holds(hashes[2]!, 2)).toBe(true);
    expect(holds(hashes[2]!, 3)).toBe(false);
    expect(holds(hashes[2]!, 10)).toBe(false);
    expect(holds(hashes[1]!, 2)).toBe(false);
    expect(holds(hashes[2]!, 2, beside.slice(0, 2))).toBe(false);
  });

  test('does not lead through a transaction of 64 bytes, half of which was chosen to be the hash of another', () => {
    const raw = Buffer.from(
      unsignedTransaction([{ txid: unknownTxid(), vout: 0 }], [{ script: new Uint8Array(4), units: 1n }]),
      'hex',
    );
    expect(raw.length).toBe(64);
    const [left, right] = [raw.subarray(0, 32), raw.subarray(32)];
    const root = merkleRoot([hashes[0]!, decodeTransaction(bitcoin, raw).hash()]);
    const branch = { position: 3, hashes: [hashText(left), hashText(hashes[0]!)] };
    expect(isInBlock(bitcoin, { hash: right, branch, merkleRoot: root })).toBe(false);
  });
});
