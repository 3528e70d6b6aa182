/**
 * R8: ranges of TON blocks out of an index where shards split, merge, stand still and come late.
 */
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { fromIndex, IndexUnfit, type TonIndex } from '../../../../../src/adapters/chains/ton/index-api.ts';
import { indexedBlocks, readBlock } from '../../../../../src/adapters/chains/ton/read/indexed-blocks.ts';
import type { TonNode } from '../../../../../src/adapters/chains/ton/toncenter.ts';

const FIRST_TIME = 1_000;
const [WHOLE, LEFT, RIGHT] = ['8000000000000000', '4000000000000000', 'C000000000000000'];

/** A block of a shard, with one transaction unless it says otherwise. */
interface Shard {
  readonly shard: string;
  readonly seqno: number;
  readonly before: readonly (readonly [shard: string, seqno: number])[];
  readonly transactions?: number;
  /** Seconds before the block of the masterchain that names it. */
  readonly late?: number;
}

const after = (shard: string, seqno: number, more: Partial<Shard> = {}): Shard => ({
  ...{ shard, seqno, before: [[shard, seqno - 1]] },
  ...more,
});
const hashOf = (name: string): string => createHash('sha256').update(name).digest('base64');
const signed = (shard: string): string => BigInt.asIntN(64, BigInt(`0x${shard}`)).toString();

/**
 * A node whose masterchain block 10 + n names the n-th of these blocks first, and the tips as of
 * block 10.
 */
function nodeWith(
  made: readonly (readonly Shard[])[],
  begin: readonly (readonly [string, number])[],
): TonNode {
  const timeOf = (seqno: number): number => FIRST_TIME + Math.floor((seqno - 10) / 2);
  function tipsAt(seqno: number): readonly (readonly [string, number])[] {
    const tips = new Map(begin.map((tip) => [String(tip), tip]));
    for (const { shard, seqno: at, before } of made.slice(0, seqno - 10).flat()) {
      for (const gone of before) tips.delete(String(gone));
      tips.set(String([shard, at]), [shard, at]);
    }
    return [...tips.values()];
  }
  const block = (
    workchain: number,
    shard: string,
    seqno: number,
    more: { gen_utime: number; tx_count?: number; masterchain_block_ref: object; prev_blocks: object[] },
  ) => ({
    ...{ workchain, shard, seqno, root_hash: hashOf(`${workchain} ${shard} ${seqno}`) },
    ...{ tx_count: 0, ...more },
  });
  const rows = [[], ...made].flatMap((blocks, position) => {
    const named = 10 + position;
    const masterchain_block_ref = { workchain: -1, shard: WHOLE, seqno: named };
    const prev_blocks = [{ workchain: -1, shard: WHOLE, seqno: named - 1 }];
    return [
      ...blocks.map(({ shard, seqno, before, transactions = 1, late = 0 }) =>
        block(0, shard, seqno, {
          ...{ masterchain_block_ref, tx_count: transactions, gen_utime: timeOf(named) - late },
          prev_blocks: before.map(([of, at]) => ({ workchain: 0, shard: of, seqno: at })),
        }),
      ),
      block(-1, WHOLE, named, { masterchain_block_ref, prev_blocks, gen_utime: timeOf(named) }),
    ];
  });
  const index: TonIndex = {
    rests: () => false,
    rest: () => undefined,
    ask: async (path, { start_utime, end_utime }, read) => {
      const since = rows.filter(({ gen_utime }) => gen_utime >= Number(start_utime));
      if (path === 'blocks') return read({ blocks: since });
      const transactions = since
        .filter(({ gen_utime }) => gen_utime <= Number(end_utime))
        .flatMap(({ workchain, shard, seqno, tx_count }) =>
          Array.from({ length: tx_count }, (_, nth) => ({
            account: `0:${'AB'.repeat(32)}`,
            lt: String(seqno),
            hash: hashOf(`transaction ${shard} ${seqno} ${nth}`),
            block_ref: { workchain, shard, seqno },
          })),
        );
      return read({ transactions });
    },
  };
  return {
    label: 'node 1',
    index,
    call: async (method, { seqno } = {}) => {
      const at = Number(seqno);
      const id = (height: number) => ({ seqno: height, root_hash: hashOf(`-1 ${WHOLE} ${height}`) });
      if (method === 'getBlockHeader')
        return { id: id(at), prev_blocks: [id(at - 1)], gen_utime: timeOf(at) };
      const shards = tipsAt(at).map(([shard, of]) => ({
        ...{ workchain: 0, shard: signed(shard), seqno: of },
        ...{ root_hash: hashOf(`0 ${shard} ${of}`), file_hash: hashOf('file') },
      }));
      return { shards };
    },
  };
}

/** Per masterchain block, how many transactions the shard blocks have that it names first. */
async function read(node: TonNode, range: { from: number; to: number }) {
  const blocks = await fromIndex(node, 'blocks', (index) => indexedBlocks(node, index, range));
  return blocks?.map(({ height, listed }) => [height, listed.length]) ?? null;
}

test('a block of the test network is read as an index of it told it in 2024', () => {
  const told = {
    ...{ workchain: 0, shard: '2000000000000000', seqno: 21_188_229 },
    root_hash: 'nGN9Fws0RhLR2nDGDgpM4t+xLrE8gASQH5+5Nlk1vmg=',
    file_hash: 'GqR4TxmvNN+vAzPMpuU54WZXoTBNPIrDd/Bc0VDRlLU=',
    ...{ global_id: -3, version: 0, want_merge: true, flags: 1, gen_utime: '1717130279' },
    ...{ start_lt: '22190293000000', end_lt: '22190293000001', tx_count: 0 },
    masterchain_block_ref: { workchain: -1, shard: '8000000000000000', seqno: 19_728_375 },
    prev_blocks: [{ workchain: 0, shard: '2000000000000000', seqno: 21_188_228 }],
  };
  const shard = '2305843009213693952';
  expect(readBlock(told)).toEqual({
    ...{ workchain: 0, shard, seqno: 21_188_229, time: 1_717_130_279, transactions: 0 },
    rootHash: '9c637d170b344612d1da70c60e0a4ce2dfb12eb13c8004901f9fb9365935be68',
    ...{ before: [{ workchain: 0, shard, seqno: 21_188_228 }], masterSeqno: 19_728_375 },
  });
});

describe('shards between two masterchain blocks of an index', () => {
  test('that split and merge lead back to the range before, through every block', async () => {
    const node = nodeWith(
      [
        [after(WHOLE, 101, { transactions: 3 })],
        [
          { shard: LEFT, seqno: 102, before: [[WHOLE, 101]] },
          { shard: RIGHT, seqno: 102, before: [[WHOLE, 101]], transactions: 2 },
        ],
        [after(LEFT, 103), after(LEFT, 104)],
        [
          {
            shard: WHOLE,
            seqno: 105,
            before: [
              [LEFT, 104],
              [RIGHT, 102],
            ],
            transactions: 4,
          },
        ],
      ],
      [[WHOLE, 100]],
    );
    const all = [
      [11, 3],
      [12, 3],
      [13, 2],
      [14, 4],
    ];
    expect(await read(node, { from: 11, to: 14 })).toEqual(all);
    for (const [from, to] of [
      [11, 12],
      [12, 13],
      [13, 14],
      [12, 12],
      [14, 14],
    ] as const)
      expect(await read(node, { from, to })).toEqual(all.slice(from - 11, to - 10));
  });

  test('that made nothing add nothing', async () => {
    const node = nodeWith(
      [[after(LEFT, 8)], [], [after(LEFT, 9)]],
      [
        [LEFT, 7],
        [RIGHT, 3],
      ],
    );
    expect(await read(node, { from: 11, to: 13 })).toEqual([
      [11, 1],
      [12, 0],
      [13, 1],
    ]);
    expect(await read(node, { from: 12, to: 12 })).toEqual([[12, 0]]);
  });

  test('that are some seconds late are there; one that is a minute late is not overlooked', async () => {
    const made = (late: number) =>
      nodeWith(
        [[after(LEFT, 8, { late })], [after(RIGHT, 4)]],
        [
          [LEFT, 7],
          [RIGHT, 3],
        ],
      );
    expect(await read(made(2), { from: 11, to: 12 })).toEqual([
      [11, 1],
      [12, 1],
    ]);
    const node = made(60);
    await expect(indexedBlocks(node, node.index!, { from: 11, to: 12 })).rejects.toThrow(IndexUnfit);
    expect(await read(node, { from: 11, to: 12 })).toBeNull();
  });
});
