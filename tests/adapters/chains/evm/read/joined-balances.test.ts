/**
 * What contracts pay is found by balances over ten blocks together, and only blocks are traced in
 * which something came.
 */
import { describe, expect, test } from 'bun:test';
import { joinedBalances } from '../../../../../src/adapters/chains/evm/read/joined-balances.ts';
import type { LeftBlock, RangeScanner } from '../../../../../src/adapters/chains/evm/read/range-scan.ts';
import { RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { NodePool } from '../../../../../src/adapters/chains/shared/nodes/node-pool.ts';
import type { RpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { balanceKey } from '../../../../../src/domain/deposits/deposit.ts';
import { ChainUnavailable, type Transfer } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../../src/ports/chains/watch-list.ts';
import { watchingNobody } from '../../../../support/chains/watch-list.ts';
import { type LogLine, memoryLogger } from '../../../../support/runtime/memory-logger.ts';

const hashOf = (height: number, branch: string): string => `0x${branch}${String(height).padStart(63, '0')}`;
/** In branch `b` the blocks from 105 on are other ones. */
const hashIn = (height: number, branch: string): string => hashOf(height, height < 105 ? 'a' : branch);
const blockAt = (height: number, branch = 'a'): LeftBlock => ({
  block: {
    ...{ height, hash: hashIn(height, branch), parentHash: hashIn(height - 1, branch) },
    ...{ time: height * 12, logsBloom: null, transactions: [] },
  },
  receipts: new Map(),
});

const [PAYEE, LATER_PAYEE, VALIDATOR] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
];
const NO_TRACE = new RpcError(0, 'traces none of these blocks at present');

/** A chain on which a contract pays in every odd block, and two nodes of it. */
function stage() {
  const compared: string[] = [];
  const readAgain: number[] = [];
  /** Whose balances, each time. */
  const asked: string[][] = [];
  /** The node and the blocks. */
  const traced: string[] = [];
  const lines: LogLine[] = [];
  const taken: string[] = [];
  const is = { away: false, withoutBalances: false, on: 'a' };
  /** How each node traces. */
  const traces: Record<string, 'well' | 'not now' | 'never'> = { first: 'well', second: 'never' };
  /** Who gets coins without any transaction, besides. */
  let withdrawing: readonly string[] = [];
  let expecting: readonly string[] = [PAYEE];
  let following: readonly string[] = [];
  const nodeNamed = (label: string): RpcNode => {
    const outcomes: RpcNode['outcomes'] = async (calls) =>
      calls.map(({ params: [height] }) => {
        readAgain.push(Number(height));
        const { block } = blockAt(Number(height), is.on);
        const [number, timestamp] = [height, `0x${block.time.toString(16)}`];
        return { result: { ...block, number, timestamp, logsBloom: undefined } };
      });
    return { label, outcomes } as RpcNode;
  };
  const pool = {
    use: async (work: (on: RpcNode) => unknown) => {
      if (is.away) throw new ChainUnavailable('no node answers');
      for (const label of Object.keys(traces))
        try {
          return await work(nodeNamed(label));
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
        }
      throw new ChainUnavailable('no node could answer');
    },
  } as unknown as NodePool<RpcNode>;
  const cameIn = (height: number): readonly string[] => [
    ...(height % 2 === 1 ? [PAYEE] : []),
    ...withdrawing,
  ];
  const rangeOf = (heights: readonly number[]) => [...new Set([heights[0], heights.at(-1)])].join('-');
  const ranges = {
    arrivals: async (_: RpcNode, left: readonly LeftBlock[], addresses: readonly string[]) => {
      if (is.withoutBalances) throw new RpcError(-32_000, 'missing trie node');
      const { block: last } = left.at(-1)!;
      compared.push(`${rangeOf(left.map(({ block }) => block.height))} ${last.hash[2]}`);
      asked.push([...addresses]);
      const transfers = cameIn(last.height).map(
        (to) => ({ ...balanceKey('ethereum', last.height, to), to, kind: 'unexplained' }) as Transfer,
      );
      return transfers.length === 0 ? [] : [{ ...last, transfers }];
    },
    mayTrace: ({ label }: RpcNode) => traces[label] !== 'never',
    traced: async ({ label }: RpcNode, blocks: readonly { height: number }[]) => {
      traced.push(`${label} ${rangeOf(blocks.map(({ height }) => height))}`);
      if (traces[label] !== 'well') throw NO_TRACE;
      return blocks.map(({ height }) =>
        cameIn(height).flatMap((to) =>
          to === PAYEE ? [{ to, kind: 'payment', output: 'call:0', txid: `0x${height}` } as Transfer] : [],
        ),
      );
    },
  } as unknown as RangeScanner;
  const joined = joinedBalances({
    ...{ chain: 'ethereum', pool, ranges, lag: { lagMs: 0 }, logger: memoryLogger(lines) },
  });
  const watch: WatchList = {
    ...watchingNobody,
    known: async (addresses) => new Set(addresses.filter((address) => address !== VALIDATOR)),
    following: async () => following,
  };
  let covered = 99;
  /** The poll that has just read up to `to`. */
  async function look(to: number, { branch = 'a', seconds = 0 } = {}): Promise<boolean> {
    const { hash } = blockAt(to, branch).block;
    const range = { from: covered + 1, last: { height: to, hash }, seconds };
    const isDone = await joined.complete(range, watch, async (blocks) => {
      for (const { height, transfers } of blocks)
        taken.push(...transfers.map(({ to: payee, kind }) => `${height} ${kind} ${payee[2]}`));
    });
    if (isDone) covered = to;
    return isDone;
  }
  return {
    ...{ joined, compared, readAgain, asked, traced, lines, taken, is, traces, watch, look },
    /** Another instance covered them, or went back. */
    cover: (height: number) => {
      covered = height;
    },
    withdraw: (to: readonly string[]) => {
      withdrawing = to;
    },
    expect: (addresses: readonly string[]) => {
      expecting = addresses;
    },
    follow: (addresses: readonly string[]) => {
      following = addresses;
    },
    /** Reads blocks one by one, and looks after each. */
    async read(from: number, to: number, branch = 'a') {
      for (let height = from; height <= to; height++) {
        joined.read([blockAt(height, branch)], expecting);
        await look(height, { branch });
      }
    },
  };
}

describe('what contracts pay', () => {
  test('E6: is looked for over ten blocks together, and traced in the block in which it came', async () => {
    const { read, compared, traced, taken } = stage();
    await read(100, 130);
    expect(compared).toEqual(['100-109 a', '110-119 a', '120-129 a']);
    expect(traced).toEqual(['first 109', 'first 119', 'first 129']);
    expect(taken).toEqual(['109 payment a', '119 payment a', '129 payment a']);
  });

  test('E6: is looked for after two minutes of the chain where blocks come seldom', async () => {
    const { joined, look, compared } = stage();
    joined.read([blockAt(100)], [PAYEE]);
    expect(await look(100, { seconds: 119 })).toBe(false);
    expect(await look(100, { seconds: 120 })).toBe(true);
    expect(compared).toEqual(['100 a']);
  });

  test('E6: is looked for in blocks that others read, or a process before this one', async () => {
    const { read, cover, look, joined, compared, readAgain } = stage();
    await read(107, 109);
    expect([compared, readAgain]).toEqual([['100-109 a'], [106, 105, 104, 103, 102, 101, 100]]);
    cover(119);
    joined.read([blockAt(125)], [PAYEE]);
    readAgain.splice(0);
    await look(129);
    expect([compared.at(-1), readAgain]).toEqual([
      '120-129 a',
      [129, 128, 127, 126, 124, 123, 122, 121, 120],
    ]);
  });

  test('E6: is looked for in the branch that was recorded, and not in the one that this process read', async () => {
    const { read, is, look, compared, readAgain } = stage();
    await read(100, 108, 'b');
    // Another instance went back, and read up to 109.
    expect(await look(109)).toBe(true);
    expect([compared, readAgain]).toEqual([['100-109 a'], [109, 108, 107, 106, 105]]);
    is.on = 'b';
    await read(110, 113);
    expect(await look(119)).toBe(false);
  });

  test('E6: is looked for again in blocks that follow on a reorganisation', async () => {
    const { read, cover, compared } = stage();
    await read(100, 109, 'b');
    cover(104);
    await read(105, 114);
    expect(compared).toEqual(['100-109 b', '105-114 a']);
  });

  test('E6: is looked for in blocks that were read ahead when these are recorded', async () => {
    const { read, look, joined, compared, readAgain } = stage();
    await read(100, 108);
    joined.read(
      [109, 110, 111].map((height) => blockAt(height)),
      [PAYEE],
    );
    for (const height of [109, 110, 111]) await look(height);
    await read(112, 119);
    expect([compared, readAgain]).toEqual([['100-109 a', '110-119 a'], []]);
  });

  test('E6: is found for whoever expected the coin when the block came, and whose payments matter besides', async () => {
    const { read, follow, asked, compared, expect: expecting, look } = stage();
    await read(100, 108);
    expecting([LATER_PAYEE]);
    await read(109, 119);
    expecting([]);
    follow([VALIDATOR, LATER_PAYEE]);
    await read(120, 129);
    expect(asked).toEqual([[PAYEE, LATER_PAYEE], [LATER_PAYEE], [LATER_PAYEE]]);
    follow([VALIDATOR]);
    expect(await look(139)).toBe(true);
    expect(compared.length).toBe(3);
  });

  test('E6: is parked at once where no node ever traces, and left to others as long again', async () => {
    const { read, traces, traced, taken, compared } = stage();
    traces.first = 'never';
    await read(100, 111);
    expect([traced, taken]).toEqual([[], ['109 unexplained a']]);
    await read(112, 129);
    expect(compared).toEqual(['100-109 a', '100-119 a', '120-129 a']);
  });

  test('E6: is traced where it was parked, once a node traces', async () => {
    const { read, look, traces, joined, taken } = stage();
    traces.first = 'never';
    joined.read([blockAt(100), blockAt(101)], [PAYEE]);
    expect(await look(101, { seconds: 120 })).toBe(false);
    traces.first = 'well';
    expect(await look(101, { seconds: 239 })).toBe(false);
    expect(await look(101, { seconds: 240 })).toBe(true);
    expect(taken).toEqual(['101 unexplained a', '101 payment a']);
    await read(102, 111);
    expect(taken.length).toBe(3);
  });

  test('E6: is parked where a trace shows that no contract paid it, beside what one did', async () => {
    const { read, withdraw, taken } = stage();
    withdraw([LATER_PAYEE]);
    await read(100, 109);
    expect(taken).toEqual(['109 payment a', '109 unexplained b']);
  });

  test('R4: is traced by another node, or at a later poll, before it is parked', async () => {
    const { read, look, traces, traced, taken } = stage();
    Object.assign(traces, { first: 'not now', second: 'well' });
    await read(100, 109);
    expect([traced, taken]).toEqual([['first 109', 'second 109'], ['109 payment a']]);
    traces.second = 'not now';
    await read(110, 119);
    expect(await look(119)).toBe(false);
    traces.first = 'well';
    expect(await look(119)).toBe(true);
    expect(taken.slice(1)).toEqual(['119 payment a']);
    traces.first = 'not now';
    await read(120, 129);
    for (let poll = 2; poll < 10; poll++) await look(129);
    expect(taken.length).toBe(2);
    await look(129);
    expect(taken.slice(2)).toEqual(['129 unexplained a']);
  });

  test('R4: is found by traces where a node has no balances of these blocks', async () => {
    const { read, is, traced, taken } = stage();
    is.withoutBalances = true;
    await read(100, 109);
    expect(traced).toEqual(['first 100-109']);
    expect(taken).toEqual([101, 103, 105, 107, 109].map((height) => `${height} payment a`));
  });

  test('E6: is looked for again where no node answers, at ten polls; then the blocks are left', async () => {
    const { read, look, is, compared, lines } = stage();
    is.away = true;
    await read(100, 117);
    expect(lines).toEqual([]);
    is.away = false;
    await read(118, 118);
    expect(compared).toEqual(['100-118 a']);
    is.away = true;
    await read(119, 136);
    expect(await look(137)).toBe(true);
    expect(lines).toMatchObject([{ event: 'chain.balances_unreconciled', fields: { from: 119, to: 137 } }]);
  });

  test('E6: is told again where it could not be recorded', async () => {
    const { read, look, joined, watch, taken } = stage();
    await read(100, 108);
    joined.read([blockAt(109)], [PAYEE]);
    const range = { from: 100, last: blockAt(109).block, seconds: 0 };
    const refused = joined.complete(range, watch, async () => {
      throw new Error('the database is away');
    });
    await expect(refused).rejects.toThrow('the database is away');
    await look(109);
    expect(taken).toEqual(['109 payment a']);
  });
});
