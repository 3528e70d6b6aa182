/** Balances on nodes that do not trace are compared over ten blocks together, and none is left out. */
import { describe, expect, test } from 'bun:test';
import { joinedBalances } from '../../../src/adapters/chains/evm/joined-balances.ts';
import type { LeftBlock, RangeScanner } from '../../../src/adapters/chains/evm/range-scan.ts';
import { heightsOf } from '../../../src/adapters/chains/shared/block-range.ts';
import type { NodePool } from '../../../src/adapters/chains/shared/node-pool.ts';
import type { RpcNode } from '../../../src/adapters/chains/shared/rpc-node.ts';
import {
  type BlockRange,
  ChainUnavailable,
  type Transfer,
  type WatchList,
} from '../../../src/ports/chain-scanner.ts';
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

const [PAYEE, LATER_PAYEE] = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`) as [string, string];

/** A chain, and what a scanner does that compares its balances. */
function stage() {
  const compared: string[] = [];
  const scanned: string[] = [];
  /** Whose balances, each time. */
  const asked: string[][] = [];
  const lines: LogLine[] = [];
  const taken: number[] = [];
  let isAway = false;
  let expecting: readonly string[] = [PAYEE];
  const pool = {
    use: async (work: (on: RpcNode) => unknown) => {
      if (isAway) throw new ChainUnavailable('no node answers');
      return work({ label: 'node 1' } as RpcNode);
    },
  } as unknown as NodePool<RpcNode>;
  const arrivedIn = ({ block }: LeftBlock) =>
    block.height % 2 === 0
      ? []
      : [{ ...block, transfers: [{ to: PAYEE, kind: 'payment', output: 'call:0' } as Transfer] }];
  const ranges = {
    arrivals: async (_: RpcNode, left: readonly LeftBlock[], addresses: readonly string[]) => {
      const [{ block: first }, { block: last }] = [left[0]!, left.at(-1)!];
      compared.push(`${first.height}-${last.height} ${last.hash[2]}`);
      asked.push([...addresses]);
      return arrivedIn(left.at(-1)!);
    },
    scan: async (
      _: RpcNode,
      { from, to }: BlockRange,
      __: WatchList,
      known: { moved: readonly string[] },
    ) => {
      scanned.push(`${from}-${to}`);
      asked.push([...known.moved]);
      return heightsOf({ from, to }).map((height) => ({
        ...blockAt(height).block,
        transfers: height === to ? arrivedIn(blockAt(to)).flatMap(({ transfers }) => transfers) : [],
      }));
    },
  } as unknown as RangeScanner;
  const joined = joinedBalances({
    ...{ chain: 'ethereum', pool, ranges, lag: { lagMs: 0 }, logger: memoryLogger(lines) },
  });
  const watch = { ...watchingNobody, expectingNative: async () => expecting };
  const look = (upTo: number) =>
    joined.look(upTo, watch, async (blocks) => {
      taken.push(...blocks.map(({ height }) => height));
    });
  return {
    ...{ joined, compared, scanned, asked, lines, taken, look },
    /** The nodes are. */
    away: (value: boolean) => {
      isAway = value;
    },
    expect: (addresses: readonly string[]) => {
      expecting = addresses;
    },
    /** Reads blocks one by one, and looks after each. */
    async follow(from: number, to: number, on = 'a') {
      for (let height = from; height <= to; height++) {
        joined.read([blockAt(height, on)], expecting);
        await look(height);
      }
    },
    async trace(from: number, to: number) {
      for (let height = from; height <= to; height++) {
        joined.read([blockAt(height)], null);
        await look(height);
      }
    },
  };
}

describe('balances of blocks that were not traced', () => {
  test('E6: are compared over ten blocks together, and at first over those that an earlier process may have left', async () => {
    const { look, follow, compared, scanned, taken } = stage();
    await look(99);
    await follow(100, 129);
    expect(scanned).toEqual(['91-99']);
    expect(compared).toEqual(['100-109 a', '110-119 a', '120-129 a']);
    expect(taken).toEqual([99, 109, 119, 129]);
  });

  test('E6: are not compared where blocks were traced, the newest before the first failure neither', async () => {
    const { follow, trace, compared, scanned } = stage();
    await trace(90, 103);
    await follow(104, 105);
    await trace(106, 106);
    await follow(107, 107);
    await trace(108, 113);
    expect(scanned).toEqual([]);
    expect(compared).toEqual(['104-105 a', '107-107 a']);
    await trace(114, 140);
    expect(compared.length).toBe(2);
  });

  test('E6: are looked at in blocks that others read, as they may have ended since', async () => {
    const { look, follow, joined, compared, scanned } = stage();
    await follow(100, 109);
    scanned.splice(0);
    compared.splice(0);
    for (let height = 110; height < 140; height++) await look(height);
    for (const height of [140, 142, 145, 149]) {
      joined.read([blockAt(height)], [PAYEE]);
      await look(height);
    }
    expect(scanned).toEqual(['131-139', '141-141', '143-144', '146-148']);
    expect(compared).toEqual(['140-140 a', '142-142 a', '145-145 a', '149-149 a']);
    await follow(150, 159);
    expect(compared.at(-1)).toBe('150-159 a');
  });

  test('E6: are compared for whoever expected the coin when the block came: an invoice may have ended since', async () => {
    const { look, follow, asked, expect: expecting } = stage();
    await look(99);
    await follow(100, 108);
    expecting([LATER_PAYEE]);
    await follow(109, 119);
    const both = [PAYEE, LATER_PAYEE];
    expect(asked).toEqual([both, both, [LATER_PAYEE]]);
    expecting([]);
    await follow(120, 139);
    expect(asked.length).toBe(3);
  });

  test('E6: are those of one branch', async () => {
    const { follow, compared, scanned } = stage();
    await follow(100, 105, 'b');
    // Another instance went back, and read up to 107.
    await follow(108, 109);
    expect([compared, scanned]).toEqual([[], ['91-99', '106-107', '91-109']]);
    scanned.splice(0);
    await follow(110, 114, 'b');
    await follow(115, 119);
    expect([compared, scanned]).toEqual([[], ['110-119']]);
  });

  test('E6: are compared again in blocks that follow on a reorganisation, and not where these were traced', async () => {
    const { follow, trace, compared, scanned } = stage();
    await follow(100, 109, 'b');
    await follow(105, 114);
    await follow(115, 116, 'b');
    await trace(115, 124);
    expect([compared, scanned]).toEqual([['105-114 a'], ['91-99', '91-109']]);
  });

  test('E6: are left to the next comparison in blocks that were read ahead', async () => {
    const { follow, look, joined, compared, scanned } = stage();
    await follow(100, 108);
    joined.read(
      [109, 110, 111].map((height) => blockAt(height)),
      [PAYEE],
    );
    for (const height of [109, 110, 111]) await look(height);
    await follow(112, 119);
    expect([compared, scanned]).toEqual([['100-109 a', '110-119 a'], ['91-99']]);
  });

  test('E6: are tried again where no node answers, at ten polls', async () => {
    const { follow, away, compared, scanned, taken, lines } = stage();
    away(true);
    await follow(100, 117);
    expect(lines).toEqual([]);
    away(false);
    await follow(118, 119);
    expect([compared, scanned]).toEqual([['100-118 a'], ['91-99']]);
    away(true);
    await follow(120, 137);
    expect(lines).toMatchObject([{ event: 'chain.balances_unreconciled', fields: { from: 110, to: 137 } }]);
    away(false);
    await follow(138, 147);
    expect(compared.slice(1)).toEqual(['138-147 a']);
    expect(taken).toEqual([99, 147]);
  });

  test('E6: are told again where what came could not be recorded', async () => {
    const { look, follow, joined, taken } = stage();
    await follow(100, 108);
    joined.read([blockAt(109)], [PAYEE]);
    const refused = joined.look(109, watchingNobody, async () => {
      throw new Error('the database is away');
    });
    await expect(refused).rejects.toThrow('the database is away');
    await look(109);
    expect(taken).toEqual([99, 109]);
  });
});
