/** The contract of ChainRepository. */
import { describe, expect, test } from 'bun:test';
import type { ChainCursor } from '../../../src/ports/chains/chain-repository.ts';
import { aHash, anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeChainRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: chains`, () => {
    const storage = openedFor(open);
    const cursor = (height: number): ChainCursor => ({
      height,
      hash: aHash(),
      coveredUntil: secondsAfter(height, NOW),
      finalizedHeight: height - 12,
    });
    const blocks = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => ({
        height: from + i,
        hash: aHash(),
        parentHash: aHash(),
        time: 1_700_000_000 + from + i,
      }));

    test('the cursor starts once and moves only from where it is expected', async () => {
      const chain = `chain ${anId()}`;
      const move = (expected: ChainCursor | null, next: ChainCursor) =>
        storage.run((r) => r.chains.moveCursor(chain, expected, next));
      const [first, second, third] = [cursor(20), cursor(21), cursor(22)];
      expect(await storage.run((r) => r.chains.cursor(chain))).toBeNull();
      expect(await move(first, second)).toBe(false);
      expect(await move(null, first)).toBe(true);
      expect(await move(null, second)).toBe(false);
      expect(await move(first, second)).toBe(true);
      expect(await move(first, third)).toBe(false);
      expect(await move({ ...second, hash: aHash() }, third)).toBe(false);
      expect(await storage.run((r) => r.chains.cursor(chain))).toEqual(second);
    });

    test('of many who move the cursor at once one succeeds', async () => {
      const chain = `chain ${anId()}`;
      const start = cursor(50);
      await storage.run((r) => r.chains.moveCursor(chain, null, start));
      const moved = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          storage.run((r) => r.chains.moveCursor(chain, start, cursor(51 + i))),
        ),
      );
      expect(moved.filter(Boolean)).toHaveLength(1);
    });

    test('until when each chain was covered is told, and how often it was read to its tip', async () => {
      const [read, begun] = [`chain ${anId()}`, `chain ${anId()}`];
      const first = cursor(20);
      await storage.run(async ({ chains }) => {
        for (const chain of [read, begun]) await chains.moveCursor(chain, null, first);
        for (const seconds of [1, 2]) await chains.noteRead(read, secondsAfter(seconds), 60_000);
        await chains.noteRead('unknown', NOW, 60_000);
      });
      await storage.run(async ({ chains }) => {
        const covered = await chains.coveredUntil();
        expect([covered.get(read), covered.get(begun)]).toEqual([first.coveredUntil, first.coveredUntil]);
        expect([covered.get('unknown'), await chains.reads('unknown')]).toEqual([undefined, null]);
        expect(await chains.reads(read)).toEqual({ count: 2, lastAt: secondsAfter(2), resumedAt: null });
        expect(await chains.reads(begun)).toBeNull();
      });
    });

    test('K4: a chain that is read to its tip after a silence is resumed until that is forgotten, whichever way the clock went', async () => {
      const chain = `chain ${anId()}`;
      const resumedAt = async () => (await storage.run((r) => r.chains.reads(chain)))?.resumedAt;
      const noteAt = async (seconds: number) => {
        await storage.run((r) => r.chains.noteRead(chain, secondsAfter(seconds, NOW), 60_000));
        return resumedAt();
      };
      const [first, second] = [cursor(20), cursor(21)];
      await storage.run((r) => r.chains.moveCursor(chain, null, first));
      expect([await noteAt(0), await noteAt(60)]).toEqual([null, null]);
      expect([await noteAt(121), await noteAt(122)]).toEqual([first.coveredUntil, first.coveredUntil]);
      await storage.run((r) => r.chains.moveCursor(chain, first, second));
      expect(await noteAt(61)).toEqual(second.coveredUntil);
      await storage.run((r) => r.chains.forgetResumed(chain, first.coveredUntil));
      expect(await resumedAt()).toEqual(second.coveredUntil);
      await storage.run((r) => r.chains.forgetResumed(chain, second.coveredUntil));
      expect(await noteAt(61)).toBeNull();
    });

    test('remembered blocks come highest first; old ones and orphaned ones are forgotten', async () => {
      const chain = `chain ${anId()}`;
      const remembered = (limit = 100) => storage.run((r) => r.chains.rememberedBlocks(chain, limit));
      const first = blocks(100, 104);
      await storage.run((r) => r.chains.rememberBlocks(chain, first, 4));
      expect(await remembered()).toEqual(first.slice(1).reverse());
      expect(await remembered(2)).toEqual(first.slice(3).reverse());
      const [, , third, fourth] = first;
      const read = (block: { height: number; hash: string } | undefined) =>
        storage.run((r) => r.chains.hasRead(chain, block ?? { height: 0, hash: '' }));
      expect([await read(third), await read(fourth)]).toEqual([true, true]);
      expect(await read({ height: 102, hash: aHash() })).toBe(false);
      await storage.run((r) => r.chains.forgetBlocksAbove(chain, 102));
      expect([await read(third), await read(fourth)]).toEqual([true, false]);
      const fork = blocks(103, 104);
      await storage.run((r) => r.chains.rememberBlocks(chain, fork, 4));
      expect(await remembered()).toEqual([...first.slice(1, 3), ...fork].reverse());
      await storage.run((r) => r.chains.rememberBlocks(chain, [], 4));
      expect(await remembered()).toHaveLength(4);
    });

    test('blocks later than a time are those above the last one of that time or before, highest first', async () => {
      const chain = `chain ${anId()}`;
      const later = (time: number) => storage.run((r) => r.chains.blocksLaterThan(chain, time));
      expect(await later(0)).toEqual([]);
      const all = blocks(100, 104);
      await storage.run((r) => r.chains.rememberBlocks(chain, all, 9));
      const [first, , third] = all;
      expect(await later(third!.time)).toEqual(all.slice(3).reverse());
      expect(await later(third!.time - 0.5)).toEqual(all.slice(2).reverse());
      expect(await later(first!.time - 1)).toEqual(all.toReversed());
      expect(await later(all.at(-1)!.time)).toEqual([]);
    });
  });
}
