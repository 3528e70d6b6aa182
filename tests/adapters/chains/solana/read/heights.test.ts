/**
 * Block heights found among slots of which some have no block: on a chain as long as the real one,
 * made up by a formula.
 */
import { expect, test } from 'bun:test';
import { RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { RpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { heightBook } from '../../../../../src/adapters/chains/solana/read/heights.ts';
import { base58 } from '../../../../support/solana/wire.ts';

const TIP = 330_000_500;

/**
 * In the first third of the chain every fourth slot was skipped, then every twentieth; three in a
 * row from time to time.
 */
const THIRD = 110_000_000;
const isSkipped = (slot: number): boolean =>
  slot % 1_000 < 3 || (slot < THIRD ? slot % 4 === 3 : slot % 20 === 7);
/** Skipped slots of a thousand, and so the blocks before a slot. */
const blocksBefore = (slot: number): number => {
  const inPart = (from: number, to: number, part: (slot: number) => boolean): number => {
    const perThousand = Array.from({ length: 1_000 }, (_, offset) => offset).filter((o) => !part(o)).length;
    const whole = Math.floor((to - from) / 1_000);
    let rest = 0;
    for (let s = from + whole * 1_000; s < to; s++) if (!part(s)) rest += 1;
    return whole * perThousand + rest;
  };
  const early = (s: number): boolean => s % 1_000 < 3 || s % 4 === 3;
  const late = (s: number): boolean => s % 1_000 < 3 || s % 20 === 7;
  return inPart(0, Math.min(slot, THIRD), early) + (slot > THIRD ? inPart(THIRD, slot, late) : 0);
};
const hashOf = (slot: number): string => {
  const bytes = new Uint8Array(32).fill(1);
  new DataView(bytes.buffer).setUint32(28, slot);
  return base58(bytes);
};

function longChain() {
  let calls = 0;
  const answers: Record<string, (first: number, second: number) => unknown> = {
    getSlot: () => TIP,
    getBlockHeight: () => blocksBefore(TIP) - 32,
    getBlocks: (from, to) => slotsOf(from, to, Number.POSITIVE_INFINITY),
    getBlocksWithLimit: (from, limit) => slotsOf(from, TIP, limit),
    getBlock: (slot) => {
      if (isSkipped(slot)) throw new RpcError(-32_007, `Slot ${slot} was skipped`);
      return {
        blockHeight: blocksBefore(slot),
        blockhash: hashOf(slot),
        previousBlockhash: hashOf(slot - 1),
        blockTime: slot,
      };
    },
  };
  const slotsOf = (from: number, to: number, limit: number): number[] => {
    if (to - from > 500_000 && limit === Number.POSITIVE_INFINITY)
      throw new RpcError(-32_602, 'too many slots');
    const found: number[] = [];
    for (let slot = from; slot <= to && found.length < limit; slot++) if (!isSkipped(slot)) found.push(slot);
    return found;
  };
  const call: RpcNode['call'] = async (method, first, second) => {
    calls += 1;
    return answers[method]!(first as number, second as number);
  };
  const node: RpcNode = {
    label: 'long chain',
    call,
    batch: (asked) => Promise.all(asked.map(({ method, params }) => call(method, ...params))),
    outcomes: () => Promise.reject(new Error('nobody asks for outcomes')),
  };
  return { node, calls: () => calls };
}

test('every block is found, near the tip and from the first one on, in few questions', async () => {
  const top = blocksBefore(TIP);
  for (const height of [top, top - 1, top - 50, top - 19_000, top - 3_000_000, 100_000_000, 54_321, 1, 0]) {
    const { node, calls } = longChain();
    const found = await heightBook().at(node, height);
    expect(found).toMatchObject({ height, hash: hashOf(found!.slot) });
    expect(blocksBefore(found!.slot)).toBe(height);
    expect(calls()).toBeLessThan(60);
  }
});

test('a height past the tip has no block yet', async () => {
  const { node } = longChain();
  expect(await heightBook().at(node, blocksBefore(TIP) + 1)).toBeNull();
});

test('what was found is remembered, and not believed when another block is in its slot', async () => {
  const { node, calls } = longChain();
  const book = heightBook();
  const height = blocksBefore(TIP) - 40;
  const found = await book.at(node, height);
  const before = calls();
  expect(await book.at(node, height)).toEqual(found);
  expect(calls()).toBe(before + 1);
  book.remember({ height, slot: found!.slot - 5 });
  expect(await book.at(node, height)).toEqual(found);
});

test('the slots of a range are those of its blocks', async () => {
  const { node } = longChain();
  const top = blocksBefore(TIP);
  const slots = await heightBook().slots(node, { from: top - 9, to: top });
  expect(slots).toHaveLength(10);
  expect(slots.map(blocksBefore)).toEqual(Array.from({ length: 10 }, (_, offset) => top - 9 + offset));
  expect(await heightBook().slots(node, { from: top + 1, to: top + 2 })).toEqual([]);
});
