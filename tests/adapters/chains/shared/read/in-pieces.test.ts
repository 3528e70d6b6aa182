/**
 * Ranges that are read in pieces: what a node can give is kept, and asked for in pieces that it can
 * give.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readInPieces } from '../../../../../src/adapters/chains/shared/read/in-pieces.ts';
import {
  type BlockRange,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../../src/ports/chains/chain-scanner.ts';
import { watchingNobody } from '../../../../support/chains/watch-list.ts';

const blockAt = (height: number): ScannedBlock => ({
  ...{ height, hash: `hash ${height}`, parentHash: `hash ${height - 1}` },
  ...{ time: height, transfers: [] },
});

/**
 * A scanner that fails for ranges that `fails` names; it tells which ranges it was asked for, and
 * how many bytes they took.
 */
function stage(fails: (range: { from: number; to: number }, nth: number) => boolean, bytesOfBlock = 0) {
  const asked: { from: number; to: number }[] = [];
  let bytes = 0;
  const scanner = {
    maxRange: 32,
    async blocks(range: { from: number; to: number }) {
      asked.push(range);
      const length = range.to - range.from + 1;
      bytes += bytesOfBlock * length;
      if (fails(range, asked.length)) throw new ChainUnavailable('no node could answer');
      return Array.from({ length }, (_, offset) => blockAt(range.from + offset));
    },
  } as unknown as ChainScanner;
  const used = () => ({ day: 0, calls: 0, refusals: 0, bytes });
  const nodes = {
    standings: () => [
      { node: 'node 1', state: 'able' as const, used: used(), perSecond: null, perDay: null },
    ],
  };
  const pieces = readInPieces(scanner, nodes);
  const read = async (from: number, to: number) =>
    (await pieces.blocks({ from, to }, watchingNobody)).map(({ height }) => height);
  return { asked, read };
}
const heights = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('a range of blocks', () => {
  test('is asked for at once while nothing speaks against it', async () => {
    const { asked, read } = stage(() => false);
    expect(await read(1, 32)).toEqual(heights(1, 32));
    expect(asked).toEqual([{ from: 1, to: 32 }]);
  });

  test('R1: that fails is halved until it can be read, and grows again', async () => {
    let most = 3;
    const { asked, read } = stage(({ from, to }) => to - from + 1 > most);
    expect(await read(1, 32)).toEqual(heights(1, 2));
    expect(asked.map(({ from, to }) => to - from + 1)).toEqual([32, 16, 8, 4, 2, 4]);
    most = 32;
    asked.length = 0;
    expect(await read(3, 34)).toEqual(heights(3, 34));
    expect(asked.map(({ from, to }) => to - from + 1)).toEqual([2, 4, 8, 16, 2]);
  });

  test('is read in pieces that follow on each other also where blocks are left out', async () => {
    const afters: unknown[] = [];
    let branch = 'hash';
    const scanner = {
      maxRange: 32,
      async blocks({ from, to, after }: BlockRange) {
        afters.push(after);
        if (to - from >= 10) throw new ChainUnavailable('no node could answer');
        return [{ ...blockAt(to), follows: `${branch} ${from - 1}` }];
      },
    } as unknown as ChainScanner;
    const pieces = readInPieces(scanner, { standings: () => [] });
    const last = (height: number) => ({ height, hash: `hash ${height}` });
    const after = last(0);
    const read = await pieces.blocks({ from: 1, to: 20, after }, watchingNobody);
    expect(read.map(({ height }) => height)).toEqual([10, 20]);
    expect(afters).toEqual([after, after, last(10)]);
    await pieces.blocks({ from: 21, to: 40, after: last(20) }, watchingNobody);
    branch = 'another';
    const other = await pieces.blocks({ from: 31, to: 50, after: last(30) }, watchingNobody);
    expect(other.map(({ height }) => height)).toEqual([40]);
  });

  test('R1: is read forwards by every call, block for block, however nodes fail, unless they give no single block', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }),
        async (bounds) => {
          const { read } = stage(({ from, to }, nth) => to - from + 1 > bounds[nth % bounds.length]!);
          let at = 0;
          for (let call = 0; call < 40; call++) {
            const blocks = await read(at + 1, at + 32);
            expect(blocks).toEqual(heights(at + 1, at + blocks.length));
            expect(blocks.length).toBeGreaterThan(0);
            at += blocks.length;
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('whose single block cannot be read fails', async () => {
    const { asked, read } = stage(() => true);
    await expect(read(1, 32)).rejects.toBeInstanceOf(ChainUnavailable);
    expect(asked.at(-1)).toEqual({ from: 1, to: 1 });
    await expect(read(1, 32)).rejects.toBeInstanceOf(ChainUnavailable);
    expect(asked.at(-2)).not.toEqual({ from: 1, to: 32 });
  });

  test('of big blocks is read in pieces of some megabytes', async () => {
    const { asked, read } = stage(() => false, 3 * 1024 * 1024);
    expect(await read(1, 32)).toEqual(heights(1, 32));
    expect(await read(33, 64)).toEqual(heights(33, 64));
    expect(new Set(asked.slice(1).map(({ from, to }) => to - from + 1))).toEqual(new Set([5, 2]));
  });

  test('ends before a piece of another branch', async () => {
    const other: ScannedBlock = { ...blockAt(17), parentHash: 'another' };
    let nth = 0;
    const scanner = {
      maxRange: 32,
      blocks: async ({ from, to }: { from: number; to: number }) => {
        nth += 1;
        if (nth === 1) throw new ChainUnavailable('too long');
        return from === 17 ? [other] : heights(from, to).map(blockAt);
      },
    } as unknown as ChainScanner;
    const blocks = await readInPieces(scanner, { standings: () => [] }).blocks(
      { from: 1, to: 32 },
      watchingNobody,
    );
    expect(blocks.map(({ height }) => height)).toEqual(heights(1, 16));
  });
});
