/** Balances on nodes that do not trace are compared over ten blocks together, and none is left out. */
import { describe, expect, test } from 'bun:test';
import { heightsOf } from '../../../src/adapters/chains/evm/block-reader.ts';
import { joinedBalances } from '../../../src/adapters/chains/evm/joined-balances.ts';
import type { LeftBlock, RangeScanner } from '../../../src/adapters/chains/evm/range-scan.ts';
import type { NodePool } from '../../../src/adapters/chains/shared/node-pool.ts';
import type { RpcNode } from '../../../src/adapters/chains/shared/rpc-node.ts';
import { ChainUnavailable } from '../../../src/ports/chain-scanner.ts';
import { type LogLine, memoryLogger } from '../../support/memory-logger.ts';
import { watchingNobody } from '../../support/watch-list.ts';

const hashOf = (height: number, branch: string): string => `0x${branch}${String(height).padStart(63, '0')}`;
const blockAt = (height: number, branch = 'a'): LeftBlock => ({
  block: {
    ...{ height, hash: hashOf(height, branch), parentHash: hashOf(height - 1, branch) },
    ...{ time: height, logsBloom: null, transactions: [] },
  },
  receipts: new Map(),
});

/** A chain, and what a scanner does that compares its balances. */
function stage() {
  const compared: string[] = [];
  const read: number[] = [];
  const lines: LogLine[] = [];
  const taken: number[] = [];
  let isAway = false;
  let branch = 'a';
  const outcomes = async (calls: readonly { params: readonly unknown[] }[]) =>
    calls.map(({ params }) => {
      const { block } = blockAt(Number(params[0]), branch);
      read.push(block.height);
      const [number, timestamp] = [`0x${block.height.toString(16)}`, '0x1'];
      return { result: { ...block, number, timestamp, logsBloom: null } };
    });
  const node = { label: 'node 1', outcomes } as unknown as RpcNode;
  const pool = {
    use: async (work: (on: RpcNode) => unknown) => {
      if (isAway) throw new ChainUnavailable('no node answers');
      return work(node);
    },
  } as unknown as NodePool<RpcNode>;
  const ranges = {
    arrivals: async (_: RpcNode, left: readonly LeftBlock[]) => {
      const [{ block: first }, { block: last }] = [left[0]!, left.at(-1)!];
      compared.push(`${first.height}-${last.height} ${last.hash[2]}`);
      return last.height % 2 === 0 ? [] : [{ ...last, transfers: [] }];
    },
  } as unknown as RangeScanner;
  const joined = joinedBalances({
    ...{ chain: 'ethereum', pool, ranges, lagMs: 0, logger: memoryLogger(lines) },
  });
  const look = (upTo: number) =>
    joined.look(upTo, watchingNobody, async (blocks) => {
      taken.push(...blocks.map(({ height }) => height));
    });
  return {
    ...{ joined, compared, read, lines, taken, look },
    /** The nodes are. */
    away: (value: boolean) => {
      isAway = value;
    },
    /** Reads blocks one by one, and looks after each. */
    async follow(from: number, to: number, on = 'a') {
      branch = on;
      for (let height = from; height <= to; height++) {
        joined.left([blockAt(height, branch)]);
        await look(height);
      }
    },
  };
}

describe('balances of blocks that were not traced', () => {
  test('E6: are compared over ten blocks together, and at first over those that an earlier process may have left', async () => {
    const { look, follow, compared, read, taken } = stage();
    await look(99);
    await follow(100, 129);
    expect(compared).toEqual(['91-109 a', '110-119 a', '120-129 a']);
    expect(read).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99]);
    expect(taken).toEqual([109, 119, 129]);
  });

  test('E6: are not compared where blocks were traced, and those that others read meanwhile are read again', async () => {
    const { look, follow, joined, compared, read } = stage();
    await follow(100, 109);
    for (let height = 110; height < 140; height++) await look(height);
    expect(compared.length).toBe(1);
    read.splice(0);
    for (const height of [140, 142, 145, 149]) {
      joined.left([blockAt(height)]);
      await look(height);
    }
    expect(compared.at(-1)).toBe('140-149 a');
    expect(read).toEqual([141, 143, 144, 146, 147, 148]);
    for (const traced of [150, 151, 152]) await look(traced);
    await follow(153, 153);
    for (let traced = 154; traced <= 162; traced++) await look(traced);
    expect(compared.at(-1)).toBe('153-153 a');
    // Another instance read a thousand meanwhile, and compared them.
    await follow(1_140, 1_149);
    expect(compared.at(-1)).toBe('1131-1149 a');
  });

  test('E6: are those of one branch', async () => {
    const { follow, compared, read } = stage();
    await follow(100, 105, 'b');
    // Another instance went back, and read up to 107.
    await follow(108, 109);
    expect(compared).toEqual(['91-109 a']);
    expect(read.slice(-19)).toEqual(heightsOf({ from: 91, to: 109 }) as number[]);
  });

  test('E6: are compared again in blocks that follow on a reorganisation', async () => {
    const { follow, compared } = stage();
    await follow(100, 109, 'b');
    await follow(105, 114);
    expect(compared).toEqual(['91-109 b', '105-114 a']);
  });

  test('E6: are left to the next comparison in blocks that were read ahead', async () => {
    const { follow, look, joined, compared, read } = stage();
    await follow(100, 108);
    joined.left([109, 110, 111].map((height) => blockAt(height)));
    for (const height of [109, 110, 111]) await look(height);
    await follow(112, 119);
    expect(compared).toEqual(['91-109 a', '110-119 a']);
    expect(read.length).toBe(9);
  });

  test('E6: are tried again where no node answers, at ten polls', async () => {
    const { follow, away, compared, taken, lines } = stage();
    away(true);
    await follow(100, 117);
    expect(lines).toEqual([]);
    away(false);
    await follow(118, 119);
    expect(compared).toEqual(['91-118 a']);
    away(true);
    await follow(120, 137);
    expect(lines).toMatchObject([{ event: 'chain.balances_unreconciled', fields: { from: 119, to: 137 } }]);
    away(false);
    await follow(138, 147);
    expect(compared).toEqual(['91-118 a', '138-147 a']);
    expect(taken).toEqual([147]);
  });

  test('E6: are told again where what came could not be recorded', async () => {
    const { look, follow, joined, taken } = stage();
    await follow(100, 108);
    joined.left([blockAt(109)]);
    const refused = joined.look(109, watchingNobody, async () => {
      throw new Error('the database is away');
    });
    await expect(refused).rejects.toThrow('the database is away');
    await look(109);
    expect(taken).toEqual([109]);
  });
});
