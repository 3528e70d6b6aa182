/**
 * The transactions that a Tron node lists of a block, held against the block's header: by a block
 * that was recorded (safety.md R9).
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { addressText } from '../../../../../src/adapters/chains/tron/address.ts';
import { bytesField, numberField } from '../../../../../src/adapters/chains/tron/codec/protobuf.ts';
import { transactionRoot } from '../../../../../src/adapters/chains/tron/codec/transaction-root.ts';
import { tronScanner } from '../../../../../src/adapters/chains/tron/read/scanner.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { type LogLine, memoryLogger } from '../../../../support/runtime/memory-logger.ts';
import { BLOCK_OF_2021 } from '../../../../support/tron/recorded.ts';

const { transactions, block_header, blockID } = BLOCK_OF_2021;
const { number, txTrieRoot, parentHash, timestamp, witness_address, version } = block_header.raw_data;
const [first, second, third] = transactions as [Listed, Listed, Listed];
const PAYEE = addressText('4131ee9cedde5c5e0de33f26b3ba6596b0fef610f3');
/** Mainnet's. */
const FIRST_BLOCK = {
  blockID: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
  block_header: { raw_data: { parentHash: 'e5'.repeat(32) } },
};

type Listed = (typeof transactions)[number];

describe('the root of a block’s transactions', () => {
  test('is what the header of a recorded block names, which is hashed to the block’s own id', () => {
    expect(transactionRoot(transactions)).toBe(txTrieRoot);
    const bytes = (hex: string) => Buffer.from(hex, 'hex');
    const header = Buffer.concat([
      numberField(1, BigInt(timestamp)),
      ...[bytesField(2, bytes(txTrieRoot)), bytesField(3, bytes(parentHash)), numberField(7, BigInt(number))],
      ...[bytesField(9, bytes(witness_address)), numberField(10, BigInt(version))],
    ]);
    expect(createHash('sha256').update(header).digest('hex').slice(16)).toBe(blockID.slice(16));
  });

  test('is another one where a transaction is left out, moved, added or another, or ended otherwise', () => {
    for (const listed of [
      ...[[first, second], [second, third], [third], [second, first, third], [...transactions, third]],
      [first, second, { ...third, ret: [{ contractRet: 'REVERT' }] }],
      [first, second, { ...third, ret: [{}] }],
      [first, second, { ...third, ret: [] }],
      [first, second, { ...third, signature: first.signature }],
      [first, second, { ...third, raw_data_hex: second.raw_data_hex }],
    ])
      expect(transactionRoot(listed)).toMatch(/^(?!1b8e8977290caedf)[0-9a-f]{64}$/);
    expect(transactionRoot([])).toBe('0'.repeat(64));
  });

  test('is not known where a node prints less than was hashed, or what is not understood', () => {
    const { raw_data_hex: _, ...short } = first;
    for (const other of [
      ...[short, { ...first, ret: [{ contractRet: 'NEW' }] }],
      { ...first, ret: [{ contractRet: 'SUCCESS', fee: '5' }] },
    ])
      expect(transactionRoot([other, second])).toBeNull();
  });
});

describe('a block that lists other transactions than its header names', () => {
  const lines: LogLine[] = [];
  const asked: string[] = [];
  /** By node: what it lists, at one reading of the block after the other; in the end all. */
  const shown = new Map<string, (readonly Listed[])[]>();
  const nodes = ['one', 'two'].map((name) => {
    let listed: readonly Listed[] = transactions;
    const answers: Readonly<Record<string, () => unknown>> = {
      getblockbylimitnext() {
        listed = shown.get(name)?.shift() ?? transactions;
        return { block: [{ ...BLOCK_OF_2021, transactions: listed }] };
      },
      gettransactioninfobyblocknum: () =>
        listed.map(({ txID: id }) => ({ id, blockNumber: number, blockTimeStamp: timestamp, receipt: {} })),
    };
    return Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      async fetch(request) {
        const method = new URL(request.url).pathname.split('/').at(-1)!;
        if (method.startsWith('getblockby')) asked.push(name);
        const { id_or_num } = (await request.json()) as { id_or_num?: string };
        const header = id_or_num === '0' ? FIRST_BLOCK : { blockID, block_header };
        return Response.json(answers[method]?.() ?? header);
      },
    });
  });
  /** What is read of nodes, how many there are, that list this. */
  async function paid(count: number, lists: Readonly<Record<string, readonly (readonly Listed[])[]>>) {
    for (const list of [lines, asked]) list.splice(0);
    for (const name of ['one', 'two']) shown.set(name, [...(lists[name] ?? [])]);
    const scanner = tronScanner({
      ...{ chain: 'tron', network: 'main', asset: 'trx_tron', tokens: [], confirmations: null },
      ...{ rpc: nodes.slice(0, count).map(({ port }) => `http://127.0.0.1:${port}`) },
      logger: memoryLogger(lines),
    });
    const blocks = await scanner.blocks({ from: number, to: number }, watching([PAYEE]));
    await scanner.close();
    return blocks.flatMap(({ transfers }) => transfers.map(({ units }) => units));
  }
  const events = () => lines.map(({ event }) => event);
  const all = [5_000_000_000n];
  const short = [first, third];
  afterAll(async () => {
    for (const node of nodes) await node.stop(true);
  });

  test('R9: is asked for at another node, and read as its header names it', async () => {
    expect(await paid(2, { one: [short] })).toEqual(all);
    expect([asked, events()]).toEqual([['one', 'two'], []]);
  });

  test('R9: is asked for again where no other node is, and is not believed if it is another one each time', async () => {
    expect(await paid(1, { one: [short] })).toEqual(all);
    expect([asked, events()]).toEqual([['one', 'one'], []]);
    const named = `lists other transactions than the header of block ${number} names`;
    await expect(paid(1, { one: [short, [third]] })).rejects.toThrow(named);
    await expect(paid(2, { one: [short], two: [[third]] })).rejects.toThrow(named);
  });

  test('R9: is believed at the second reading, and told, since anybody can add bytes that nodes do not print', async () => {
    const strange = [first, second, { ...third, signature: ['00'.repeat(66)] }];
    expect(await paid(1, { one: [strange, strange] })).toEqual(all);
    expect(lines).toMatchObject([{ event: 'chain.transactions_unproven', fields: { height: number } }]);
    expect(await paid(2, { one: [strange], two: [strange] })).toEqual(all);
    expect(events()).toEqual(['chain.transactions_unproven']);
    expect(await paid(1, { one: [short, short] })).toEqual([]);
    expect(events()).toEqual(['chain.transactions_unproven']);
  });
});
