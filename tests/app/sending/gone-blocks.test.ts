/** Blocks that settled transfers and left the chain: all are found, and few are asked for. */
import { expect, test } from 'bun:test';
import { goneBlocks } from '../../../src/app/sending/gone-blocks.ts';
import type { Block } from '../../../src/domain/sending/outgoing.ts';
import { seeded } from '../../support/runtime/seeded.ts';

const block = (height: number, branch = 'a'): Block => ({ height, hash: `${height}${branch}` });
const hashes = (blocks: readonly Block[]): readonly string[] => blocks.map(({ hash }) => hash);

/** A chain, and what was asked of its node since the last question about that. */
function aChain() {
  let there: readonly Block[] = [];
  let asked: string[] = [];
  let knows = true;
  let until = 0;
  let then: () => void = () => undefined;
  return {
    is(blocks: readonly Block[]): void {
      there = blocks;
    },
    nobodyKnows(): void {
      knows = false;
    },
    /** Happens once so many questions were answered. */
    afterAnswers(count: number, work: () => void): void {
      until = count;
      then = work;
    },
    asked(): readonly string[] {
      const before = asked;
      asked = [];
      return before;
    },
    onChain: async ({ hash }: Block): Promise<boolean | null> => {
      asked.push(hash);
      if (until-- === 0) then();
      return knows ? hashes(there).includes(hash) : null;
    },
  };
}

test('while the highest block is there, it alone is asked for, and each new one once', async () => {
  const chain = aChain();
  const find = goneBlocks(chain);
  const blocks = [1, 2, 3, 4, 5].map((height) => block(height));
  chain.is(blocks);
  expect([...(await find(blocks.slice(0, 3)))]).toEqual([]);
  expect(chain.asked()).toEqual(['3a', '2a', '1a']);
  expect([...(await find(blocks.slice(0, 3)))]).toEqual([]);
  expect(chain.asked()).toEqual(['3a']);
  await find(blocks);
  expect(chain.asked()).toEqual(['5a', '3a', '4a']);
  await find(blocks);
  expect(chain.asked()).toEqual(['5a']);
});

test('U7: a block that left is found below one that settled something later and is there', async () => {
  const chain = aChain();
  const find = goneBlocks(chain);
  chain.is([block(1), block(2)]);
  await find([block(1), block(2)]);
  // The step that had found 2a there settles something in 3b, after blocks were replaced.
  chain.is([block(1), block(2, 'b'), block(3, 'b')]);
  expect([...(await find([block(1), block(2), block(3, 'b')]))]).toEqual(['2a']);
});

test('U7: a block that was settled late from an answer of before a reorganisation is found', async () => {
  const chain = aChain();
  const find = goneBlocks(chain);
  chain.is([block(1), block(2, 'b'), block(3, 'b')]);
  expect([...(await find([block(1), block(3, 'b')]))]).toEqual([]);
  expect([...(await find([block(1), block(2), block(3, 'b')]))]).toEqual(['2a']);
});

test('while no node knows of the highest block, no block is gone', async () => {
  const chain = aChain();
  chain.nobodyKnows();
  expect([...(await goneBlocks(chain)([block(1), block(2)]))]).toEqual([]);
  expect(chain.asked()).toEqual(['2a']);
});

test('U7: whatever is replaced, also during a look, the next look finds all that left, and nothing else', async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seeded(seed);
    const chain = aChain();
    const find = goneBlocks(chain);
    const there: Block[] = [block(1)];
    const settled = new Map<string, Block>();
    const settle = (one = there[random.int(there.length)]!): void => void settled.set(one.hash, one);
    const many = (work: () => unknown): void => {
      for (let nth = random.int(3); nth > 0; nth -= 1) work();
    };
    let blocks = 0;
    const grow = (): number => there.push(block(there.length + 1, `-${++blocks}`));
    function reorganise(): void {
      const before = there[random.int(there.length)]!;
      there.splice(1 + random.int(there.length));
      // From an answer of before.
      settle(before);
      many(grow);
    }
    for (let look = 0; look < 20; look += 1) {
      many(settle);
      if (random.int(3) === 0) reorganise();
      many(grow);
      many(settle);
      chain.is(there);
      const asked = [...settled.values()].toSorted((a, b) => a.height - b.height);
      const isDisturbed = random.int(3) === 0;
      if (isDisturbed) chain.afterAnswers(random.int(4), reorganise);
      const gone = await find(asked);
      const left = hashes(asked.filter((one) => !there.includes(one)));
      if (isDisturbed) expect(left).toEqual(expect.arrayContaining([...gone]));
      else expect([...gone].toSorted()).toEqual(left.toSorted());
      chain.afterAnswers(0, () => undefined);
      for (const hash of gone) settled.delete(hash);
    }
  }
});
