/** Leaving turns out until each that is left is needed. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fewest } from './shrink.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('the fewest turns that still break a law', () => {
  test('are exactly those that are needed together, whichever they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.array(fc.nat(59), { maxLength: 5 }), async (count, wanted) => {
        const all = numbers(Math.max(count, ...wanted.map((n) => n + 1)));
        const needed = [...new Set(wanted)].toSorted((a, b) => a - b);
        const left = await fewest(all, {
          stillBreaks: async (some) => needed.every((n) => some.includes(n)),
          plays: 10_000,
        });
        expect(left).toEqual(needed);
      }),
    );
  });

  test('are one way of several to break it, of which none can be left out', async () => {
    const stillBreaks = async (some: readonly number[]) =>
      (some.includes(3) && some.includes(17)) || (some.includes(5) && some.includes(21));
    const left = await fewest(numbers(30), { stillBreaks, plays: 1_000 });
    expect(left.length).toBe(2);
    expect(await stillBreaks(left)).toBe(true);
  });

  test('are as many as are left when it may play no more', async () => {
    let played = 0;
    const stillBreaks = async (some: readonly number[]) => {
      played += 1;
      return some.includes(7);
    };
    const left = await fewest(numbers(64), { stillBreaks, plays: 3 });
    expect(played).toBe(3);
    expect(left).toContain(7);
    expect(left.length).toBeLessThan(64);
  });
});
